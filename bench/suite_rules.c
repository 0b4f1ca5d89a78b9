/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rules/...: what masks, biases and the other score rules cost, and what they save. Each is measured in
 * turns with what it is held against: the same call without the rule, or calls that compute the permitted
 * pairs only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "suites.h"

enum { MOST_REFERENCES = 2 };

/* What a benchmark is held against, and the counter that says so. */
typedef struct reference {
  const char
      *counter; /* "cost": time over the reference's less 1; else the ratio, as "over_<what>" */
  bench_rule rule;
  bench_shape shape;
  double share;     /* the part of the reference's time that counts */
  int32_t separate; /* one call per sequence instead of one for all */
} reference;

typedef struct entry {
  bench_rule rule;
  bench_shape shape;
  int32_t n_references;
  reference references[MOST_REFERENCES];
} entry;

typedef struct contest {
  const entry *entry;
  bench_problem problem[1 + MOST_REFERENCES]; /* the subject first */
  bench_call call[1 + MOST_REFERENCES];
  int32_t opened;
  bench_rounds rounds;
} contest;

/* The sequences of the problem, a call each. */
static void run_separate(void *problem) {
  bench_problem *p = problem;
  rapt_attention_args args = p->args;
  args.batch = 1;
  for (int32_t b = 0; b < p->shape.batch; b++) {
    args.q.data = (const char *)p->args.q.data + b * p->args.q.stride[0];
    args.k.data = (const char *)p->args.k.data + b * p->args.k.stride[0];
    args.v.data = (const char *)p->args.v.data + b * p->args.v.stride[0];
    args.o.data = (char *)p->args.o.data + b * p->args.o.stride[0];
    rapt_status status = rapt_attention_run(p->plan, &args, p->workspace, p->workspace_bytes,
                                            &p->executor, NULL);
    if (status != RAPT_OK) p->status = status;
  }
}

/* ---- Measuring ---- */

static int open_contest(contest *c, const entry *e, char *why, size_t size) {
  c->entry = e;
  c->opened = 0;
  memset(&c->rounds, 0, sizeof c->rounds);
  for (int32_t i = 0; i <= e->n_references; i++) {
    const reference *ref = i > 0 ? &e->references[i - 1] : NULL;
    bench_problem *p = &c->problem[i];
    c->opened = i + 1;
    if (bench_problem_open_ruled(p, ref ? &ref->shape : &e->shape, ref ? ref->rule : e->rule, why,
                                 size) != 0)
      return -1;
    c->call[i] = (bench_call){.run = bench_problem_run, .ctx = p};
    if (ref && ref->separate) {
      c->call[i].run = run_separate;
      memset(p->o.data, 0, p->o.bytes);
      run_separate(p);
      if (bench_problem_compare(p, p->o.data, why, size) != 0) return -1;
    }
    bench_rounds_add(&c->rounds, bench_call_take, &c->call[i], 0);
  }
  return 0;
}

static void close_contest(contest *c) {
  for (int32_t i = 0; i < c->opened; i++) bench_problem_close(&c->problem[i]);
}

/* "<counter>", "<counter>_median", with one thread "<counter>_cpu", and the reference's time. */
static void report_reference(gbench_state *state, const contest *c, int32_t voice, char *label,
                             size_t size) {
  const bench_rounds *r = &c->rounds;
  const reference *ref = &c->entry->references[voice - 1];
  const int32_t is_cost = strncmp(ref->counter, "cost", 4) == 0;
  const double scale = 1 / ref->share, less = is_cost;
  char name[64];
  double best = scale * bench_rounds_best(r, 0) / bench_rounds_best(r, voice) - less;
  gbench_counter(state, ref->counter, best);
  snprintf(name, sizeof name, "%s_median", ref->counter);
  gbench_counter(state, name, scale * bench_rounds_ratio(r, 0, voice) - less);
  snprintf(name, sizeof name, "%s_cpu", ref->counter);
  if (c->entry->shape.threads == 1)
    gbench_counter(state, name,
                   scale * bench_rounds_best_own(r, 0) / bench_rounds_best_own(r, voice) - less);
  snprintf(name, sizeof name, "%s_time", ref->counter);
  gbench_counter(state, name, ref->share * bench_rounds_best(r, voice));
  if (is_cost)
    snprintf(label, size, "%s %.1f %%, ", ref->counter, 100 * best);
  else
    snprintf(label, size, "%s %.2fx, ", ref->counter, best);
}

static void report(gbench_state *state, const contest *c) {
  char label[BENCH_LABEL] = "";
  const bench_problem *p = c->problem;
  gbench_time(state, bench_rounds_best(&c->rounds, 0));
  gbench_counter(state, "time_median", bench_rounds_typical(&c->rounds, 0));
  gbench_counter(state, "rounds", c->rounds.n_rounds);
  gbench_counter(state, "cpus", bench_rounds_cpus(&c->rounds, 0));
  for (int32_t i = 1; i <= c->entry->n_references; i++) {
    size_t at = strlen(label);
    report_reference(state, c, i, label + at, sizeof label - at);
  }
  if (c->entry->rule == BENCH_WEIGHTS) {
    gbench_counter(state, "extra_workspace_bytes",
                   (double)p[0].workspace_bytes - (double)p[1].workspace_bytes);
    gbench_counter(state, "rows_bytes", (double)p[0].rules.weights.bytes);
  }
  size_t at = strlen(label);
  snprintf(label + at, sizeof label - at, "%s", p[0].set);
  gbench_label(state, label);
}

static void measure(gbench_state *state, const void *arg) {
  static contest c;
  char why[320];
  if (open_contest(&c, arg, why, sizeof why) != 0) {
    gbench_error(state, why);
  } else {
    bench_rounds_run(&c.rounds);
    const char *failed = NULL;
    for (int32_t i = 0; i < c.opened; i++)
      if (c.problem[i].status != RAPT_OK) failed = rapt_status_string(c.problem[i].status);
    if (failed)
      gbench_error(state, failed);
    else
      report(state, &c);
  }
  close_contest(&c);
}

/* ---- What is measured ---- */

static void add(entry e) {
  char name[BENCH_NAME];
  entry *kept = malloc(sizeof *kept);
  if (!kept) abort();
  *kept = e;
  bench_name_rule(name, &e.shape, e.rule);
  gbench_register(name, measure, kept);
}

/* An eighth of a length where only the working is looked at. */
static int32_t scaled(int32_t length) { return bench_options.quick ? length / 8 : length; }

static bench_shape shape_of(int32_t heads, int32_t heads_kv, int32_t head_dim, int32_t q_len,
                            int32_t kv_len) {
  return (bench_shape){.batch = 1,
                       .heads_q = heads,
                       .heads_kv = heads_kv,
                       .head_dim = head_dim,
                       .q_len = q_len,
                       .kv_len = kv_len,
                       .threads = 1};
}

/* Against the same call without the rule. With padding also against a call over as many keys as it permits:
 * that it is quicker than one over all keys is no merit. */
static void add_cost(bench_rule rule, const bench_shape *s) {
  entry e = {.rule = rule, .shape = *s, .n_references = 1};
  e.references[0] = (reference){.counter = "cost", .shape = *s, .share = 1};
  if (rule >= BENCH_PADDING && rule <= BENCH_PADDING_HALF) {
    bench_shape shorter = *s;
    shorter.kv_len = (int32_t)(bench_rule_pairs(rule, s) / s->q_len);
    e.references[e.n_references++] = (reference){
        .counter = "cost_over_permitted", .shape = shorter, .share = 1};
  }
  add(e);
}

static void add_costs(void) {
  const bench_shape prefill = shape_of(12, 12, 64, scaled(2048), scaled(2048));
  const bench_shape decode = shape_of(32, 8, 128, 1, scaled(4096));
  for (int32_t rule = BENCH_ADDITIVE_F32; rule <= BENCH_PARTIAL; rule++) {
    add_cost((bench_rule)rule, &prefill);
    add_cost((bench_rule)rule, &decode);
  }
  bench_shape weights = shape_of(4, 4, 64, scaled(8192), scaled(8192));
  for (weights.causal = 0; weights.causal <= 1; weights.causal++) add_cost(BENCH_WEIGHTS, &weights);
}

/* Full speed of a pair is that of an unmasked call with as many heads and channels, at a quarter of the
 * length so that it is measured often. */
static void add_window(void) {
  entry e = {.rule = BENCH_WINDOW, .n_references = 1};
  e.shape = shape_of(12, 12, 64, scaled(8192), scaled(8192));
  e.shape.causal = 1;
  const bench_shape full = shape_of(12, 12, 64, scaled(2048), scaled(2048));
  const double share = bench_rule_pairs(BENCH_WINDOW, &e.shape) / (double)full.q_len / full.kv_len;
  e.references[0] = (reference){.counter = "over_permitted", .shape = full, .share = share};
  add(e);
}

static void add_causal_f16(void) {
  entry e = {.rule = BENCH_CAUSAL_F16, .n_references = 1};
  e.shape = shape_of(12, 12, 64, scaled(2048), scaled(2048));
  e.references[0] = (reference){.counter = "over_causal", .shape = e.shape, .share = 1};
  e.references[0].shape.causal = 1;
  add(e);
}

/* All sequences in one row of tokens, told apart by the mask, against calls that have them apart. */
static void add_sequences(bench_rule rule, bench_rule apart, bench_shape s) {
  entry e = {.rule = rule, .shape = s, .n_references = 2};
  s.batch = BENCH_SEQUENCES;
  s.q_len /= BENCH_SEQUENCES;
  s.kv_len /= BENCH_SEQUENCES;
  e.references[0] = (reference){"over_separate", apart, s, 1, 1};
  e.references[1] = (reference){"over_batch", apart, s, 1, 0};
  add(e);
}

void bench_suite_rules(void) {
  const int32_t n = BENCH_SEQUENCES;
  add_costs();
  add_window();
  add_causal_f16();
  add_sequences(BENCH_DOCUMENTS, BENCH_RULE_NONE, shape_of(12, 12, 64, scaled(4096), scaled(4096)));
  /* Prompts of 256 after as many earlier tokens, then one new token a sequence. */
  const bench_shape prompts = shape_of(32, 8, 128, n * scaled(256), n * scaled(512));
  add_sequences(BENCH_UNIFIED, BENCH_CAUSAL_END, prompts);
  add_sequences(BENCH_UNIFIED_INTERLEAVED, BENCH_CAUSAL_END, prompts);
  add_sequences(BENCH_UNIFIED, BENCH_CAUSAL_END, shape_of(32, 8, 128, n, n * scaled(1024)));
}
