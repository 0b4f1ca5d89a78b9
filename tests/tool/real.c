/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt run on tensors captured in trained models gives the captured outputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/data.h"
#include "tool.h"

typedef struct tally {
  int run, failed, layers;
} tally;

/* " --NAME N,N,..." from an array of lengths, or nothing. */
static void add_lengths(char *line, size_t size, const data_case *c, const char *file,
                        const char *name) {
  npy_array a;
  if (!data_file(c, file, &a)) return;
  for (size_t b = 0; b < a.count; b++) {
    size_t used = strlen(line);
    if (b == 0) used += (size_t)snprintf(line + used, size - used, " --%s ", name);
    snprintf(line + used, size - used, "%s%d", b ? "," : "", (int)npy_at(&a, b));
  }
  npy_free(&a);
}

/* Captured activations are larger than unit-normal, and the model's own arithmetic is float32 too. */
static double tolerance(const data_case *c) {
  npy_array v;
  double score = json_number(json_get(json_get(c->doc, "stats"), "max_abs_score"), 1), value = 0;
  double captured = json_number(json_get(json_get(c->doc, "captured_vs_ref64"), "max_abs"), 0);
  if (data_file(c, "v.npy", &v))
    for (size_t i = 0; i < v.count; i++) value = fmax(value, fabs(npy_at(&v, i)));
  npy_free(&v);
  return 2 * captured + 2e-6 * fmax(1, score / 4) * fmax(1, value / 4);
}

static void run_case(const data_case *c, void *arg) {
  tally *t = arg;
  char options[1000] = "";
  if (strcmp(json_string(json_get(c->doc, "kind"), ""), "layer") == 0) {
    t->layers++;
    return;
  }
  double scale = json_number(json_get(c->doc, "scale"), 0);
  if (json_integer(json_get(c->doc, "q_is_scaled"), 0)) scale = 1;
  int causal = json_integer(json_get(c->doc, "causal"), 0) != 0;
  int64_t position = json_integer(json_get(c->doc, "first_query_position"), 0);
  int64_t queries = json_integer(json_get(c->doc, "sq"), 0),
          keys = json_integer(json_get(c->doc, "sk"), 0);
  CHECK(!causal || position == 0 || position + queries == keys, "%s stands elsewhere", c->name);
  snprintf(options, sizeof options, " --scale %.17g%s", scale,
           !causal    ? ""
           : position ? " --causal bottom-right"
                      : " --causal top-left");
  add_lengths(options, sizeof options, c, "qlen.npy", "q-lens");
  add_lengths(options, sizeof options, c, "klen.npy", "kv-lens");
  const char *d = c->dir;
  const outcome *o = tool(
      "run --q %s/q.npy --k %s/k.npy --v %s/v.npy --check --expect %s/out.npy --tolerance %.6g%s",
      d, d, d, d, tolerance(c), options);
  t->run++;
  t->failed += !CHECK(o->code == 0, "%s%s: exit code %d: %s%s", c->name, options, o->code, o->out,
                      o->err);
  CHECK(strstr(o->out, "expect    ok") && strstr(o->out, "check     ok") &&
            strstr(o->out, "check LSE ok"),
        "%s: %s", c->name, o->out);
}

static void run_real(const char *set, int at_least) {
  tally t = {0, 0, 0};
  if (!data_root()) SKIP("NO CONFORMANCE DATA: set RAPT_CONFORMANCE to its folder");
  int cases = data_each(set, run_case, &t);
  printf("  %s: %d cases: %d run, %d failed, %d whole layers left out\n", set, cases, t.run,
         t.failed, t.layers);
  CHECK(t.run >= at_least, "%s: only %d cases were run", set, t.run);
}

RAPT_TEST(real_npm) { run_real("real/npm", 6); }
RAPT_TEST(real_public) { run_real("real/public", 18); }
