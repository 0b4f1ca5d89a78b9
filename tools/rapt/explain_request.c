/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The page of rapt explain. */
#include "explain_request.h"

#include <string.h>

#include <rapt/rapt.h>

#include "commands.h"

enum { SEQUENCE = N_CALL_OPTIONS, HEAD, TOKEN, TOP, SVG, PNG, ROWS, N_OPTIONS };
_Static_assert((int)N_OPTIONS <= (int)MAX_OPTIONS, "options_parse has room for so many");

static const option options[N_OPTIONS] = {
#define CALL_OPTION(place, name, argument, help) [place] = {name, 0, argument, help},
#include "call_options.def"
#undef CALL_OPTION
    [SEQUENCE] = {"sequence", 0, "N", "Which sequence of the batch, from 0. Default: 0."},
    [HEAD] = {"head", 0, "N", "Which query head, from 0. Default: 0."},
    [TOKEN] = {"token", 0, "N",
               "Which query: 0 is the first, -1 the last of the sequence. Default: -1."},
    [TOP] = {"top", 0, "N", "How many keys to print. Default: 10."},
    [SVG] = {"svg", 0, "FILE",
             "Draws the weights of the head as a heat map, queries down, keys across, into an SVG "
             "file that needs nothing else. More than 128 queries or keys are averaged into 128 "
             "rows or columns, so the file stays small."},
    [PNG] = {"png", 0, "FILE", "Has gnuplot draw the same map into a PNG file."},
    [ROWS] = {"rows", 0, "N,N,...",
              "Only these queries in the map; negative ones count from the end. Default: all."},
};

static const example examples[] = {
    {"rapt explain attention", "The query of rapt example attention: why key 0 gets most."},
    {"rapt explain --q q.npy --k k.npy --causal top-left --head 3",
     "What the last token of head 3 looks at."},
    {"rapt explain --q q.npy --k k.npy --token 17 --top 5 --softcap 30 --mask m.npy",
     "How cap and mask change the scores of query 17."},
    {"rapt explain --q q.npy --k k.npy --head 3 --svg head3.svg", "Head 3 as a picture."},
};

const page explain_page = {
    .name = "explain",
    .summary = "what one query looks at: scores, weights, a heat map",
    .words = "[NAME]",
    .text =
        "Prints the keys of one query of one head, heaviest first: the score after each stage and "
        "the weight. The stages are raw (scale * q.k), softcap (after --softcap) and bias (after "
        "--mask and --alibi); the column sum adds up the weights from the top. Without softcap, "
        "mask and ALiBi the stages are equal.\n\n"
        "Q and K come from .npy files as in rapt run, with the same options; or a NAME, attention "
        "or causal, stands for the numbers of that example (see rapt example).",
    .options = options,
    .n_options = N_OPTIONS,
    .examples = examples,
    .n_examples = (int32_t)(sizeof examples / sizeof *examples)};

static int whole(const arguments *given, int32_t place, int64_t min, int32_t *out, failure *why) {
  char name[40] = "--";
  int64_t value;
  if (!given->value[place]) return 0;
  strncat(name, options[place].name, sizeof name - 3);
  int status = options_integer(name, given->value[place], min, INT32_MAX, &value, why);
  if (!status) *out = (int32_t)value;
  return status;
}

/* A worked example in place of the files. */
static int take_example(const arguments *given, request *r, failure *why) {
  static const example_tensors *const all[] = {&example_attention_tensors, &example_causal_tensors};
  const char *const names[] = {all[0]->name, all[1]->name};
  int32_t at;
  if (given->n_words > 1)
    return fail(why, EXIT_WRONG_USE, "one NAME is possible, but '%s' follows '%s'", given->word[1],
                given->word[0]);
  int status = options_choice("the NAME", given->word[0], names, 2, &at, why);
  if (status) return status;
  for (int32_t i = Q; i <= LAYOUT; i++)
    if (given->value[i])
      return fail(why, EXIT_WRONG_USE, "--%s is for files; the example %s has numbers of its own",
                  options[i].name, names[at]);
  r->example = all[at];
  if (all[at]->scale != 0 && !r->scale_given) {
    r->scale_given = 1;
    r->scale = all[at]->scale;
  }
  if (all[at]->causal && !r->causal) {
    r->causal = 1;
    r->align = RAPT_ALIGN_TOP_LEFT;
  }
  return 0;
}

int explain_read(const arguments *given, explain_request *e, failure *why) {
  memset(e, 0, sizeof *e);
  int status = request_read_call(given, &e->call, why);
  e->token = -1;
  e->top = 10;
  if (!status)
    status = given->n_words ? take_example(given, &e->call, why)
                            : request_needs_files(&e->call, 0, why);
  if (!status) status = whole(given, SEQUENCE, 0, &e->sequence, why);
  if (!status) status = whole(given, HEAD, 0, &e->head, why);
  if (!status) status = whole(given, TOKEN, -(int64_t)INT32_MAX, &e->token, why);
  if (!status) status = whole(given, TOP, 0, &e->top, why);
  if (status) return status;
  e->svg = given->value[SVG];
  e->png = given->value[PNG];
  if (e->svg && e->png && strcmp(e->svg, e->png) == 0)
    return fail(why, EXIT_WRONG_USE, "--png %s is the file of --svg too, and would replace it",
                e->png);
  if (!given->value[ROWS]) return 0;
  if (!e->svg && !e->png)
    return fail(why, EXIT_WRONG_USE, "--rows is for --svg or --png; neither is given");
  return request_read_list("--rows", given->value[ROWS], -(int64_t)INT32_MAX, REQUEST_MAX_ROWS,
                           e->call.rows, &e->call.n_rows, why);
}
