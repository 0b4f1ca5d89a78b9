/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "request.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

#include "commands.h"

enum {
  Q,
  K,
  V,
  LAYOUT,
  CAUSAL,
  WINDOW,
  ALIGN,
  Q_LENS,
  KV_LENS,
  SCALE,
  TEMPERATURE,
  OUTPUT,
  LSE,
  CHECK,
  EXPECT,
  TOLERANCE,
  HEATMAP,
  THREADS,
  ISA,
  N_OPTIONS
};

static const option options[N_OPTIONS] = {
    [Q] = {"q", 0, "FILE", "Queries, an .npy file. Needed."},
    [K] = {"k", 0, "FILE", "Keys, an .npy file. Needed."},
    [V] = {"v", 0, "FILE", "Values, an .npy file. Needed."},
    [LAYOUT] = {"layout", 0, "LAYOUT",
                "Order of the dimensions, for all files: bhsd (batch, head, token, channel; the "
                "default) or bshd (batch, token, head, channel)."},
    [CAUSAL] =
        {"causal", 0, "WHERE",
         "A query sees no key after its own position. WHERE is top-left (the first query "
         "stands at the first key) or bottom-right (the last query stands at the last key, as "
         "in decoding with a cache)."},
    [WINDOW] = {"window", 0, "L,R",
                "A query sees L keys before its own position and R after it; -1 is no limit."},
    [ALIGN] =
        {"align", 0, "WHERE",
         "Position of the queries, top-left or bottom-right, for a --window without --causal. "
         "Needed only if there are more keys than queries, or fewer."},
    [Q_LENS] = {"q-lens", 0, "N,N,...",
                "How many queries of each sequence exist; the others' rows of O are 0."},
    [KV_LENS] = {"kv-lens", 0, "N,N,...",
                 "How many keys of each sequence exist; the others are never read."},
    [SCALE] = {"scale", 0, "X", "Factor of the scores. Default: 1/sqrt(channels of q)."},
    [TEMPERATURE] = {"temperature", 0, "T",
                     "Divides the scale: above 1 flattens the weights, below 1 sharpens them."},
    [OUTPUT] =
        {"output", 'o', "FILE",
         "Writes O as float32 with layout and dimensions of Q. Without it a summary is printed."},
    [LSE] = {"lse", 0, "FILE",
             "Writes the log-sum-exp of each row of scores: batch, head, token, in either layout."},
    [CHECK] =
        {"check", 0, NULL,
         "Computes the same in float64, prints the largest error and the relative L2 error, and "
         "fails if they exceed the bounds of the library: 2e-6, more where scores or values are "
         "larger than of unit-normal inputs. Slow for long inputs."},
    [EXPECT] = {"expect", 0, "FILE", "Compares O with a recorded one, and fails if they differ."},
    [TOLERANCE] = {"tolerance", 0, "X",
                   "For --expect: elements may differ by X + X * |expected|. Default: 1e-5."},
    [HEATMAP] =
        {"heatmap", 0, "HEAD",
         "Prints the attention weights of one query head (from 0) of the first sequence, "
         "queries down, keys across. They are computed by the same kernels: attention whose "
         "values are the identity matrix gives the weights themselves. Larger ones are "
         "averaged into 64 columns and 32 rows. Colours on a terminal unless NO_COLOR is set."},
    [THREADS] = {"threads", 0, "N",
                 "Number of threads. The result has the same bits for any number."},
    [ISA] = {"isa", 0, "NAME",
             "Limits the kernels to an instruction set, as RAPT_ISA does: see rapt info."},
};

static const example examples[] = {
    {"rapt run --q q.npy --k k.npy --v v.npy", "Prints shapes, time and the first values of O."},
    {"rapt run --q q.npy --k k.npy --v v.npy --causal top-left -o o.npy --check",
     "A prompt: writes O, and compares it with float64."},
    {"rapt run --q q1.npy --k cache_k.npy --v cache_v.npy --causal bottom-right",
     "One token against a cache."},
    {"rapt run --q q.npy --k k.npy --v v.npy --heatmap 0 --temperature 0.5",
     "Where head 0 looks, twice as sharp."},
    {"rapt run --q q.npy --k k.npy --v v.npy --layout bshd --window 128,0",
     "A sliding window of 128 keys and the query's own."},
};

const page run_page = {
    .name = "run",
    .summary = "run attention on .npy files; check it, draw its weights",
    .text = "Computes softmax(scale * Q K^T + mask) V from three .npy files.\n\n"
            "Files hold float32, float64 or float16 in C order, in either byte order, and are "
            "converted to float32. They have four dimensions, or three without the batch, or two "
            "for a single head "
            "(token, channel). K and V may have fewer heads than Q (grouped queries): query head h "
            "reads "
            "KV head h * heads_kv / heads_q.\n\n"
            "In Python, numpy.save('q.npy', q) writes such a file.",
    .options = options,
    .n_options = N_OPTIONS,
    .examples = examples,
    .n_examples = (int32_t)(sizeof examples / sizeof *examples)};

static const char *const corners[] = {"top-left", "bottom-right"};
static const int32_t aligns[] = {RAPT_ALIGN_TOP_LEFT, RAPT_ALIGN_BOTTOM_RIGHT};

static int read_corner(const char *name, const char *text, int32_t *align, failure *why) {
  int32_t at;
  int status = options_choice(name, text, corners, 2, &at, why);
  if (!status) *align = aligns[at];
  return status;
}

/* Whole numbers separated by commas; *n becomes their count. */
static int read_list(const char *name, const char *text, int64_t min, int32_t most, int32_t *out,
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

static int read_mask(const arguments *given, request *r, failure *why) {
  int status = 0;
  const char *const *value = given->value;
  r->left = r->right = -1;
  if (value[CAUSAL]) {
    r->causal = 1;
    status = read_corner("--causal", value[CAUSAL], &r->align, why);
  }
  if (!status && value[ALIGN]) {
    if (value[CAUSAL])
      return fail(why, EXIT_WRONG_USE,
                  "--align is for a window without --causal, which has its own");
    status = read_corner("--align", value[ALIGN], &r->align, why);
  }
  if (!status && value[WINDOW]) {
    int32_t sides[2], n;
    status = read_list("--window", value[WINDOW], -1, 2, sides, &n, why);
    if (status) return status;
    if (n != 2)
      return fail(why, EXIT_WRONG_USE, "--window %s is not two numbers, as in 128,0",
                  value[WINDOW]);
    r->left = sides[0];
    r->right = sides[1];
  }
  return status;
}

static int read_numbers(const arguments *given, request *r, failure *why) {
  int status = 0;
  int64_t whole;
  const char *const *value = given->value;
  r->temperature = 1;
  r->tolerance = 1e-5;
  r->heatmap = -1;
  if (value[SCALE]) {
    r->scale_given = 1;
    status = options_number("--scale", value[SCALE], -2.3e38, 2.3e38, &r->scale, why);
  }
  if (!status && value[TEMPERATURE])
    status = options_number("--temperature", value[TEMPERATURE], 1e-30, 1e30, &r->temperature, why);
  if (!status && value[TOLERANCE]) {
    if (!value[EXPECT])
      return fail(why, EXIT_WRONG_USE, "--tolerance is for --expect, which is not given");
    status = options_number("--tolerance", value[TOLERANCE], 0, DBL_MAX, &r->tolerance, why);
  }
  if (!status && value[HEATMAP]) {
    status = options_integer("--heatmap", value[HEATMAP], 0, INT32_MAX, &whole, why);
    if (!status) r->heatmap = (int32_t)whole;
  }
  if (!status && value[THREADS]) {
    status = options_integer("--threads", value[THREADS], 1, REQUEST_MAX_THREADS, &whole, why);
    if (!status) r->threads = (int32_t)whole;
  }
  if (!status && value[Q_LENS])
    status = read_list("--q-lens", value[Q_LENS], 0, REQUEST_MAX_LENS, r->q_lens, &r->n_q_lens,
                       why);
  if (!status && value[KV_LENS])
    status = read_list("--kv-lens", value[KV_LENS], 0, REQUEST_MAX_LENS, r->kv_lens, &r->n_kv_lens,
                       why);
  return status;
}

int request_read(const arguments *given, request *r, failure *why) {
  static const char *const layouts[] = {"bhsd", "bshd"};
  const char *const *value = given->value;
  memset(r, 0, sizeof *r);
  for (int32_t i = Q; i <= V; i++)
    if (!value[i])
      return fail(why, EXIT_WRONG_USE, "--%s FILE is missing; q, k and v are needed",
                  options[i].name);
  r->q = value[Q];
  r->k = value[K];
  r->v = value[V];
  r->o = value[OUTPUT];
  r->lse = value[LSE];
  if (r->o && r->lse && strcmp(r->o, r->lse) == 0)
    return fail(why, EXIT_WRONG_USE, "--lse %s is the file of -o too, and would replace O", r->lse);
  r->expect = value[EXPECT];
  r->isa = value[ISA];
  r->check = value[CHECK] != NULL;
  int status = 0;
  if (value[LAYOUT])
    status = options_choice("--layout", value[LAYOUT], layouts, 2, &r->tokens_first, why);
  if (!status) status = read_mask(given, r, why);
  if (!status) status = read_numbers(given, r, why);
  return status;
}
