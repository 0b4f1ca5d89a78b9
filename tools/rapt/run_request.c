/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The page of rapt run, and what its options ask for beyond the call. */
#include <float.h>
#include <string.h>

#include <rapt/rapt.h>

#include "commands.h"
#include "request.h"

enum {
  OUTPUT = N_CALL_OPTIONS,
  LSE,
  WEIGHTS,
  STAGE,
  ROWS,
  KEY_SUMS,
  CHECK,
  EXPECT,
  TOLERANCE,
  HEATMAP,
  N_OPTIONS
};
_Static_assert((int)N_OPTIONS <= (int)MAX_OPTIONS, "options_parse has room for so many");

static const option options[N_OPTIONS] = {
#define CALL_OPTION(place, name, argument, help) [place] = {name, 0, argument, help},
#include "call_options.def"
#undef CALL_OPTION
    [OUTPUT] =
        {"output", 'o', "FILE",
         "Writes O as float32 with layout and dimensions of Q. Without it a summary is printed."},
    [LSE] = {"lse", 0, "FILE",
             "Writes the log-sum-exp of each row of scores: batch, head, token, in either layout."},
    [WEIGHTS] = {"weights", 0, "FILE",
                 "Writes the attention weights as float32: batch, head, query, key, in either "
                 "layout, without the dimensions that Q lacks. Queries that do not exist have "
                 "weights of 0. Large for long inputs: see --rows."},
    [STAGE] = {"stage", 0, "STAGE",
               "What --weights writes: raw (scale * q.k), softcap (after --softcap), bias (after "
               "--mask and --alibi; -inf where the key is not visible) or weights (after the "
               "softmax; the default)."},
    [ROWS] = {"rows", 0, "N,N,...",
              "Only these queries, for --weights and --key-sums: 0 is the first, -1 the last of "
              "each sequence."},
    [KEY_SUMS] = {"key-sums", 0, "FILE",
                  "Writes the weights that each key got, summed over the queries (or --rows): "
                  "batch, head, key."},
    [CHECK] =
        {"check", 0, NULL,
         "Computes the same in float64, prints the largest error and the relative L2 error, and "
         "fails if they exceed the bounds of the library: 2e-6, more where scores or values are "
         "larger than of unit-normal inputs. What --weights and --key-sums write is checked, too. "
         "Slow for long inputs."},
    [EXPECT] = {"expect", 0, "FILE", "Compares O with a recorded one, and fails if they differ."},
    [TOLERANCE] = {"tolerance", 0, "X",
                   "For --expect: elements may differ by X + X * |expected|. Default: 1e-5."},
    [HEATMAP] = {"heatmap", 0, "HEAD",
                 "Prints the attention weights of one query head (from 0) of the first sequence, "
                 "queries down, keys across. Larger ones are averaged into 64 columns and 32 rows. "
                 "Colours on a terminal unless NO_COLOR is set. rapt explain draws into files."},
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
    {"rapt run --q q.npy --k k.npy --v v.npy --mask m.npy --softcap 30 --check",
     "A mask of one's own over capped scores, checked."},
    {"rapt run --q q.npy --k k.npy --v v.npy --weights w.npy --rows 0,-1",
     "The weights of the first and the last query."},
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
            "In Python, numpy.save('q.npy', q) writes such a file. After a failure none of the "
            "files that were to be written is left behind.",
    .options = options,
    .n_options = N_OPTIONS,
    .examples = examples,
    .n_examples = (int32_t)(sizeof examples / sizeof *examples)};

/* Two results in one file would be one. */
static int distinct_outputs(const request *r, failure *why) {
  const char *const outputs[][2] = {
      {"-o", r->o}, {"--lse", r->lse}, {"--weights", r->weights}, {"--key-sums", r->key_sums}};
  for (int i = 1; i < 4; i++)
    for (int j = 0; j < i; j++)
      if (outputs[i][1] && outputs[j][1] && strcmp(outputs[i][1], outputs[j][1]) == 0)
        return fail(why, EXIT_WRONG_USE, "%s %s is the file of %s too, and would replace it",
                    outputs[i][0], outputs[i][1], outputs[j][0]);
  return 0;
}

static int read_weights(const char *const *value, request *r, failure *why) {
  static const char *const stages[] = {"raw", "softcap", "bias", "weights"}; /* as RAPT_STAGE_* */
  r->stage = RAPT_STAGE_WEIGHTS;
  if (value[STAGE]) {
    int status = options_choice("--stage", value[STAGE], stages, 4, &r->stage, why);
    if (status) return status;
    if (!value[WEIGHTS])
      return fail(why, EXIT_WRONG_USE, "--stage is for --weights, which is not given");
  }
  if (!value[ROWS]) return 0;
  if (!value[WEIGHTS] && !value[KEY_SUMS])
    return fail(why, EXIT_WRONG_USE, "--rows is for --weights or --key-sums; neither is given");
  return request_read_list("--rows", value[ROWS], -(int64_t)INT32_MAX, REQUEST_MAX_ROWS, r->rows,
                           &r->n_rows, why);
}

int request_read(const arguments *given, request *r, failure *why) {
  const char *const *value = given->value;
  int64_t whole;
  int status = request_read_call(given, r, why);
  if (!status) status = request_needs_files(r, 1, why);
  if (status) return status;
  r->o = value[OUTPUT];
  r->lse = value[LSE];
  r->weights = value[WEIGHTS];
  r->key_sums = value[KEY_SUMS];
  r->expect = value[EXPECT];
  r->check = value[CHECK] != NULL;
  r->tolerance = 1e-5;
  status = distinct_outputs(r, why);
  if (!status) status = read_weights(value, r, why);
  if (!status && value[TOLERANCE]) {
    if (!value[EXPECT])
      return fail(why, EXIT_WRONG_USE, "--tolerance is for --expect, which is not given");
    status = options_number("--tolerance", value[TOLERANCE], 0, DBL_MAX, &r->tolerance, why);
  }
  if (!status && value[HEATMAP]) {
    status = options_integer("--heatmap", value[HEATMAP], 0, INT32_MAX, &whole, why);
    if (!status) r->heatmap = (int32_t)whole;
  }
  return status;
}
