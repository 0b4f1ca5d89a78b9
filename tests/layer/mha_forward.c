/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whole layers without a cache against float64: weights in all their forms, ragged batches, cross
 * attention. */
#include "mha_case.h"

/* x and out of a call between guard pages: rows `gap` floats apart, NaN wherever there is no token. */
typedef struct rows {
  guard_buffer buffer;
  int64_t stride; /* floats */
  int32_t tokens;
} rows;

static rows rows_make(int32_t batch, int32_t tokens, int32_t width, int32_t gap) {
  rows x = {.stride = width + gap, .tokens = tokens};
  size_t n = (size_t)batch * (size_t)tokens * (size_t)x.stride;
  x.buffer = guard_floats(n ? n - (size_t)gap : 0, GUARD_END);
  return x;
}

static float *row_of(const rows *x, int32_t b, int64_t t) {
  return (float *)x->buffer.data + ((int64_t)b * x->tokens + t) * x->stride;
}

static void set_strides(const rows *x, int64_t stride[2]) {
  stride[1] = x->stride * (int64_t)sizeof(float);
  stride[0] = x->tokens * stride[1];
}

static int32_t len_of(const int32_t *lens, int32_t len, int32_t b) { return lens ? lens[b] : len; }

static void fill(rows *x, const int32_t *lens, int32_t batch, int32_t width, rng *r) {
  for (int32_t b = 0; b < batch; b++)
    for (int32_t t = 0; t < len_of(lens, x->tokens, b); t++)
      rng_fill_normal(r, row_of(x, b, t), (size_t)width, 1);
}

/* One forward on a case that is made here, compared row by row. */
static void verify(mha_case *c, int32_t batch, int32_t q_len, const int32_t *q_lens,
                   int32_t source_len, const int32_t *source_lens, const char *what) {
  rng r = rng_make(rapt_test_seed());
  if (mha_case_create(c, &r)) {
    int32_t width = mha_case_width(c);
    rows x = rows_make(batch, q_len, c->embed_in, c->gap);
    rows source = rows_make(batch, source_len, c->embed_source, c->gap);
    rows out = rows_make(batch, q_len, width, c->gap);
    fill(&x, q_lens, batch, c->embed_in, &r);
    fill(&source, source_lens, batch, c->embed_source, &r);
    rapt_mha_args args = {.size = sizeof args,
                          .batch = batch,
                          .q_len = q_len,
                          .q_lens = q_lens,
                          .source_len = source_len,
                          .source_lens = source_lens,
                          .x = x.buffer.data,
                          .out = out.buffer.data};
    if (source_len) args.source = source.buffer.data;
    set_strides(&x, args.x_stride);
    set_strides(&source, args.source_stride);
    set_strides(&out, args.out_stride);
    rapt_error error = {.size = sizeof error};
    CHECK(mha_case_run(c, &args, NULL, &error) == RAPT_OK, "%s: %s %s", what, error.field,
          error.message);
    double *ref = malloc(((size_t)q_len * (size_t)width + 1) * sizeof *ref);
    for (int32_t b = 0; ref && b < batch && !rapt_test_failed(); b++) {
      int32_t n = len_of(q_lens, q_len, b);
      if (source_len)
        mha_case_reference(c, row_of(&x, b, 0), x.stride, n, row_of(&source, b, 0), source.stride,
                           len_of(source_lens, source_len, b), ref);
      else
        mha_case_reference(c, row_of(&x, b, 0), x.stride, n, row_of(&x, b, 0), x.stride, n, ref);
      mha_case_compare(c, row_of(&out, b, 0), out.stride, n, ref, what);
      for (int64_t t = n; t < q_len; t++) /* rows that do not exist */
        CHECK_UNTOUCHED(row_of(&out, b, t), (size_t)width * sizeof(float), "%s: padding", what);
    }
    free(ref);
    CHECK(guard_free(&x.buffer) & guard_free(&source.buffer) & guard_free(&out.buffer),
          "%s: wrote beside a tensor", what);
  }
  mha_case_destroy(c);
}

/* Both layouts, separate or side by side, with biases and gaps, copied or borrowed. */
RAPT_TEST(mha_weights_in_all_forms) {
  for (int form = 0; form < 64 && !rapt_test_failed(); form++) {
    mha_case c = {.embed_in = 24,
                  .heads_q = 4,
                  .heads_kv = 2,
                  .dqk = 8,
                  .dv = 6,
                  .layout = form & 1,
                  .fused = form >> 1 & 1,
                  .bias = form >> 2 & 1,
                  .borrow = form >> 3 & 1,
                  .no_output = form >> 4 & 1,
                  .gap = form >> 5 & 1 ? 3 : 0};
    char what[80];
    snprintf(what, sizeof what, "layout %d fused %d bias %d borrow %d no output %d gap %d",
             c.layout, c.fused, c.bias, c.borrow, c.no_output, c.gap);
    verify(&c, 2, 5, NULL, 0, NULL, what);
  }
}

/* Lengths around the tiles, with one row too (another path), and widths beyond them. */
RAPT_TEST(mha_shapes) {
  static const int32_t shapes[][6] = {
      /* q_len, embed, heads_q, heads_kv, dqk, dv */
      {1, 40, 4, 4, 10, 10},   {2, 40, 4, 4, 10, 10},   {63, 33, 3, 1, 11, 7},
      {64, 64, 2, 2, 32, 32},  {65, 130, 2, 1, 65, 3},  {129, 70, 9, 3, 16, 24},
      {200, 48, 5, 5, 40, 40}, {1, 600, 12, 4, 80, 48}, {3, 700, 1, 1, 513, 257},
      {1, 2100, 2, 2, 300, 1}, {0, 16, 2, 2, 8, 8}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !rapt_test_failed(); i++)
    for (int layout = 0; layout < 2; layout++) {
      const int32_t *s = shapes[i];
      mha_case c = {.embed_in = s[1],
                    .heads_q = s[2],
                    .heads_kv = s[3],
                    .dqk = s[4],
                    .dv = s[5],
                    .bias = 1,
                    .layout = layout,
                    .borrow = 1,
                    .embed_out = s[1] + 5,
                    .attention_flags = RAPT_CAUSAL,
                    .align = RAPT_ALIGN_BOTTOM_RIGHT};
      char what[80];
      snprintf(what, sizeof what, "q_len %d embed %d heads %d/%d dims %d/%d layout %d", s[0], s[1],
               s[2], s[3], s[4], s[5], layout);
      verify(&c, 2, s[0], NULL, 0, NULL, what);
    }
}

/* Sequences of no, one and many rows side by side. */
RAPT_TEST(mha_ragged) {
  static const int32_t lens[] = {1, 70, 0, 2, 1, 9, 1, 64}, source[] = {3, 0, 5, 1, 66, 2, 1, 1};
  mha_case c = {.embed_in = 50,
                .heads_q = 6,
                .heads_kv = 2,
                .dqk = 12,
                .dv = 12,
                .bias = 1,
                .gap = 2,
                .attention_flags = RAPT_CAUSAL,
                .align = RAPT_ALIGN_BOTTOM_RIGHT};
  verify(&c, 8, 70, lens, 0, NULL, "self");
  mha_case cross = {.embed_in = 50,
                    .embed_source = 31,
                    .embed_out = 20,
                    .heads_q = 6,
                    .heads_kv = 2,
                    .dqk = 12,
                    .dv = 5,
                    .bias = 1,
                    .layout = RAPT_WEIGHTS_OUT_IN};
  verify(&cross, 8, 70, lens, 66, source, "cross");
}

/* Packed tokens give the bits of the padded batch. */
RAPT_TEST(mha_packed_equals_padded) {
  enum { BATCH = 4, LONG = 40, EMBED = 30, FIRST = 3 };
  static const int32_t lens[BATCH] = {5, 1, 0, LONG};
  static const int32_t offsets[BATCH + 1] = {FIRST, FIRST + 5, FIRST + 6, FIRST + 6,
                                             FIRST + 6 + LONG};
  static float x[BATCH][LONG][EMBED], out[BATCH][LONG][EMBED];
  static float packed[FIRST + 6 + LONG][EMBED], packed_out[FIRST + 6 + LONG][EMBED];
  rng r = rng_make(rapt_test_seed());
  mha_case c = {.embed_in = EMBED,
                .heads_q = 3,
                .heads_kv = 3,
                .dqk = 10,
                .dv = 10,
                .bias = 1,
                .attention_flags = RAPT_CAUSAL,
                .align = RAPT_ALIGN_TOP_LEFT};
  if (mha_case_create(&c, &r)) {
    rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
    for (int32_t b = 0; b < BATCH; b++)
      memcpy(packed[offsets[b]], x[b], (size_t)lens[b] * sizeof x[0][0]);
    rapt_mha_args args = {.size = sizeof args,
                          .batch = BATCH,
                          .q_len = LONG,
                          .q_lens = lens,
                          .x = &x[0][0][0],
                          .out = &out[0][0][0],
                          .x_stride = {sizeof x[0], sizeof x[0][0]},
                          .out_stride = {sizeof out[0], sizeof out[0][0]}};
    CHECK(mha_case_run(&c, &args, NULL, NULL) == RAPT_OK, "padded");
    args.q_lens = NULL;
    args.q_offsets = offsets;
    args.x = &packed[0][0];
    args.out = &packed_out[0][0];
    CHECK(mha_case_run(&c, &args, NULL, NULL) == RAPT_OK, "packed");
    for (int32_t b = 0; b < BATCH; b++)
      CHECK_BITS(&packed_out[offsets[b]][0], &out[b][0][0], (size_t)lens[b] * EMBED, "sequence %d",
                 b);
  }
  mha_case_destroy(&c);
}

/* out in the place of x. */
RAPT_TEST(mha_in_place) {
  enum { N = 70, EMBED = 32 };
  static float x[N][EMBED], out[N][EMBED];
  rng r = rng_make(rapt_test_seed());
  mha_case c = {.embed_in = EMBED, .heads_q = 2, .heads_kv = 2, .dqk = 16, .dv = 16};
  if (mha_case_create(&c, &r)) {
    rng_fill_normal(&r, &x[0][0], sizeof x / sizeof(float), 1);
    rapt_mha_args args = {.size = sizeof args,
                          .batch = 1,
                          .q_len = N,
                          .x = &x[0][0],
                          .out = &out[0][0],
                          .x_stride = {0, sizeof x[0]},
                          .out_stride = {0, sizeof x[0]}};
    CHECK(mha_case_run(&c, &args, NULL, NULL) == RAPT_OK, "apart");
    args.out = &x[0][0];
    CHECK(mha_case_run(&c, &args, NULL, NULL) == RAPT_OK, "in place");
    CHECK_BITS(&x[0][0], &out[0][0], sizeof x / sizeof(float), "in place");
  }
  mha_case_destroy(&c);
}
