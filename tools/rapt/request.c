/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "request.h"

#include <stdio.h>
#include <string.h>

#include <rapt/rapt.h>

static const char *const corners[] = {"top-left", "bottom-right"};
static const int32_t aligns[] = {RAPT_ALIGN_TOP_LEFT, RAPT_ALIGN_BOTTOM_RIGHT};

static int read_corner(const char *name, const char *text, int32_t *align, failure *why) {
  int32_t at;
  int status = options_choice(name, text, corners, 2, &at, why);
  if (!status) *align = aligns[at];
  return status;
}

int request_read_list(const char *name, const char *text, int64_t min, int32_t most, int32_t *out,
                      int32_t *n, failure *why) {
  char piece[24];
  for (*n = 0;; text++) {
    size_t length = strcspn(text, ",");
    int64_t value;
    if (*n == most)
      return fail(why, EXIT_WRONG_USE, "%s has more than %d numbers", name, (int)most);
    snprintf(piece, sizeof piece, "%.*s", (int)(length < sizeof piece ? length : sizeof piece),
             text);
    int status = options_integer(name, piece, min, INT32_MAX, &value, why);
    if (status) return status;
    out[(*n)++] = (int32_t)value;
    text += length;
    if (!*text) return 0;
  }
}

static int read_window(const char *const *value, request *r, failure *why) {
  int32_t sides[2], n;
  int64_t keep;
  r->left = r->right = -1;
  if (value[WINDOW]) {
    int status = request_read_list("--window", value[WINDOW], -1, 2, sides, &n, why);
    if (status) return status;
    if (n != 2)
      return fail(why, EXIT_WRONG_USE, "--window %s is not two numbers, as in 128,0",
                  value[WINDOW]);
    r->left = sides[0];
    r->right = sides[1];
  }
  if (!value[WINDOW_KEEP]) return 0;
  if (r->left < 0)
    return fail(why, EXIT_WRONG_USE,
                "--window-keep is for a --window with a limit before the query, as in 128,-1");
  int status = options_integer("--window-keep", value[WINDOW_KEEP], 0, INT32_MAX, &keep, why);
  if (!status) r->window_keep = (int32_t)keep;
  return status;
}

static int read_visibility(const char *const *value, request *r, failure *why) {
  int status = 0;
  if (value[CAUSAL]) {
    r->causal = 1;
    status = read_corner("--causal", value[CAUSAL], &r->align, why);
  }
  if (!status && value[ALIGN]) {
    if (value[CAUSAL])
      return fail(why, EXIT_WRONG_USE,
                  "--align is for a window without --causal, or for --alibi without it; --causal "
                  "has its own");
    status = read_corner("--align", value[ALIGN], &r->align, why);
  }
  if (!status) status = read_window(value, r, why);
  if (status || !value[PREFIX]) return status;
  if (!value[CAUSAL])
    return fail(why, EXIT_WRONG_USE,
                "--prefix is for --causal: without it every key is visible already");
  return request_read_list("--prefix", value[PREFIX], 0, REQUEST_MAX_LENS, r->prefix, &r->n_prefix,
                           why);
}

static int read_numbers(const char *const *value, request *r, failure *why) {
  int status = 0;
  int64_t whole;
  r->temperature = 1;
  if (value[SCALE]) {
    r->scale_given = 1;
    status = options_number("--scale", value[SCALE], -2.3e38, 2.3e38, &r->scale, why);
  }
  if (!status && value[TEMPERATURE])
    status = options_number("--temperature", value[TEMPERATURE], 1e-30, 1e30, &r->temperature, why);
  if (!status && value[SOFTCAP])
    status = options_number("--softcap", value[SOFTCAP], 1e-20, 1e20, &r->softcap, why);
  if (!status && value[THREADS]) {
    status = options_integer("--threads", value[THREADS], 1, REQUEST_MAX_THREADS, &whole, why);
    if (!status) r->threads = (int32_t)whole;
  }
  if (!status && value[Q_LENS])
    status = request_read_list("--q-lens", value[Q_LENS], 0, REQUEST_MAX_LENS, r->q_lens,
                               &r->n_q_lens, why);
  if (!status && value[KV_LENS])
    status = request_read_list("--kv-lens", value[KV_LENS], 0, REQUEST_MAX_LENS, r->kv_lens,
                               &r->n_kv_lens, why);
  return status;
}

int request_read_call(const arguments *given, request *r, failure *why) {
  static const char *const layouts[] = {"bhsd", "bshd"};
  const char *const *value = given->value;
  memset(r, 0, sizeof *r);
  r->heatmap = -1;
  r->q = value[Q];
  r->k = value[K];
  r->v = value[V];
  r->mask = value[MASK];
  r->sinks = value[SINKS];
  r->isa = value[ISA];
  r->alibi = value[ALIBI] != NULL;
  int status = 0;
  if (value[LAYOUT])
    status = options_choice("--layout", value[LAYOUT], layouts, 2, &r->tokens_first, why);
  if (!status) status = read_visibility(value, r, why);
  if (!status) status = read_numbers(value, r, why);
  return status;
}

int request_needs_files(const request *r, int with_values, failure *why) {
  const char *missing = !r->q ? "q" : !r->k ? "k" : !r->v && with_values ? "v" : NULL;
  if (!missing) return 0;
  return fail(why, EXIT_WRONG_USE, "--%s FILE is missing; %s are needed", missing,
              with_values ? "q, k and v" : "q and k");
}
