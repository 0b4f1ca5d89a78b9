/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operator cases of other projects: what this version can say is run on every level and compared with
 * the float64 results (ref64_*), and more loosely with what the project itself stored (out_*). */
#include <math.h>

#include "express.h"
#include "softmax.h"

enum { MAX_REASONS = 16 };

typedef struct tally {
  int run, failed, left, softmax, scores; /* scores: cases whose scores were compared, too */
  const char *reason[MAX_REASONS];
  int count[MAX_REASONS], reasons;
} tally;

static void left_out(tally *t, const char *reason) {
  int i = 0;
  while (i < t->reasons && strcmp(t->reason[i], reason) != 0) i++;
  if (i == MAX_REASONS) i--;
  if (i == t->reasons) t->reason[t->reasons++] = reason;
  t->count[i]++;
  t->left++;
}

/* Largest |scale * q.k| and |v|: what float32 rounds is proportional to them. */
static double looseness(const problem *p) {
  double score = 0, value = 0;
  double scale = p->desc.scale != 0 ? (double)p->desc.scale : 1 / sqrt((double)p->desc.head_dim_qk);
  int32_t group = p->desc.heads_q / p->desc.heads_kv;
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++) {
        const float *k = reference_k_row(&p->args, b, h / group, j);
        const float *v = reference_v_row(&p->args, b, h / group, j);
        for (int32_t c = 0; c < p->desc.head_dim_v; c++) value = fmax(value, fabs((double)v[c]));
        for (int64_t i = 0; i < reference_q_len(&p->args, b); i++) {
          const float *q = reference_q_row(&p->args, b, h, i);
          double dot = 0;
          for (int32_t c = 0; c < p->desc.head_dim_qk; c++) dot += (double)q[c] * (double)k[c];
          score = fmax(score, fabs(scale * dot));
        }
      }
  double loose = fmax(1, score / 4) * fmax(1, value / 4);
  return isfinite(loose) ? loose : 1;
}

/* Rows of a stored array in the order of problem_gather. */
static double *in_order(const problem *p, const npy_array *a, stored_order order, int32_t d) {
  size_t n = 0;
  double *x = malloc((problem_rows(p) * (size_t)d + 1) * sizeof *x);
  if (!x) exit(2);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++) {
        size_t row = express_row(p, order, p->desc.heads_q, p->args.q_len, b, h, i);
        for (int32_t c = 0; c < d; c++) x[n++] = npy_at(a, row * (size_t)d + (size_t)c);
      }
  return x;
}

/* [batch][head][query][key], as stored and as problem_gather has them. */
static double *in_order_scores(const npy_array *a, size_t n, const data_case *c) {
  double *x = malloc((n + 1) * sizeof *x);
  if (!x) exit(2);
  CHECK(a->count == n, "%s: %zu scores stored, %zu computed", c->name, a->count, n);
  for (size_t i = 0; i < n; i++) x[i] = i < a->count ? npy_at(a, i) : 0;
  return x;
}

static double stored_tolerance(const data_case *c) {
  double own = json_number(json_get(json_get(c->doc, "stored_minus_ref64"), "Y"), 0);
  return 1.01 * own + 1e-5;
}

static int compare(const data_case *c, const express_call *call, const char *isa) {
  const problem *p = &call->p;
  size_t n, rows = problem_rows(p), values = rows * (size_t)p->desc.head_dim_v;
  float *x = problem_gather(p, &n);
  double bound = 2e-6 * looseness(p);
  npy_array a;
  int ok = 1, compared = 0;
  if (data_file(c, "ref64_Y.npy", &a)) {
    double *want = in_order(p, &a, call->y, p->desc.head_dim_v);
    ok &= CHECK_CLOSE(x, want, values, bound, bound, "%s %s: ref64_Y", c->name, isa);
    compared = 1;
    free(want);
    npy_free(&a);
  }
  if (data_file(c, "ref64_lse.npy", &a)) {
    double *want = in_order(p, &a, STORED_BHSD, 1);
    ok &= CHECK_CLOSE(x + values, want, rows, bound, bound, "%s %s: ref64_lse", c->name, isa);
    free(want);
    npy_free(&a);
  }
  const char *convention = json_string(json_get(c->doc, "convention"), "");
  if (!strstr(convention, "finite fill") && data_array(c, "outputs", "Y", &a)) {
    double *want = in_order(p, &a, call->y, p->desc.head_dim_v), abs = stored_tolerance(c);
    ok &= CHECK_CLOSE(x, want, values, abs, abs, "%s %s: out_Y", c->name, isa);
    compared = 1;
    free(want);
    npy_free(&a);
  }
  size_t scores = problem_score_count(p);
  if (scores && data_array(c, "outputs", "qk_matmul_output", &a)) {
    double *want = in_order_scores(&a, scores, c);
    ok &= CHECK_CLOSE(x + n - scores, want, scores, 1e-5, 1e-5, "%s %s: scores", c->name, isa);
    free(want);
    npy_free(&a);
  }
  free(x);
  return ok & CHECK(compared, "%s has no result to compare with", c->name);
}

static void run_case(const data_case *c, void *arg) {
  tally *t = arg;
  express_call call;
  if (strcmp(json_string(json_get(c->doc, "op"), ""), "Softmax") == 0) {
    t->run++;
    t->softmax++;
    t->failed += !softmax_case(c);
    return;
  }
  const char *reason = express(c, &call);
  if (reason) {
    left_out(t, reason);
    CHECK(strcmp(reason, "incomplete case") != 0, "%s: %s", c->name, reason);
    return;
  }
  int ok = 1;
  FOR_EACH_ISA(isa) ok &= problem_run(&call.p, isa, NULL) && compare(c, &call, isa);
  t->scores += problem_score_count(&call.p) > 0;
  problem_free(&call.p);
  t->run++;
  t->failed += !ok;
}

static void run_set(const char *set, int at_least) {
  tally t = {0};
  if (!data_root()) SKIP("NO CONFORMANCE DATA: set RAPT_CONFORMANCE to its folder");
  int cases = data_each(set, run_case, &t);
  printf("  %s: %d cases: %d run (%d with scores, %d Softmax), %d failed, %d left:\n", set, cases,
         t.run, t.scores, t.softmax, t.failed, t.left);
  for (int i = 0; i < t.reasons; i++) printf("    %3d %s\n", t.count[i], t.reason[i]);
  CHECK(t.run >= at_least, "%s: only %d cases were run, %d can be", set, t.run, at_least);
}

RAPT_TEST(set_onnx) { run_set("onnx", 69); }
RAPT_TEST(set_onnx_strong) { run_set("onnx-strong", 57); }
RAPT_TEST(set_ort) { run_set("ort", 56); }
RAPT_TEST(set_executorch) { run_set("executorch", 14); }
RAPT_TEST(set_openvino) { run_set("openvino", 1); }
RAPT_TEST(set_candle) { run_set("candle", 0); }
