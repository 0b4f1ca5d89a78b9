/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * examples/llama.c on a small model whose texts and logits are known. */
#include "llama_model.h"

enum { BATCH = 4 };

/* The tolerance of issue and reference: float32 against float32 in another order. */
static const float bound = 2e-4f;

/* Sequence 0 goes on with n tokens. */
static void feed(session *s, const int32_t *tokens, int32_t n) {
  rapt_error error = {.size = sizeof error};
  memcpy(s->tokens, tokens, (size_t)n * sizeof *tokens);
  s->offsets[1] = n;
  CHECK(forward(s, &error) == 0, "%s %s", error.field, error.message);
}

/* NaN counts as far away. */
static float distance(const float *a, const float *b, size_t n) {
  float most = 0;
  for (size_t i = 0; i < n; i++)
    if (!(fabsf(a[i] - b[i]) <= most)) most = fabsf(a[i] - b[i]);
  return most;
}

/* Logits after each token, [TOKENS][vocab], one by one; the caller frees them. */
static float *decode_all(const fixture *f) {
  rapt_error error = {.size = sizeof error};
  session s;
  size_t vocab = (size_t)f->m.vocab;
  float *logits = room(TOKENS * vocab, sizeof *logits);
  if (CHECK(session_create(&s, &f->m, 1, TOKENS, 1, &error) == 0, "%s", error.message))
    for (size_t t = 0; t < TOKENS; t++) {
      feed(&s, &f->tokens[t], 1);
      memcpy(logits + t * vocab, s.logits, vocab * sizeof *logits);
    }
  session_free(&s);
  return logits;
}

static void compare_logits(const fixture *f, const float *logits, const char *which) {
  const json *expected = json_get(f->expected, which);
  size_t vocab = (size_t)f->m.vocab;
  float *reference = room(vocab, sizeof *reference);
  CHECK(json_count(expected) == vocab, "%s has %zu logits", which, json_count(expected));
  for (size_t i = 0; i < vocab; i++)
    reference[i] = (float)json_number(json_at(expected, i), (double)NAN);
  float far = distance(logits, reference, vocab);
  printf("%s: off by %.2g\n", which, (double)far);
  CHECK(far <= bound, "%s: off by %g", which, (double)far);
  free(reference);
}

RAPT_TEST(llama_greedy_text_and_logits) {
  fixture f;
  if (fixture_load(&f)) {
    rapt_error error = {.size = sizeof error};
    int32_t tokens[TOKENS] = {START};
    sequence q = {.tokens = tokens, .n = 1, .prompt = 1, .most = TOKENS};
    double seconds[2] = {0, 0};
    session s;
    CHECK(session_create(&s, &f.m, 1, TOKENS, 1, &error) == 0, "%s", error.message);
    CHECK(generate(&s, &q, 0, seconds, &error) == 0, "%s", error.message);
    CHECK(q.n == TOKENS && memcmp(tokens, f.tokens, sizeof tokens) == 0, "%d tokens", q.n);
    CHECK(seconds[0] >= 0 && seconds[1] > 0, "%g s", seconds[1]);
    char *text = text_of(&f.m, tokens, q.n);
    const char *expected = json_string(json_get(f.expected, "greedy_text"), "none");
    CHECK(strcmp(text, expected) == 0, "%s\n---- expected ----\n%s", text, expected);
    free(text);
    session_free(&s);
    float *logits = decode_all(&f);
    compare_logits(&f, logits, "first_logits");
    compare_logits(&f, logits + STEPS * f.m.vocab, "last_logits");
    free(logits);
  }
  fixture_free(&f);
}

/* In one call, in chunks, and token by token the logits of all tokens are the same. */
RAPT_TEST(llama_decode_equals_prefill) {
  static const int32_t chunks[] = {TOKENS, 100, 13, 2};
  fixture f;
  if (fixture_load(&f)) {
    rapt_error error = {.size = sizeof error};
    size_t vocab = (size_t)f.m.vocab;
    float *single = decode_all(&f), *all = room(TOKENS * vocab, sizeof *all);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
      session s;
      CHECK(session_create(&s, &f.m, 1, TOKENS, chunks[i], &error) == 0, "%s", error.message);
      for (int32_t t = 0, n; t < TOKENS; t += n) {
        n = TOKENS - t < chunks[i] ? TOKENS - t : chunks[i];
        feed(&s, &f.tokens[t], n);
        product(all + (size_t)t * vocab, s.y, f.m.part[OUTPUT], n, f.m.dim, f.m.vocab);
      }
      float far = distance(all, single, TOKENS * vocab);
      printf("chunks of %d: off by %.2g\n", chunks[i], (double)far);
      CHECK(far <= bound, "chunks of %d: off by %g", chunks[i], (double)far);
      session_free(&s);
    }
    free(single), free(all);
  }
  fixture_free(&f);
}

/* Runs sequences; the caller frees their tokens. */
static void continue_texts(const model *m, sequence *all, int32_t batch, int32_t steps,
                           double heat) {
  rapt_error error = {.size = sizeof error};
  int32_t given = 0, capacity = 0;
  double seconds[2] = {0, 0};
  session s;
  for (int32_t b = 0; b < batch; b++) {
    all[b].most = all[b].prompt + steps;
    given += all[b].prompt;
    if (capacity < all[b].most) capacity = all[b].most;
  }
  CHECK(session_create(&s, m, batch, capacity, given, &error) == 0, "%s", error.message);
  CHECK(generate(&s, all, heat, seconds, &error) == 0, "%s %s", error.field, error.message);
  session_free(&s);
}

/* A text depends on its prompt and its draws, not on what else is in the batch; greedy or not. */
RAPT_TEST(llama_batch_gives_each_its_own) {
  static const char *const prompts[BATCH] = {
      "", "One day, a little girl named Lily", "The dog",
      "Tom and his mom went to the park. It was a sunny day and Tom saw a big tree. \"Look, mom\""};
  fixture f;
  if (fixture_load(&f)) {
    for (int heat = 0; heat < 2; heat++) {
      enum { MORE = 60 };
      sequence together[BATCH], alone;
      int different = 0;
      for (int b = 0; b < BATCH; b++) {
        int32_t *tokens = room(strlen(prompts[b]) + 2 + MORE, sizeof *tokens);
        int32_t n = encode(&f.m, prompts[b], tokens);
        together[b] = (sequence){
            .tokens = tokens, .n = n, .prompt = n, .random = 100 + (uint64_t)b};
      }
      continue_texts(&f.m, together, BATCH, MORE, heat);
      for (int b = 0; b < BATCH; b++) {
        sequence *q = &together[b];
        alone = (sequence){.n = q->prompt, .prompt = q->prompt, .random = 100 + (uint64_t)b};
        alone.tokens = room((size_t)q->prompt + MORE, sizeof *alone.tokens);
        memcpy(alone.tokens, q->tokens, (size_t)q->prompt * sizeof *q->tokens);
        continue_texts(&f.m, &alone, 1, MORE, heat);
        char *text = text_of(&f.m, q->tokens, q->n);
        printf("%s\n", text);
        CHECK(alone.n == q->n && !memcmp(alone.tokens, q->tokens, (size_t)q->n * sizeof *q->tokens),
              "temperature %d, prompt %d: another text in the batch", heat, b);
        CHECK(strncmp(text, prompts[b], strlen(prompts[b])) == 0, "does not begin as it should");
        different += memcmp(q->tokens, f.tokens, 20 * sizeof *q->tokens) != 0;
        free(text), free(alone.tokens), free(q->tokens);
      }
      CHECK(different >= BATCH - 1, "%d of the texts differ from the greedy one", different);
    }
  }
  fixture_free(&f);
}

/* Text to tokens and back; what the model wrote itself gets the tokens it chose. */
RAPT_TEST(llama_tokens_and_text) {
  static const char *const texts[] = {"",
                                      " ",
                                      "a",
                                      "  two  spaces",
                                      "Z\xC3\xBCrich \xE2\x82\xAC 5\n\ttab",
                                      "\xFF\xC3 broken",
                                      "<0x41> <s>",
                                      "\xF0\x9F\x90\x95 dog"};
  fixture f;
  if (fixture_load(&f)) {
    int32_t tokens[1024];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      int32_t n = encode(&f.m, texts[i], tokens);
      char *text = text_of(&f.m, tokens, n);
      CHECK(tokens[0] == START && strcmp(text, texts[i]) == 0, "'%s' became '%s'", texts[i], text);
      free(text);
    }
    const char *expected = json_string(json_get(f.expected, "greedy_text"), "none");
    int32_t n = encode(&f.m, expected, tokens);
    CHECK(n == TOKENS && memcmp(tokens, f.tokens, sizeof f.tokens) == 0, "%d tokens", n);
  }
  fixture_free(&f);
}

/* Draws are as frequent as the softmax says, from the same seed the same, and greedy is the largest. */
RAPT_TEST(llama_draws) {
  enum { N = 5, DRAWS = 40000 };
  static const float logits[N] = {1, -INFINITY, 0, 2, -1};
  static int32_t tokens[2][DRAWS];
  for (int i = 0; i < 3; i++) {
    double heat = (const double[]){1, 0.5, 4}[i], sum = 0;
    rapt_error error = {.size = sizeof error};
    int count[N] = {0};
    for (int twice = 0; twice < 2; twice++) {
      sequence q = {.tokens = tokens[twice], .random = rapt_test_seed()};
      for (int t = 0; t < DRAWS; t++) {
        float weights[N];
        memcpy(weights, logits, sizeof weights);
        CHECK(choose(weights, N, heat, &q, &error) == 0, "%s", error.message);
      }
    }
    CHECK(memcmp(tokens[0], tokens[1], sizeof tokens[0]) == 0, "same seed, other draws");
    for (int t = 0; t < DRAWS; t++) count[tokens[0][t]]++;
    for (int k = 0; k < N; k++) sum += exp((double)logits[k] / heat);
    for (int k = 0; k < N; k++) {
      double p = exp((double)logits[k] / heat) / sum, sigma = sqrt(p * (1 - p) * (double)DRAWS);
      CHECK(fabs(count[k] - p * (double)DRAWS) <= 5 * sigma,
            "temperature %g: %d of token %d, %g expected", heat, count[k], k, p * (double)DRAWS);
    }
  }
  sequence q = {.tokens = tokens[0]};
  float copy[N];
  memcpy(copy, logits, sizeof copy);
  CHECK(choose(copy, N, 0, &q, NULL) == 0 && tokens[0][0] == 3, "greedy took %d", tokens[0][0]);
}
