/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors captured inside trained models: self, causal, grouped, cross, decode and ragged attention,
 * against float64 and against the captured output. */
#include <math.h>

#include "express.h"

typedef struct arrays {
  npy_array q, k, v, out, klen, qlen, ref;
} arrays;

typedef struct tally {
  int run, failed, layers;
} tally;

static void copy_all(const npy_array *a, float *to) {
  for (size_t i = 0; i < a->count; i++) to[i] = (float)npy_at(a, i);
}

/* Rows that exist, in the order of problem_gather, of an array [B][H][Sq][d]. */
static double *valid_rows(const problem *p, const npy_array *a) {
  size_t n = 0, d = (size_t)p->desc.head_dim_v;
  double *x = malloc((problem_rows(p) * d + 1) * sizeof *x);
  if (!x) exit(2);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++)
        for (size_t c = 0; c < d; c++)
          x[n++] = npy_at(
              a, express_row(p, STORED_BHSD, p->desc.heads_q, p->args.q_len, b, h, i) * d + c);
  return x;
}

/* Captured activations are larger than unit-normal: largest score and value, from the case itself. */
static double looseness(const data_case *c, const arrays *a) {
  double score = json_number(json_get(json_get(c->doc, "stats"), "max_abs_score"), 1), value = 0;
  for (size_t i = 0; i < a->v.count; i++) value = fmax(value, fabs(npy_at(&a->v, i)));
  return fmax(1, score / 4) * fmax(1, value / 4);
}

static int check_case(const data_case *c, const arrays *a, problem *p) {
  double loose = looseness(c, a), bound = 2e-6 * loose;
  double captured = json_number(json_get(json_get(c->doc, "captured_vs_ref64"), "max_abs"), 0);
  size_t n, values = problem_rows(p) * (size_t)p->desc.head_dim_v;
  double *out = valid_rows(p, &a->out), *ref = a->ref.count ? valid_rows(p, &a->ref) : NULL;
  int ok = 1;
  p->loose = loose;
  FOR_EACH_ISA(isa) {
    if (!problem_run(p, isa, NULL)) {
      ok = 0;
      continue;
    }
    float *x = problem_gather(p, &n);
    ok &= problem_compare(p, isa, c->name);
    if (ref) ok &= CHECK_CLOSE(x, ref, values, bound, bound, "%s %s: ref64", c->name, isa);
    ok &= CHECK_CLOSE(x, out, values, 2 * captured + bound, bound, "%s %s: out", c->name, isa);
    free(x);
  }
  free(ref);
  free(out);
  return ok;
}

static int run_arrays(const data_case *c, const arrays *a) {
  int32_t q_lens[EXPRESS_MAX_BATCH], kv_lens[EXPRESS_MAX_BATCH], positions[EXPRESS_MAX_BATCH];
  const int64_t *q = a->q.shape, *k = a->k.shape;
  if (!CHECK(q[0] <= EXPRESS_MAX_BATCH, "%s: batch of %lld", c->name, (long long)q[0])) return 0;
  problem p = problem_make((int32_t)q[1], (int32_t)k[1], (int32_t)q[3], (int32_t)a->v.shape[3],
                           (int32_t)q[0], (int32_t)q[2], (int32_t)k[2]);
  p.desc.flags = RAPT_SCALE_LITERAL;
  p.desc.scale = (float)json_number(json_get(c->doc, "scale"), 0);
  if (json_integer(json_get(c->doc, "q_is_scaled"), 0)) p.desc.scale = 1;
  if (json_integer(json_get(c->doc, "causal"), 0)) {
    p.desc.flags |= RAPT_CAUSAL;
    p.desc.align = RAPT_ALIGN_OFFSET;
    p.args.q_positions = positions;
  }
  for (int32_t b = 0; b < p.args.batch; b++) {
    positions[b] = (int32_t)json_integer(json_get(c->doc, "first_query_position"), 0);
    if (a->klen.count) kv_lens[b] = (int32_t)npy_at(&a->klen, (size_t)b);
    if (a->qlen.count) q_lens[b] = (int32_t)npy_at(&a->qlen, (size_t)b);
  }
  if (a->klen.count) p.args.kv_lens = kv_lens;
  if (a->qlen.count) p.args.q_lens = q_lens;
  problem_allocate(&p); /* BHSD without gaps: the stored order */
  copy_all(&a->q, p.buffer[TENSOR_Q].data);
  copy_all(&a->k, p.buffer[TENSOR_K].data);
  copy_all(&a->v, p.buffer[TENSOR_V].data);
  int ok = check_case(c, a, &p);
  problem_free(&p);
  return ok;
}

static void run_case(const data_case *c, void *arg) {
  tally *t = arg;
  if (strcmp(json_string(json_get(c->doc, "kind"), ""), "layer") == 0) {
    t->layers++;
    return;
  }
  arrays a;
  npy_array *all[] = {&a.q, &a.k, &a.v, &a.out, &a.klen, &a.qlen, &a.ref};
  static const char *const files[] = {"q.npy",    "k.npy",    "v.npy",    "out.npy",
                                      "klen.npy", "qlen.npy", "ref64.npy"};
  int complete = 1;
  for (int i = 0; i < 7; i++) complete &= data_file(c, files[i], all[i]) || i > 3;
  if (test_small() && (size_t)a.q.shape[2] * a.k.count > 200000) complete = -1;
  if (complete == 1) {
    t->run++;
    t->failed += !run_arrays(c, &a);
  }
  CHECK(complete, "%s is incomplete", c->name);
  for (int i = 0; i < 7; i++) npy_free(all[i]);
}

static void run_real(const char *set, int at_least) {
  tally t = {0, 0, 0};
  if (!data_root()) SKIP("NO CONFORMANCE DATA: set RAPT_CONFORMANCE to its folder");
  int cases = data_each(set, run_case, &t);
  printf("  %s: %d cases: %d run, %d failed, %d not yet expressible (whole layers)\n", set, cases,
         t.run, t.failed, t.layers);
  CHECK(test_small() || t.run >= at_least, "%s: only %d cases were run", set, t.run);
}

RAPT_TEST(set_real_npm) { run_real("real/npm", 6); }
RAPT_TEST(set_real_public) { run_real("real/public", 18); }
