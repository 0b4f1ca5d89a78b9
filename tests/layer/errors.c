/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each argument of the rotary functions refused with its name, nothing written; limits accepted. */
#include "rotary.h"
#include "support/counting_alloc.h"

#define INVALID RAPT_ERROR_INVALID_ARGUMENT

static void bad_desc(rapt_rope_desc d, rapt_status want, const char *field) {
  rapt_error error = {.size = sizeof error};
  rapt_rope *rope = NULL;
  if (d.size == 0) d.size = sizeof d;
  const rapt_status status = rapt_rope_create(&d, &rope, &error);
  CHECK(status == want && strcmp(error.field, field) == 0 && !rope, "status %d, field %s, not %s",
        status, error.field, field);
  CHECK(d.head_dim != 1 || strstr(error.message, "2 to 1024"), "head_dim 1: \"%s\"", error.message);
}

#define D(...) ((rapt_rope_desc){__VA_ARGS__})

RAPT_TEST(rope_desc_refusals) {
  double f[4] = {1, 1, NAN, 1};
  bad_desc((rapt_rope_desc){0}, INVALID, "desc.head_dim");
  bad_desc(D(.head_dim = 8, .size = 4), INVALID, "desc.size");
  bad_desc(D(.head_dim = 1025), INVALID, "desc.head_dim");
  bad_desc(D(.head_dim = -1), INVALID, "desc.head_dim");
  bad_desc(D(.head_dim = 7), INVALID, "desc.rotary_dims");
  bad_desc(D(.head_dim = 1), INVALID, "desc.head_dim");
  bad_desc(D(.head_dim = 8, .rotary_dims = 3), INVALID, "desc.rotary_dims");
  bad_desc(D(.head_dim = 8, .rotary_dims = 10), INVALID, "desc.rotary_dims");
  bad_desc(D(.head_dim = 8, .rotary_dims = -2), INVALID, "desc.rotary_dims");
  bad_desc(D(.head_dim = 8, .flags = 4), INVALID, "desc.flags");
  bad_desc(D(.head_dim = 8, .scaling = 6), INVALID, "desc.scaling");
  bad_desc(D(.head_dim = 8, .scaling = -1), INVALID, "desc.scaling");
  bad_desc(D(.head_dim = 8, .base = 1), INVALID, "desc.base");
  bad_desc(D(.head_dim = 8, .base = -10000), INVALID, "desc.base");
  bad_desc(D(.head_dim = 8, .base = (double)NAN), INVALID, "desc.base");
  bad_desc(D(.head_dim = 8, .base = (double)INFINITY), INVALID, "desc.base");
  for (int32_t rule = RAPT_ROPE_LINEAR; rule <= RAPT_ROPE_LLAMA3; rule++) {
    bad_desc(D(.head_dim = 8, .scaling = rule, .original_context = 9), INVALID, "desc.factor");
    bad_desc(D(.head_dim = 8, .scaling = rule, .original_context = 9, .factor = -2), INVALID,
             "desc.factor");
    bad_desc(D(.head_dim = 8, .scaling = rule, .original_context = 9, .factor = (double)NAN),
             INVALID, "desc.factor");
  }
  bad_desc(D(.head_dim = 8, .scaling = RAPT_ROPE_YARN, .factor = 2), INVALID,
           "desc.original_context");
  bad_desc(D(.head_dim = 8, .scaling = RAPT_ROPE_LLAMA3, .factor = 2), INVALID,
           "desc.original_context");
  const rapt_rope_desc yarn = D(.head_dim = 8, .scaling = RAPT_ROPE_YARN, .factor = 2,
                                .original_context = 99);
  rapt_rope_desc d = yarn;
  d.beta_slow = -1;
  bad_desc(d, INVALID, "desc.beta_slow");
  d = yarn;
  d.beta_fast = 0.5;
  bad_desc(d, INVALID, "desc.beta_fast");
  d = yarn;
  d.scaling = RAPT_ROPE_LLAMA3;
  d.low_freq_factor = 4;
  bad_desc(d, INVALID, "desc.high_freq_factor");
  d.low_freq_factor = -4;
  bad_desc(d, INVALID, "desc.low_freq_factor");
  bad_desc(D(.head_dim = 8, .attention_factor = -1), INVALID, "desc.attention_factor");
  bad_desc(D(.head_dim = 8, .attention_factor = (double)NAN), INVALID, "desc.attention_factor");
  bad_desc(D(.head_dim = 8, .scaling = RAPT_ROPE_GIVEN), INVALID, "desc.inv_freq");
  bad_desc(D(.head_dim = 8, .scaling = RAPT_ROPE_GIVEN, .inv_freq = f), INVALID,
           "desc.inv_freq[2]");
  f[2] = 2e9;
  bad_desc(D(.head_dim = 8, .scaling = RAPT_ROPE_GIVEN, .inv_freq = f), INVALID,
           "desc.inv_freq[2]");
  bad_desc(D(.head_dim = 8, .isa = "nonsense"), INVALID, "desc.isa");
  rapt_error error = {.size = sizeof error};
  d = D(.head_dim = 8, .size = sizeof d);
  CHECK(rapt_rope_create(&d, NULL, &error) == INVALID && !strcmp(error.field, "rope"), "no place");
  rapt_rope *rope = NULL;
  CHECK(rapt_rope_create(NULL, &rope, &error) == INVALID && !strcmp(error.field, "desc"), "NULL");
}

RAPT_TEST(rope_memory) {
  counting_alloc counting;
  rapt_rope *rope = NULL;
  rapt_rope_desc d = D(.head_dim = 8, .size = sizeof d);
  counting_alloc_init(&counting);
  d.allocator = &counting.allocator;
  counting.fail_at = 1;
  CHECK(rapt_rope_create(&d, &rope, NULL) == RAPT_ERROR_OUT_OF_MEMORY && !rope, "no memory");
  counting.fail_at = 0;
  CHECK(rapt_rope_create(&d, &rope, NULL) == RAPT_OK && rope, "memory");
  CHECK(counting.live == 1, "%ld blocks", counting.live);
  rapt_rope_destroy(rope);
  rapt_rope_destroy(NULL);
  CHECK(counting.live == 0 && counting.bad_releases == 0, "%ld blocks", counting.live);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

enum { BATCH = 2, HEADS = 3, TOKENS = 4, DIM = 8, ROW = 4 * DIM };

typedef struct call {
  rapt_rope *rope;
  rapt_rope_args args;
  rapt_rope_table table;                                          /* not in use */
  int32_t lens[BATCH], offsets[BATCH], positions[BATCH * TOKENS]; /* not in use */
  float memory[8 * DIM], x[BATCH * HEADS * TOKENS * DIM], y[BATCH * HEADS * TOKENS * DIM];
} call;

static call good_call(void) {
  static call c;
  memset(&c, 0, sizeof c);
  memset(c.y, 0xff, sizeof c.y);
  c.rope = rotary_create((rapt_rope_desc){.head_dim = DIM}, NULL);
  c.args = (rapt_rope_args){
      .size = sizeof c.args,
      .batch = BATCH,
      .heads = HEADS,
      .tokens = TOKENS,
      .x = {.stride = {HEADS * TOKENS * ROW, TOKENS * ROW, ROW}},
      .y = {.stride = {HEADS * TOKENS * ROW, TOKENS * ROW, ROW}},
  };
  c.table.size = sizeof c.table;
  CHECK(rapt_rope_table_fill(c.rope, 10, 8, c.memory, sizeof c.memory, NULL, &c.table, NULL) ==
            RAPT_OK,
        "table");
  return c;
}

/* `change` is done to c; pointers are set before it. */
#define CASE(want, name, ...)                                                                \
  do {                                                                                       \
    call c = good_call();                                                                    \
    c.args.x.data = c.x;                                                                     \
    c.args.y.data = c.y;                                                                     \
    __VA_ARGS__;                                                                             \
    rapt_error error = {.size = sizeof error};                                               \
    const rapt_status status = rapt_rope_rotate(c.rope, &c.args, NULL, &error);              \
    CHECK(status == (want) && strcmp(error.field, name) == 0, "status %d, field %s, not %s", \
          status, error.field, name);                                                        \
    if (want) CHECK_UNTOUCHED(c.y, sizeof c.y, "%s", name);                                  \
    CHECK(!strstr(error.message, "0 to 2147483648"), "\"%s\" asks for more than 32 bits",    \
          error.message);                                                                    \
    rapt_rope_destroy(c.rope);                                                               \
  } while (0)
#define BAD(name, ...) CASE(INVALID, name, __VA_ARGS__)
#define GOOD(...) CASE(RAPT_OK, "", __VA_ARGS__)

RAPT_TEST(rope_call_refusals) {
  BAD("args.size", c.args.size = 12);
  BAD("args.flags", c.args.flags = 4);
  BAD("args.batch", c.args.batch = -1);
  BAD("args.heads", c.args.heads = -1);
  BAD("args.tokens", c.args.tokens = -1);
  BAD("args.reserved", c.args.reserved = 1);
  BAD("args.lens[1]", c.args.lens = c.lens, c.lens[1] = TOKENS + 1);
  BAD("args.lens[0]", c.args.lens = c.lens, c.lens[0] = -1);
  BAD("args.offsets[1]", c.args.offsets = c.offsets, c.offsets[1] = -1);
  BAD("args.offsets[1]", c.args.offsets = c.offsets, c.offsets[1] = INT32_MAX - TOKENS + 2);
  BAD("args.offsets", c.args.offsets = c.offsets, c.args.positions = c.positions);
  BAD("args.positions[6]", c.args.positions = c.positions, c.positions[6] = -1);
  BAD("args.x.data", c.args.x.data = NULL);
  BAD("args.y.data", c.args.y.data = NULL);
  BAD("args.x.data", c.args.x.data = (char *)c.x + 2);
  BAD("args.x.stride[1]", c.args.x.stride[1] = 30);
  BAD("args.x.data", c.args.x.stride[0] = INT64_MIN);
  BAD("args.x.stride[2]", c.args.x.stride[2] = INT64_MAX - 3);
  BAD("args.y.stride[2]", c.args.y.stride[2] = ROW - 4);
  BAD("args.y.stride[1]", c.args.y.stride[1] = 0);
  BAD("args.y.stride[0]", c.args.y.stride[0] = -HEADS * TOKENS * ROW);
  BAD("args.y.data", c.args.y.data = c.x, c.args.y.stride[2] = ROW * HEADS,
      c.args.y.stride[1] = ROW);
  BAD("args.y.data", c.args.x.data = c.y + DIM, c.args.batch = 1);
}

RAPT_TEST(rope_table_refusals) {
  /* The table holds 10 to 17. */
  BAD("args.tokens[0]", c.args.table = &c.table);
  BAD("args.offsets[1]", c.args.table = &c.table, c.args.offsets = c.offsets, c.offsets[0] = 10,
      c.offsets[1] = 15);
  BAD("args.positions[0]", c.args.table = &c.table, c.args.positions = c.positions);
  BAD("args.table.size", c.args.table = &c.table, c.table.size = 8);
  BAD("args.table.first", c.args.table = &c.table, c.table.first = -1);
  BAD("args.table.count", c.args.table = &c.table, c.table.count = -1);
  BAD("args.table.count", c.args.table = &c.table, c.table.count = INT32_MAX);
  BAD("args.table.reserved", c.args.table = &c.table, c.table.reserved = 1);
  BAD("args.table.cos", c.args.table = &c.table, c.table.cos = NULL);
  BAD("args.table.sin", c.args.table = &c.table, c.table.sin = NULL);
  BAD("args.table.stride", c.args.table = &c.table, c.table.stride = 30);
  call c = good_call();
  rapt_error error = {.size = sizeof error};
  rapt_rope_table t = {.size = sizeof t};
  float memory[64];
  uint64_t bytes = 0;
  memset(memory, 0xff, sizeof memory);
#define FILL_BAD(status, name, ...)                                                          \
  CHECK(rapt_rope_table_fill(__VA_ARGS__, &error) == (status) && !strcmp(error.field, name), \
        "field %s, not %s", error.field, name);                                              \
  CHECK(!strstr(error.message, "0 to 2147483648"), "\"%s\"", error.message)
  FILL_BAD(INVALID, "rope", NULL, 0, 8, memory, sizeof memory, NULL, &t);
  FILL_BAD(INVALID, "first", c.rope, -1, 8, memory, sizeof memory, NULL, &t);
  FILL_BAD(INVALID, "count", c.rope, 0, -1, memory, sizeof memory, NULL, &t);
  FILL_BAD(INVALID, "count", c.rope, INT32_MAX, 2, memory, sizeof memory, NULL, &t);
  FILL_BAD(INVALID, "memory", c.rope, 0, 8, NULL, sizeof memory, NULL, &t);
  FILL_BAD(INVALID, "memory", c.rope, 0, 7, (char *)memory + 1, sizeof memory - 1, NULL, &t);
  FILL_BAD(RAPT_ERROR_WORKSPACE, "memory_bytes", c.rope, 0, 9, memory, sizeof memory, NULL, &t);
  FILL_BAD(INVALID, "table", c.rope, 0, 8, memory, sizeof memory, NULL, NULL);
  t.size = 3;
  FILL_BAD(INVALID, "table.size", c.rope, 0, 8, memory, sizeof memory, NULL, &t);
#undef FILL_BAD
  CHECK_UNTOUCHED(memory, sizeof memory, "refused tables");
  CHECK(rapt_rope_table_bytes(c.rope, -1, &bytes, &error) == INVALID, "count");
  CHECK(rapt_rope_table_bytes(c.rope, 1, NULL, &error) == INVALID, "bytes");
  CHECK(rapt_rope_table_bytes(c.rope, INT32_MAX, &bytes, &error) == RAPT_OK &&
            bytes == (uint64_t)INT32_MAX * ROW,
        "%llu bytes", (unsigned long long)bytes);
  rapt_rope_destroy(c.rope);
}

/* ---- Arrays and tables inside the output ------------------------------------------------------- */

static struct {
  float before[7 * DIM]; /* seven positions of a table whose eighth begins y */
  float y[BATCH * HEADS * TOKENS * DIM];
} place;

static void refused_place(const rapt_rope *rope, const rapt_rope_args *args, const char *other) {
  rapt_error error = {.size = sizeof error};
  const rapt_status status = rapt_rope_rotate(rope, args, NULL, &error);
  CHECK(status == INVALID && !strcmp(error.field, "args.y.data") && strstr(error.message, other),
        "status %d, field %s (%s), not over %s", status, error.field, error.message, other);
  const char *at = (const char *)&place;
  size_t same = 0;
  while (same < sizeof place && !at[same]) same++;
  CHECK(same == sizeof place, "%s: byte %zu was written", other, same);
}

RAPT_TEST(rope_output_over_what_is_read) {
  call c = good_call();
  int32_t *const ints = (int32_t *)(void *)&place.y[5];
  c.args.x.data = c.x;
  c.args.y.data = place.y;
  rapt_rope_args a = c.args;
  a.positions = ints;
  refused_place(c.rope, &a, "args.positions");
  a.positions = (int32_t *)(void *)&place.y[BATCH * HEADS * TOKENS * DIM - BATCH * TOKENS];
  refused_place(c.rope, &a, "args.positions");
  a = c.args;
  a.offsets = ints;
  refused_place(c.rope, &a, "args.offsets");
  a = c.args;
  a.lens = (int32_t *)(void *)place.y; /* lengths of 0: nothing is written */
  CHECK(rapt_rope_rotate(c.rope, &a, NULL, NULL) == RAPT_OK, "an output without rows");
  rapt_rope_table t = {.size = sizeof t, .count = 8, .stride = ROW};
  a = c.args;
  a.table = &t;
  t.cos = place.before, t.sin = place.before + DIM / 2;
  refused_place(c.rope, &a, "args.table.cos");
  t.sin = place.y, t.stride = ROW / 2; /* cosines apart */
  t.cos = c.memory;
  refused_place(c.rope, &a, "args.table.sin");
  t.cos = place.y, t.sin = c.memory;
  refused_place(c.rope, &a, "args.table.cos");
  rapt_rope_destroy(c.rope);
}

RAPT_TEST(rope_calls_that_look_odd) {
  GOOD((void)0);
  GOOD(c.args.batch = 0, c.args.x.data = NULL, c.args.y.data = NULL);
  GOOD(c.args.heads = 0, c.args.x.data = NULL, c.args.y.data = NULL);
  GOOD(c.args.tokens = 0, c.args.x.data = NULL, c.args.y.data = NULL);
  GOOD(c.args.lens = c.lens, c.args.x.data = NULL, c.args.y.data = NULL);
  GOOD(c.args.y.data = c.x);
  GOOD(c.args.batch = 1, c.args.x.stride[0] = 3, c.args.y.stride[0] = -1, c.args.y.data = c.x);
  GOOD(c.args.offsets = c.offsets, c.offsets[0] = INT32_MAX - TOKENS + 1);
  GOOD(c.args.offsets = c.offsets, c.offsets[0] = INT32_MAX, c.args.flags = RAPT_ROPE_SHIFT);
  GOOD(c.args.table = &c.table, c.args.offsets = c.offsets, c.offsets[0] = 10, c.offsets[1] = 14);
  /* What is beyond a length is not looked at. */
  GOOD(c.args.positions = c.positions, c.args.lens = c.lens, c.lens[0] = 1, c.positions[1] = -5);
  GOOD(c.args.x.stride[1] = 0);
}
