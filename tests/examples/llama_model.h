/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * examples/llama.c as a part of a test, and the small model that it runs, read where it lies. */
#ifndef RAPT_TESTS_LLAMA_MODEL_H
#define RAPT_TESTS_LLAMA_MODEL_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* no test needs all of it */
#define main llama_main
static int llama_main(int argc, char **argv);
#include "../../examples/llama.c"
#undef main
#pragma GCC diagnostic pop

#include "conformance/data.h"
#include "support/json.h"
#include "support/rapt_test.h"

/* What greedy.json has: a start, STEPS tokens after it, logits after the first and the last of all. */
enum { STEPS = 256, TOKENS = STEPS + 1 };

typedef struct fixture {
  char *bytes[2];
  size_t size[2];
  model m;
  json *expected; /* greedy.json */
  int32_t tokens[TOKENS];
} fixture;

static inline void fixture_free(fixture *f) {
  model_free(&f->m), free(f->bytes[0]), free(f->bytes[1]), json_free(f->expected);
}

/* 0 without the data; then the test is skipped. */
static inline int fixture_read(fixture *f) {
  static const char *const names[] = {"model.bin", "tokenizer.bin", "greedy.json"};
  char path[3][600], why[200] = "";
  const char *root = data_root();
  rapt_error error = {.size = sizeof error};
  *f = (fixture){.expected = NULL};
  for (int i = 0; root && i < 3; i++)
    snprintf(path[i], sizeof path[i], "%s/models/stories260K/%s", root, names[i]);
  FILE *there = root ? fopen(path[0], "rb") : NULL;
  if (!there) {
    rapt_test_skip("there is no models/stories260K in %s (RAPT_CONFORMANCE)",
                   root ? root : "no folder");
    return 0;
  }
  fclose(there);
  f->expected = json_load(path[2], why, sizeof why);
  if (!CHECK(f->expected != NULL, "%s: %s", path[2], why)) return 0;
  const json *tokens = json_get(f->expected, "greedy_tokens");
  CHECK(json_count(tokens) == TOKENS, "greedy.json has %zu tokens", json_count(tokens));
  for (size_t i = 0; i < TOKENS; i++) f->tokens[i] = (int32_t)json_integer(json_at(tokens, i), -1);
  for (int i = 0; i < 2; i++)
    if (!CHECK(read_file(path[i], &f->bytes[i], &f->size[i], &error) == 0, "%s", error.message))
      return 0;
  return 1;
}

/* 1 when the model is there and loaded; fixture_free has to follow in any case. */
static inline int fixture_load(fixture *f) {
  rapt_error error = {.size = sizeof error};
  if (!fixture_read(f)) return 0;
  return CHECK(model_load(&f->m, f->bytes[0], f->size[0], &error) == 0 &&
                   tokenizer_load(&f->m, f->bytes[1], f->size[1], &error) == 0,
               "%s %s", error.field, error.message);
}

/* The text of a sequence; the caller frees it. */
static inline char *text_of(const model *m, const int32_t *tokens, int32_t n) {
  char *text = room((size_t)n, LONGEST_PIECE), *end = text;
  for (int32_t i = 1; i < n; i++) end += spell(m, tokens[i - 1], tokens[i], end);
  *end = 0;
  return text;
}

#endif
