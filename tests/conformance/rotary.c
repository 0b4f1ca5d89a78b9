/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RotaryEmbedding cases of other projects: their own cosines and sines as a table, every level, in place
 * and out of place; and what bug reports say of rotary positions. */
#include "data.h"
#include "layer/rotary.h"

typedef struct rotary_input {
  npy_array x, cosines, sines, ids;
  int has_ids;
  int32_t batch, heads, tokens, dim, rotary;
  int bhsd;
} rotary_input;

static int load(const data_case *c, rotary_input *in) {
  int ok = data_array(c, "inputs", "X", &in->x) &&
           data_array(c, "inputs", "cos_cache", &in->cosines) &&
           data_array(c, "inputs", "sin_cache", &in->sines);
  if (!CHECK(ok, "%s: an input is missing", c->name)) return 0;
  in->has_ids = data_array(c, "inputs", "position_ids", &in->ids);
  in->bhsd = in->x.dims == 4;
  in->batch = (int32_t)in->x.shape[0];
  in->rotary = 2 * (int32_t)in->cosines.shape[in->cosines.dims - 1];
  if (in->bhsd) {
    in->heads = (int32_t)in->x.shape[1];
    in->tokens = (int32_t)in->x.shape[2];
    in->dim = (int32_t)in->x.shape[3];
  } else {
    in->heads = (int32_t)data_number(c, "num_heads", 1);
    in->tokens = (int32_t)in->x.shape[1];
    in->dim = (int32_t)in->x.shape[2] / in->heads;
  }
  const double said = data_number(c, "rotary_embedding_dim", 0);
  return CHECK(said == 0 || said == in->rotary, "%s: rotary_embedding_dim %g, tables of %d",
               c->name, said, in->rotary) &&
         CHECK(in->x.dtype[0] == 'f' && in->x.item == 4, "%s: %s", c->name, in->x.dtype);
}

static void unload(rotary_input *in) {
  npy_free(&in->x);
  npy_free(&in->cosines);
  npy_free(&in->sines);
  if (in->has_ids) npy_free(&in->ids);
}

/* Without ids the tables hold a row per token of each sequence; one id is the position of token 0. */
static void fill_positions(const rotary_input *in, int32_t *positions) {
  for (int32_t b = 0; b < in->batch; b++)
    for (int32_t t = 0; t < in->tokens; t++) {
      const int32_t at = b * in->tokens + t;
      positions[at] = !in->has_ids         ? at
                      : in->ids.count == 1 ? (int32_t)npy_at(&in->ids, 0) + t
                                           : (int32_t)npy_at(&in->ids, (size_t)at);
    }
}

static float *floats_of(const npy_array *a) {
  float *x = malloc((a->count + 1) * sizeof *x);
  if (!x) exit(2);
  for (size_t i = 0; i < a->count; i++) x[i] = (float)npy_at(a, i);
  return x;
}

static void compare_with(const data_case *c, const npy_array *want, const float *y, double abs,
                         double rel, const char *what) {
  double *ref = malloc((want->count + 1) * sizeof *ref);
  if (!ref) exit(2);
  for (size_t i = 0; i < want->count; i++) ref[i] = npy_at(want, i);
  CHECK_CLOSE(y, ref, want->count, abs, rel, "%s: %s", c->name, what);
  free(ref);
}

static void compare(const data_case *c, const float *y, const char *what) {
  npy_array want;
  int compared = 0;
  if (data_file(c, "ref64_Y.npy", &want)) {
    compare_with(c, &want, y, 2e-6, 0, what);
    npy_free(&want);
    compared = 1;
  }
  if (data_array(c, "outputs", "Y", &want)) {
    const double own = json_number(json_get(json_get(c->doc, "stored_minus_ref64"), "Y"), 0);
    compare_with(c, &want, y, 1.01 * own + 2e-6, 1.01 * own, what);
    npy_free(&want);
    compared = 1;
  }
  CHECK(compared, "%s has no result to compare with", c->name);
}

static void run_case(const data_case *c, void *arg) {
  rotary_input in = {.dim = 0};
  if (strcmp(json_string(json_get(c->doc, "op"), ""), "RotaryEmbedding") != 0) return;
  ++*(int *)arg;
  if (!load(c, &in)) return;
  int32_t *positions = malloc((size_t)(in.batch * in.tokens) * sizeof *positions);
  float *x = floats_of(&in.x), *y = floats_of(&in.x);
  float *cosines = floats_of(&in.cosines), *sines = floats_of(&in.sines);
  if (!positions) exit(2);
  fill_positions(&in, positions);
  const rapt_rope_table table = {.size = sizeof table,
                                 .count = (int32_t)in.cosines.count / (in.rotary / 2),
                                 .cos = cosines,
                                 .sin = sines,
                                 .stride = 2 * in.rotary};
  const int64_t row = 4 * (int64_t)in.dim;
  rapt_rope_args args = {
      .size = sizeof args,
      .batch = in.batch,
      .heads = in.heads,
      .tokens = in.tokens,
      .positions = positions,
      .table = &table,
      .x = {.data = x,
            .stride = {row * in.heads * in.tokens, in.bhsd ? row * in.tokens : row,
                       in.bhsd ? row : row * in.heads}},
      .y.data = y};
  memcpy(args.y.stride, args.x.stride, sizeof args.x.stride);
  FOR_EACH_ISA(isa) {
    rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = in.dim,
                                                     .rotary_dims = in.rotary,
                                                     .flags = data_number(c, "interleaved", 0) != 0
                                                                  ? RAPT_ROPE_INTERLEAVED
                                                                  : 0},
                                    isa);
    if (!rope) break;
    memset(y, 0xff, in.x.count * sizeof *y);
    args.x.data = x;
    if (rotary_run(rope, &args)) compare(c, y, isa);
    memcpy(y, x, in.x.count * sizeof *y);
    args.x.data = y;
    if (rotary_run(rope, &args)) compare(c, y, isa);
    rapt_rope_destroy(rope);
  }
  free(positions);
  free(x);
  free(y);
  free(cosines);
  free(sines);
  unload(&in);
}

static void run_set(const char *set, int cases) {
  int run = 0;
  if (!data_root()) SKIP("NO CONFORMANCE DATA: set RAPT_CONFORMANCE to its folder");
  data_each(set, run_case, &run);
  printf("  %s: %d cases\n", set, run);
  CHECK(run == cases, "%s: %d RotaryEmbedding cases, there should be %d", set, run, cases);
}

RAPT_TEST(rotary_onnx) { run_set("onnx", 5); }
RAPT_TEST(rotary_onnx_strong) { run_set("onnx-strong", 0); } /* it has none yet */
RAPT_TEST(rotary_ort) { run_set("ort", 9); }

/* huggingface/candle#3520: angles rounded to the storage type. Position 15962 of the first pair, and one
 * beyond what a float16 or bfloat16 can count to. */
RAPT_TEST(bug_rotary_position_is_an_integer) {
  static const int32_t positions[] = {15962, 1000000};
  static const double want[2][2] = {{-0.9080159, 0.4189357}, {0.93675213, -0.34999350}};
  FOR_EACH_ISA(isa)
  for (int i = 0; i < 2; i++) {
    rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = 2}, isa);
    if (!rope) return;
    float x[2] = {1, 0};
    rapt_rope_args args = {.size = sizeof args,
                           .batch = 1,
                           .heads = 1,
                           .tokens = 1,
                           .positions = &positions[i],
                           .x.data = x,
                           .y.data = x};
    if (rotary_run(rope, &args))
      CHECK_CLOSE(x, want[i], 2, 1e-7, 0, "%s: position %d", isa, positions[i]);
    rapt_rope_destroy(rope);
  }
}

/* microsoft/onnxruntime#27170 and the rejections beside the data: a position behind the table's end is an
 * argument error, however large the cache is; within it, it is not. */
RAPT_TEST(bug_rotary_position_beyond_the_table) {
  float x[16] = {0}, memory[16 * 16];
  rapt_rope_table table = {.size = sizeof table};
  rapt_error error = {.size = sizeof error};
  rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = 16}, NULL);
  if (!rope) return;
  const rapt_rope_args good = {.size = sizeof good,
                               .batch = 1,
                               .heads = 1,
                               .tokens = 1,
                               .x.data = x,
                               .y.data = x,
                               .table = &table};
  for (int32_t rows = 4; rows <= 16; rows += 12)
    for (int32_t position = -1; position <= 17; position++) {
      rapt_rope_args args = good;
      args.positions = &position;
      REQUIRE(rapt_rope_table_fill(rope, 0, rows, memory, sizeof memory, NULL, &table, NULL) ==
                  RAPT_OK,
              "table");
      const rapt_status status = rapt_rope_rotate(rope, &args, NULL, &error);
      const int inside = position >= 0 && position < rows;
      CHECK(status == (inside ? RAPT_OK : RAPT_ERROR_INVALID_ARGUMENT),
            "position %d of %d rows: status %d", position, rows, status);
      if (!inside) CHECK(!strcmp(error.field, "args.positions[0]"), "field %s", error.field);
    }
  rapt_rope_destroy(rope);
}
