/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt example: the worked examples, every step printed. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "examples.h"

typedef struct worked_example {
  const char *name, *shows;
  int (*print)(failure *why);
} worked_example;

/* In the order they teach best. */
static const worked_example examples[] = {
    {"softmax", "scores [5, 2, 1] become exponentials and weights", example_softmax_print},
    {"temperature", "five scores sharpened and flattened", example_temperature_print},
    {"attention", "one query, three keys, every number", example_attention_print},
    {"scale", "what 1/sqrt(head_dim) is for (--plot FILE draws it)", example_scale_print},
    {"order", "without positions, attention does not see the order of words", example_order_print},
    {"causal", "who sees whom, and why the mask comes before the softmax", example_causal_print},
};
enum { COUNT = sizeof examples / sizeof examples[0] };

enum { LIST, PLOT };
static const option options[] = {
    [LIST] = {"list", 0, NULL, "Prints the names of the examples and what each shows."},
    [PLOT] = {"plot", 0, "FILE",
              "With the example scale: also draws its entropies to FILE with gnuplot if the name "
              "ends in .svg or .png, else writes them as a table of numbers."},
};
static const example lines[] = {
    {"rapt example", "All of them, one after the other."},
    {"rapt example attention", "A query and three keys small enough to follow by hand."},
    {"rapt example scale --plot entropy.svg", "Prints the table and draws it."},
};

const page example_page = {
    .name = "example",
    .summary = "worked examples, every step printed",
    .words = "[NAME]...",
    .text = "Prints attention worked out in small steps: scores, exponentials, weights, outputs. "
            "Every weight and output comes from the library's own kernels, the ones rapt run uses; "
            "RAPT_ISA in the environment chooses others.\n\n"
            "The names: softmax, temperature, attention, scale, order, causal. Without a NAME all "
            "are printed.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .examples = lines,
    .n_examples = sizeof lines / sizeof lines[0],
};

static const worked_example *find(const char *name, failure *why) {
  char names[200] = "";
  size_t used = 0;
  for (int32_t i = 0; i < COUNT; i++) {
    if (strcmp(examples[i].name, name) == 0) return &examples[i];
    int wrote = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                         examples[i].name);
    if (wrote > 0 && used + (size_t)wrote < sizeof names) used += (size_t)wrote;
  }
  fail(why, EXIT_WRONG_USE, "there is no example '%s', but: %s", name, names);
  return NULL;
}

static int print_examples(const arguments *given, failure *why) {
  const worked_example *chosen[MAX_WORDS];
  int32_t n = given->n_words;
  int with_scale = n == 0;
  for (int32_t i = 0; i < n; i++) {
    chosen[i] = find(given->word[i], why);
    if (!chosen[i]) return EXIT_WRONG_USE;
    with_scale |= chosen[i]->print == example_scale_print;
  }
  if (given->value[PLOT] && !with_scale)
    return fail(why, EXIT_WRONG_USE, "--plot %s draws the example scale, which was not asked for",
                given->value[PLOT]);
  for (int32_t i = 0; i < (n ? n : (int32_t)COUNT); i++) {
    const worked_example *e = n ? chosen[i] : &examples[i];
    if (i > 0) printf("\n--------\n\n");
    int status = e->print(why);
    if (status) return status;
    if (e->print != example_scale_print || !given->value[PLOT]) continue;
    status = example_scale_plot(given->value[PLOT], why);
    if (status) return status;
    printf("\nWritten to %s.\n", given->value[PLOT]);
  }
  return EXIT_FINE;
}

int cmd_example(int argc, char **argv) {
  arguments given;
  failure why;
  int status = options_begin(&example_page, argc, argv, &given);
  if (status != GO_ON) return status;
  if (given.value[LIST]) {
    for (int32_t i = 0; i < COUNT; i++) printf("%-12s %s\n", examples[i].name, examples[i].shows);
    return EXIT_FINE;
  }
  status = print_examples(&given, &why);
  return status ? fail_print(example_page.name, &why, status) : EXIT_FINE;
}
