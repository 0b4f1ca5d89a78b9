/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Files that are cut off, damaged or made up: examples/llama.c refuses them or runs, and reads no byte that
 * it was not given (sanitizers look on). */
#include "common/rng.h"
#include "llama_model.h"

/* Whatever the bytes are, loading says no or the model runs. 1 if it ran. */
static int try_files(char *const bytes[2], const size_t size[2]) {
  rapt_error error = {.size = sizeof error};
  model m;
  int ran = 0, bad = model_load(&m, bytes[0], size[0], &error);
  if (!bad) bad = tokenizer_load(&m, bytes[1], size[1], &error);
  if (bad) {
    CHECK(error.field[0] && error.message[0], "refused without a reason");
  } else {
    int32_t tokens[64];
    int32_t n = encode(&m, "The dog \xE2\x82\xAC", tokens);
    sequence q = {.tokens = tokens, .n = n, .prompt = n, .most = n + 4};
    double seconds[2] = {0, 0};
    session s;
    if (q.most <= m.context) {
      CHECK(session_create(&s, &m, 1, q.most, n, &error) == 0, "%s", error.message);
      ran = CHECK(generate(&s, &q, 1, seconds, &error) == 0, "%s", error.message);
      free(text_of(&m, tokens, q.n));
      session_free(&s);
    }
  }
  model_free(&m);
  return ran;
}

/* The first `size` bytes, in a block of exactly that size: address sanitizers see each byte beyond. */
static char *first_bytes(const char *bytes, size_t size) {
  char *copy = malloc(size ? size : 1);
  if (!copy) exit(2);
  memcpy(copy, bytes, size);
  return copy;
}

/* Cut off anywhere, both files are refused with a reason. */
RAPT_TEST(llama_truncated_files) {
  fixture f;
  if (fixture_read(&f)) {
    rng r = rng_make(rapt_test_seed());
    for (int which = 0; which < 2; which++)
      for (size_t i = 0; i < 400; i++) {
        char *bytes[2] = {f.bytes[0], f.bytes[1]};
        size_t size[2] = {f.size[0], f.size[1]};
        size[which] = i < 80 ? i : (size_t)rng_below(&r, (int32_t)size[which]);
        if (i >= 380) size[which] = f.size[which] - (400 - i);
        bytes[which] = first_bytes(f.bytes[which], size[which]);
        CHECK(!try_files(bytes, size), "file %d ran with %zu bytes", which, size[which]);
        free(bytes[which]);
      }
  }
  fixture_free(&f);
}

/* Some bytes are others: in the header, in the weights, in the tokenizer. */
RAPT_TEST(llama_garbage_in_files) {
  fixture f;
  int ran = 0;
  if (fixture_read(&f)) {
    rng r = rng_make(rapt_test_seed());
    for (int i = 0; i < 300; i++) {
      int which = i % 2, region = i % 3;
      char *bytes[2] = {f.bytes[0], f.bytes[1]};
      bytes[which] = first_bytes(f.bytes[which], f.size[which]);
      int32_t limit = region && !which ? (int32_t)f.size[which] : which ? 4 + region * 400 : 28;
      for (int n = rng_range(&r, 1, region == 2 ? 2000 : 3); n > 0; n--)
        bytes[which][rng_below(&r, limit)] = (char)rng_u64(&r);
      ran += try_files(bytes, f.size);
      free(bytes[which]);
    }
    printf("%d of 300 ran\n", ran);
    CHECK(ran > 30 && ran < 270, "%d of 300 ran", ran);
  }
  fixture_free(&f);
}

/* Small models of any shape, with any bits as weights and scores: needs no data. */
RAPT_TEST(llama_random_shapes) {
  rng r = rng_make(rapt_test_seed());
  int ran = 0;
  for (int i = 0; i < 200; i++) {
    int32_t kv = rng_range(&r, 1, 3), heads = kv * rng_range(&r, 1, 3), odd = rng_below(&r, 8) == 0;
    int32_t hd = 2 * rng_range(&r, 1, 9) + odd, dim = heads * hd, hidden = rng_range(&r, 1, 50);
    int32_t layers = rng_range(&r, 1, 3), vocab = rng_range(&r, 259, 300);
    int32_t context = rng_range(&r, 1, 40), untied = rng_below(&r, 2);
    int32_t header[7] = {dim, hidden, layers, heads, kv, untied ? -vocab : vocab, context};
    int64_t layer = 2 * dim + 2 * dim * dim + 2 * dim * kv * hd + 3 * dim * hidden;
    int64_t words = vocab * dim * (1 + untied);
    size_t size[2] = {(size_t)(28 + 4 * (words + layers * layer + dim + context * (hd / 2) * 2)),
                      4};
    char *bytes[2] = {malloc(size[0]), malloc(4 + (size_t)vocab * 28)};
    if (!bytes[0] || !bytes[1]) exit(2);
    for (size_t at = 0; at < size[0]; at++) bytes[0][at] = (char)rng_u64(&r);
    memcpy(bytes[0], header, sizeof header);
    for (int32_t token = 0; token < vocab; token++) { /* pieces that often make other pieces */
      int32_t length = rng_below(&r, token < 300 ? 3 : 20), score = (int32_t)rng_u64(&r);
      memcpy(bytes[1] + size[1], &score, 4), memcpy(bytes[1] + size[1] + 4, &length, 4);
      for (int32_t at = 0; at < length; at++)
        bytes[1][size[1] + 8 + (size_t)at] = "The dog"[rng_below(&r, 7)];
      size[1] += 8 + (size_t)length;
    }
    char *exact[2] = {bytes[0], first_bytes(bytes[1], size[1])};
    ran += try_files(exact, size);
    free(bytes[0]), free(bytes[1]), free(exact[1]);
  }
  printf("%d of 200 ran\n", ran);
  CHECK(ran > 50, "%d of 200 ran", ran);
}

/* The program itself: what it answers to wrong arguments and files. */
RAPT_TEST(llama_answers) {
  static char program[] = "llama", none[] = "/no/such/file", folder[] = "/", empty[] = "/dev/null";
  static char n[] = "-n", x[] = "-x", word[] = "word", less[] = "-1", one[] = "1",
              help[] = "--help";
  const struct {
    int status;
    char *args[5];
  } cases[] = {{2, {NULL}},
               {0, {help}},
               {2, {none}},
               {2, {none, none, n}},
               {2, {none, none, n, word}},
               {2, {none, none, n, less}},
               {2, {none, none, x, one}},
               {1, {none, none}},
               {1, {none, none, n, one, word}},
               {1, {folder, none}},
               {1, {empty, empty, word}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *argv[7] = {program};
    int argc = 1;
    while (argc < 6 && cases[i].args[argc - 1]) argv[argc] = cases[i].args[argc - 1], argc++;
    int status = llama_main(argc, argv);
    CHECK(status == cases[i].status, "case %zu: status %d", i, status);
  }
}
