/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * models/...: attention of well-known models, in turns with the unfused path. */
#include <stdio.h>

#include "suites.h"
#include "threads.h"

static void add(const char *suite, bench_shape s, gbench_function function) {
  char name[BENCH_NAME];
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (int32_t t = 0; t < n; t++) {
    s.threads = counts[t];
    bench_name_prefill(name, suite, &s);
    gbench_register(name, function, bench_keep(&s));
  }
}

void bench_suite_models(void) {
  /* Llama 3 8B: one new token against a cache of 4096. */
  const bench_shape llama = {
      .batch = 1, .heads_q = 32, .heads_kv = 8, .head_dim = 128, .q_len = 1, .kv_len = 4096};
  /* Whisper base: the encoder, 30 seconds of sound. */
  const bench_shape whisper = {
      .batch = 1, .heads_q = 8, .heads_kv = 8, .head_dim = 64, .q_len = 1500, .kv_len = 1500};
  /* BERT base: a text of full length. */
  const bench_shape bert = {
      .batch = 1, .heads_q = 12, .heads_kv = 12, .head_dim = 64, .q_len = 512, .kv_len = 512};
  add("models/llama_decode", llama, bench_decode_compared);
  add("models/whisper_encoder", whisper, bench_prefill);
  add("models/bert", bert, bench_prefill);
}
