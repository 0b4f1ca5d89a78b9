/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Layers of other projects by rapt_mha: X W + b first (ProjectedAttention), biases on ready Q, K, V
 * (MultiHeadAttention, by unit matrices), whole layers captured in trained models. */
#include <math.h>

#include "attention/problem.h"
#include "data.h"

enum { MOST_FLOATS = 1 << 20, MOST_BATCH = 16 };

/* A layer and its one call; arrays are owned. */
typedef struct stored {
  int32_t batch, q_len, source_len, past, heads_q, heads_kv, dqk, dv;
  rapt_attention_desc attention;
  rapt_mha_desc desc;
  rapt_mha_args args;
  rapt_attention_args rules;
  rapt_mha_cache cache;
  int32_t lengths[MOST_BATCH];
  float *owned[24];
  int32_t n_owned;
} stored;

static float *own(stored *s, size_t n) {
  float *p = calloc(n + 1, sizeof *p);
  if (!p || s->n_owned == 24) exit(2);
  return s->owned[s->n_owned++] = p;
}

static float *own_array(stored *s, const npy_array *a) {
  float *p = own(s, a->count);
  for (size_t i = 0; i < a->count; i++) p[i] = (float)npy_at(a, i);
  return p;
}

static int has(const data_case *c, const char *role) {
  return data_entry(c, "inputs", role) != NULL;
}

static float *input(stored *s, const data_case *c, const char *role, npy_array *about) {
  npy_array a;
  if (!data_array(c, "inputs", role, &a)) return NULL;
  float *p = own_array(s, &a);
  if (about) memcpy(about, &a, sizeof a), about->data = NULL;
  npy_free(&a);
  return p;
}

static void strides2(int64_t stride[2], int32_t tokens, int32_t width) {
  stride[1] = width * (int64_t)sizeof(float);
  stride[0] = tokens * stride[1];
}

/* x, source: [batch][tokens][width]. */
static void set_x(stored *s, const float *x, int32_t width) {
  s->args.x = x;
  s->args.q_len = s->q_len;
  s->args.batch = s->batch;
  s->desc.embed_in = width;
  strides2(s->args.x_stride, s->q_len, width);
}

/* ---- Masks ------------------------------------------------------------------------------------------- */

/* Is key j visible to query i by the stored mask? Values as the operators define them. */
static int visible(const char *type, const npy_array *m, const float *mask, const stored *s,
                   int32_t b, int32_t i, int32_t j) {
  int32_t keys = s->past + (s->source_len ? s->source_len : s->q_len);
  if (!mask || strcmp(type, "MASK_NONE") == 0 || strcmp(type, "MASK_2D_DUMMY") == 0) return 1;
  if (strncmp(type, "MASK_1D_KEY_SEQ_LEN", 19) == 0) return j < (int32_t)mask[b];
  if (strcmp(type, "MASK_1D_END_START") == 0) {
    int32_t end = (int32_t)mask[b], start = (int32_t)mask[s->batch + b];
    return j >= start && j < end;
  }
  if (strcmp(type, "MASK_2D_KEY_PADDING") == 0) return mask[b * keys + j] != 0;
  if (strcmp(type, "MASK_3D_ATTENTION") == 0) return mask[(b * s->q_len + i) * keys + j] != 0;
  int32_t side = (int32_t)m->shape[3]; /* MASK_4D_MEGATRON */
  return mask[(s->past + i) * side + j] != 0;
}

/* Mask and bias as one additive mask. */
static void set_mask(stored *s, const data_case *c) {
  npy_array about = {.count = 0}, bias_about = {.count = 0};
  const char *type = json_string(json_get(json_get(c->doc, "attributes"), "mask_type"), "");
  const float *mask = input(s, c, has(c, "mask") ? "mask" : "key_padding_mask", &about);
  const float *bias = input(s, c, "attention_bias", &bias_about);
  int32_t keys = s->past + (s->source_len ? s->source_len : s->q_len);
  if (!mask && !bias) return;
  float *all = own(s, (size_t)s->batch * (size_t)s->heads_q * (size_t)s->q_len * (size_t)keys);
  int64_t at = 0;
  for (int32_t b = 0; b < s->batch; b++)
    for (int32_t h = 0; h < s->heads_q; h++)
      for (int32_t i = 0; i < s->q_len; i++)
        for (int32_t j = 0; j < keys; j++, at++) {
          int64_t bb = bias && bias_about.shape[0] > 1 ? b : 0;
          int64_t bh = bias && bias_about.shape[1] > 1 ? h : 0;
          if (bias)
            all[at] =
                bias[((bb * (bias ? bias_about.shape[1] : 1) + bh) * s->q_len + i) * keys + j];
          if (!visible(type, &about, mask, s, b, i, j)) all[at] = -INFINITY;
        }
  const int64_t f = (int64_t)sizeof(float);
  s->attention.mask = RAPT_MASK_F32;
  s->rules.size = sizeof s->rules;
  s->rules.mask = (rapt_mask){.data = all,
                              .stride = {(int64_t)s->heads_q * s->q_len * keys * f,
                                         (int64_t)s->q_len * keys * f, keys * f, f},
                              .extent = {s->batch, s->heads_q, s->q_len, keys}};
  s->args.attention = &s->rules;
}

/* ---- Cache -------------------------------------------------------------------------------------------- */

/* past [batch][heads][past][dim] into a cache [batch][heads][capacity][dim]. */
static void set_past(stored *s, const float *k, const float *v, int32_t past) {
  int32_t capacity = past + (s->source_len ? s->source_len : s->q_len);
  rapt_tensor *to[] = {&s->cache.k, &s->cache.v};
  const float *from[] = {k, v};
  s->past = past;
  for (int i = 0; i < 2; i++) {
    int32_t d = i ? s->dv : s->dqk;
    float *data = own(s, (size_t)s->batch * (size_t)s->heads_kv * (size_t)capacity * (size_t)d);
    for (int64_t bh = 0; bh < (int64_t)s->batch * s->heads_kv; bh++)
      memcpy(data + bh * capacity * d, from[i] + bh * past * d,
             (size_t)past * (size_t)d * sizeof(float));
    int64_t row = d * (int64_t)sizeof(float);
    *to[i] = (rapt_tensor){data, {s->heads_kv * capacity * row, capacity * row, row}};
  }
  for (int32_t b = 0; b < s->batch; b++) s->lengths[b] = past;
  s->cache.size = sizeof s->cache;
  s->cache.capacity = capacity;
  s->cache.lengths = s->lengths;
  s->args.cache = &s->cache;
}

/* ---- Operators ------------------------------------------------------------------------------------------ */

static void begin(stored *s, const data_case *c) {
  memset(s, 0, sizeof *s);
  s->heads_q = s->heads_kv = (int32_t)data_number(c, "num_heads", 1);
  s->attention.size = sizeof s->attention;
  s->desc.size = sizeof s->desc;
  s->args.size = sizeof s->args;
  s->desc.attention = &s->attention;
}

static void finish(stored *s, const data_case *c) {
  s->attention.heads_q = s->heads_q;
  s->attention.heads_kv = s->heads_kv;
  s->attention.head_dim_qk = s->dqk;
  s->attention.head_dim_v = s->dv;
  double scale = data_number(c, "scale", 0);
  if (scale != 0) s->attention.flags |= RAPT_SCALE_LITERAL, s->attention.scale = (float)scale;
  if (data_number(c, "causal", 0) != 0) {
    s->attention.flags |= RAPT_CAUSAL;
    s->attention.align = RAPT_ALIGN_BOTTOM_RIGHT;
  }
  set_mask(s, c);
}

static void projected(stored *s, const data_case *c) {
  npy_array x, w, past;
  const json *sizes = json_get(json_get(c->doc, "attributes"), "qkv_sizes");
  begin(s, c);
  const float *rows = input(s, c, "X", &x);
  s->desc.wqkv.data = input(s, c, "W", &w);
  s->desc.wqkv.bias = input(s, c, "bias", NULL);
  s->batch = (int32_t)x.shape[0];
  s->q_len = (int32_t)x.shape[1];
  s->dqk = (int32_t)json_integer(json_at(sizes, 0), 0) / s->heads_q;
  s->dv = (int32_t)json_integer(json_at(sizes, 2), 0) / s->heads_q;
  set_x(s, rows, (int32_t)x.shape[2]);
  const float *kv = input(s, c, "past", &past);
  if (kv) set_past(s, kv, kv + past.count / 2, (int32_t)past.shape[3]);
  finish(s, c);
}

/* [in][out] that copies `out` channels beginning with `first`. */
static const float *unit(stored *s, int32_t in, int32_t first, int32_t out) {
  float *w = own(s, (size_t)in * (size_t)out);
  for (int32_t o = 0; o < out; o++) w[(int64_t)(first + o) * out + o] = 1;
  return w;
}

static void biased(stored *s, const data_case *c) {
  npy_array q, k, v, past;
  begin(s, c);
  const float *rows = input(s, c, "Q", &q), *keys = input(s, c, "K", &k);
  const float *values = input(s, c, "V", &v), *bias = input(s, c, "bias", NULL);
  s->batch = (int32_t)q.shape[0];
  s->q_len = (int32_t)q.shape[1];
  s->source_len = (int32_t)k.shape[1];
  const int32_t wq = (int32_t)q.shape[2], wk = (int32_t)k.shape[2], wv = (int32_t)v.shape[2];
  s->dqk = wq / s->heads_q;
  s->dv = wv / s->heads_q;
  set_x(s, rows, wq);
  float *source = own(s, k.count + v.count); /* K and V side by side */
  for (int64_t t = 0; t < (int64_t)s->batch * s->source_len; t++) {
    memcpy(source + t * (wk + wv), keys + t * wk, (size_t)wk * sizeof(float));
    memcpy(source + t * (wk + wv) + wk, values + t * wv, (size_t)wv * sizeof(float));
  }
  s->args.source = source;
  s->args.source_len = s->source_len;
  s->desc.embed_source = wk + wv;
  strides2(s->args.source_stride, s->source_len, wk + wv);
  s->desc.wq = (rapt_weights){.data = unit(s, wq, 0, wq), .bias = bias};
  s->desc.wk = (rapt_weights){.data = unit(s, wk + wv, 0, wk), .bias = bias ? bias + wq : NULL};
  s->desc.wv = (rapt_weights){.data = unit(s, wk + wv, wk, wv),
                              .bias = bias ? bias + wq + wk : NULL};
  const float *past_k = input(s, c, "past_key", &past), *past_v = input(s, c, "past_value", NULL);
  if (past_k && past_v) set_past(s, past_k, past_v, (int32_t)past.shape[2]);
  finish(s, c);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

/* Both ways to hold the weights; ref: float64 of out. */
static int run(stored *s, const data_case *c, const double *ref, size_t n, double abs, double rel) {
  static float out[MOST_FLOATS];
  int32_t width = (int32_t)(n / ((size_t)s->batch * (size_t)s->q_len));
  int ok = CHECK(n <= MOST_FLOATS, "%s: %zu numbers", c->name, n);
  s->args.out = out;
  strides2(s->args.out_stride, s->q_len, width);
  for (uint32_t borrow = 0; ok && borrow < 2; borrow++) FOR_EACH_ISA(isa) {
      rapt_error error = {.size = sizeof error};
      rapt_workspace_info info = {.size = sizeof info};
      rapt_mha *mha = NULL;
      s->attention.isa = isa;
      s->desc.flags = borrow ? RAPT_MHA_BORROW : 0;
      rapt_status status = rapt_mha_create(&s->desc, &mha, &error);
      if (!status)
        status = rapt_mha_workspace(mha, &s->args, rapt_default_workers(), &info, &error);
      guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
      if (!status)
        status = rapt_mha_forward(mha, &s->args, workspace.data, workspace.bytes, NULL, &error);
      ok &= CHECK(!status, "%s %s: %s %s", c->name, isa, error.field, error.message);
      if (!status)
        ok &= CHECK_CLOSE(out, ref, n, abs, rel, "%s %s borrow %u", c->name, isa, borrow);
      ok &= CHECK(guard_free(&workspace), "%s: beside the workspace", c->name);
      rapt_mha_destroy(mha);
    }
  for (int32_t i = 0; i < s->n_owned; i++) free(s->owned[i]);
  return ok;
}

static double *doubles(const npy_array *a) {
  double *x = malloc((a->count + 1) * sizeof *x);
  if (!x) exit(2);
  for (size_t i = 0; i < a->count; i++) x[i] = npy_at(a, i);
  return x;
}

typedef struct tally {
  int run, failed, rotary;
} tally;

static void run_operator(const data_case *c, void *arg) {
  tally *t = arg;
  const char *op = json_string(json_get(c->doc, "op"), "");
  int is_projected = strcmp(op, "ProjectedAttention") == 0;
  if (!is_projected && strcmp(op, "MultiHeadAttention") != 0) return;
  stored s;
  npy_array ref;
  if (!CHECK(data_file(c, "ref64_Y.npy", &ref), "%s: no ref64_Y", c->name)) return;
  if (is_projected)
    projected(&s, c);
  else
    biased(&s, c);
  rapt_rope *rope = NULL;
  if (json_get(json_get(c->doc, "attributes"), "rotary")) { /* halves, base 10000 */
    rapt_rope_desc desc = {.size = sizeof desc, .head_dim = s.dqk};
    CHECK(rapt_rope_create(&desc, &rope, NULL) == RAPT_OK, "%s: rope", c->name);
    s.desc.rope = rope;
    t->rotary++;
  }
  double *want = doubles(&ref);
  t->run++;
  t->failed += !run(&s, c, want, ref.count, 5e-6, 5e-6);
  free(want);
  rapt_rope_destroy(rope);
  npy_free(&ref);
}

RAPT_TEST(layer_operators_ort) {
  tally t = {0, 0, 0};
  if (!data_root()) SKIP("NO CONFORMANCE DATA: set RAPT_CONFORMANCE to its folder");
  data_each("ort", run_operator, &t);
  printf("  ort: %d layers run (%d rotary), %d failed\n", t.run, t.rotary, t.failed);
  CHECK(t.run >= 40, "only %d layers were run", t.run);
}

/* ---- Whole layers ---------------------------------------------------------------------------------------- */

static const float *file(stored *s, const data_case *c, const char *name, npy_array *about) {
  npy_array a;
  if (!data_file(c, name, &a)) return NULL;
  const float *p = own_array(s, &a);
  if (about) memcpy(about, &a, sizeof a), about->data = NULL;
  npy_free(&a);
  return p;
}

/* The stored tables are [position][pair]. */
static rapt_rope *stored_rope(stored *s, const data_case *c, rapt_rope_table *table) {
  npy_array about;
  rapt_rope_desc desc = {.size = sizeof desc, .head_dim = s->dqk, .flags = RAPT_ROPE_INTERLEAVED};
  rapt_rope *rope = NULL;
  const float *cosines = file(s, c, "rope_cos.npy", &about);
  const float *sines = file(s, c, "rope_sin.npy", NULL);
  if (!cosines || !sines) return NULL;
  CHECK(rapt_rope_create(&desc, &rope, NULL) == RAPT_OK, "%s: rope", c->name);
  *table = (rapt_rope_table){.size = sizeof *table,
                             .count = (int32_t)about.shape[0],
                             .cos = cosines,
                             .sin = sines,
                             .stride = about.shape[1] * (int64_t)sizeof(float)};
  s->desc.rope = rope;
  s->args.rope_table = table;
  return rope;
}

static void run_layer(const data_case *c, void *arg) {
  tally *t = arg;
  if (strcmp(json_string(json_get(c->doc, "kind"), ""), "layer") != 0) return;
  stored s;
  npy_array x, ref;
  rapt_rope_table table;
  begin(&s, c);
  const float *rows = file(&s, c, "x.npy", &x);
  if (!CHECK(rows && data_file(c, "ref64.npy", &ref), "%s is incomplete", c->name)) return;
  s.batch = (int32_t)x.shape[0];
  s.q_len = (int32_t)x.shape[1];
  s.heads_q = (int32_t)json_integer(json_get(c->doc, "heads"), 0);
  s.heads_kv = (int32_t)json_integer(json_get(c->doc, "kv_heads"), 0);
  s.dqk = s.dv = (int32_t)json_integer(json_get(c->doc, "head_dim"), 0);
  set_x(&s, rows, (int32_t)x.shape[2]);
  s.desc.wq = (rapt_weights){file(&s, c, "wq.npy", NULL), 0, file(&s, c, "bq.npy", NULL)};
  s.desc.wk = (rapt_weights){file(&s, c, "wk.npy", NULL), 0, file(&s, c, "bk.npy", NULL)};
  s.desc.wv = (rapt_weights){file(&s, c, "wv.npy", NULL), 0, file(&s, c, "bv.npy", NULL)};
  s.desc.wo = (rapt_weights){file(&s, c, "wo.npy", NULL), 0, file(&s, c, "bo.npy", NULL)};
  finish(&s, c);
  s.attention.flags |= RAPT_SCALE_LITERAL;
  s.attention.scale = (float)json_number(json_get(c->doc, "scale"), 0);
  if (json_integer(json_get(c->doc, "causal"), 0)) {
    s.attention.flags |= RAPT_CAUSAL;
    s.attention.align = RAPT_ALIGN_BOTTOM_RIGHT;
  }
  rapt_rope *rope = stored_rope(&s, c, &table);
  t->rotary += rope != NULL;
  double *want = doubles(&ref), largest = 1;
  for (size_t i = 0; i < ref.count; i++) largest = fmax(largest, fabs(want[i]));
  t->run++;
  t->failed += !run(&s, c, want, ref.count, 2e-6 * largest, 2e-6);
  free(want);
  rapt_rope_destroy(rope);
  npy_free(&ref);
}

RAPT_TEST(layer_captured) {
  tally t = {0, 0, 0};
  if (!data_root()) SKIP("NO CONFORMANCE DATA: set RAPT_CONFORMANCE to its folder");
  data_each("real/npm", run_layer, &t);
  data_each("real/public", run_layer, &t);
  printf("  real: %d layers run (%d rotary), %d failed\n", t.run, t.rotary, t.failed);
  CHECK(t.run == 3 && t.rotary == 1, "%d layers were run, %d rotary", t.run, t.rotary);
}
