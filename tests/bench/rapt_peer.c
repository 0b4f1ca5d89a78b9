/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * librapt-peer.so, loaded as the programs of others load it, against librapt itself. */
#include <dlfcn.h>
#include <rapt/peer.h>
#include <rapt/rapt.h>
#include <string.h>

#include "common/rng.h"
#include "memory/interpose.h"
#include "support/rapt_test.h"

enum { MOST = 1 << 18 }; /* elements of one tensor */

static _Alignas(64) float q[MOST], k[MOST], v[MOST], o[MOST], expected[MOST];

typedef int (*attention_fn)(const rapt_peer_call *call);

static attention_fn load(void) {
  attention_fn attention = NULL;
  void *library = dlopen(RAPT_PEER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void *at = library ? dlsym(library, "rapt_peer_attention_v1") : NULL;
  if (CHECK(at, "%s", dlerror())) memcpy(&attention, &at, sizeof attention);
  return attention;
}

static rapt_peer_call call_of(int32_t batch, int32_t heads_q, int32_t heads_kv, int32_t q_len,
                              int32_t kv_len, int32_t head_dim) {
  return (rapt_peer_call){.q = q,
                          .k = k,
                          .v = v,
                          .o = o,
                          .batch = batch,
                          .heads_q = heads_q,
                          .heads_kv = heads_kv,
                          .q_len = q_len,
                          .kv_len = kv_len,
                          .head_dim = head_dim,
                          .dtype = RAPT_PEER_F32,
                          .threads = 1};
}

static size_t outputs(const rapt_peer_call *c) {
  return (size_t)c->batch * (size_t)c->heads_q * (size_t)c->q_len * (size_t)c->head_dim;
}

/* The same by the one-shot call. */
static rapt_status compute_expected(const rapt_peer_call *c) {
  const int64_t row = c->head_dim * (int64_t)sizeof(float);
  const int64_t head = row * c->q_len, head_kv = row * c->kv_len;
  rapt_attention_desc desc = {.size = sizeof desc,
                              .flags = c->causal ? RAPT_CAUSAL : 0,
                              .align = c->causal ? RAPT_ALIGN_TOP_LEFT : RAPT_ALIGN_NONE,
                              .heads_q = c->heads_q,
                              .heads_kv = c->heads_kv,
                              .head_dim_qk = c->head_dim,
                              .head_dim_v = c->head_dim};
  rapt_attention_args args = {.size = sizeof args,
                              .batch = c->batch,
                              .q_len = c->q_len,
                              .kv_len = c->kv_len,
                              .q = {q, {head * c->heads_q, head, row}},
                              .k = {k, {head_kv * c->heads_kv, head_kv, row}},
                              .v = {v, {head_kv * c->heads_kv, head_kv, row}},
                              .o = {expected, {head * c->heads_q, head, row}}};
  return rapt_attention(&desc, &args, NULL, NULL);
}

static void fill(void) {
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, q, MOST, 1);
  rng_fill_normal(&r, k, MOST, 1);
  rng_fill_normal(&r, v, MOST, 1);
}

static void check_bits(attention_fn attention, const rapt_peer_call *c) {
  size_t n = outputs(c);
  REQUIRE(compute_expected(c) == RAPT_OK, "one-shot call failed");
  memset(o, 0xff, sizeof o);
  int status = attention(c);
  CHECK(status == 0, "returned %d", status);
  CHECK(memcmp(o, expected, n * sizeof *o) == 0,
        "other bits: batch %d, heads %d/%d, lengths %d/%d, dim %d, causal %d, threads %d",
        (int)c->batch, (int)c->heads_q, (int)c->heads_kv, (int)c->q_len, (int)c->kv_len,
        (int)c->head_dim, (int)c->causal, (int)c->threads);
}

/* Sixteen plans, more than are kept; for each there is one that differs in a single number. Each is met
 * again with other lengths and threads. */
RAPT_TEST(rapt_peer_equals_rapt) {
  attention_fn attention = load();
  if (!attention) return;
  fill();
  for (int32_t turn = 0; turn < 3; turn++)
    for (int32_t plan = 0; plan < 16; plan++) {
      int32_t kv_heads = 1 + (plan >> 3 & 1), heads = kv_heads * (1 + (plan >> 2 & 1));
      int32_t length = 40 + 31 * turn + plan, head_dim = 8 + (plan >> 1 & 1);
      rapt_peer_call c = call_of(1 + turn, heads, kv_heads, length, length, head_dim);
      c.causal = plan & 1;
      c.threads = 1 + (turn + plan) % 3;
      check_bits(attention, &c);
    }
}

RAPT_TEST(rapt_peer_decodes) {
  attention_fn attention = load();
  if (!attention) return;
  fill();
  for (int32_t length = 1; length <= 2048; length *= 2) {
    rapt_peer_call c = call_of(2, 8, 2, 1, length, 32);
    check_bits(attention, &c);
  }
}

RAPT_TEST(rapt_peer_keeps_plans_and_workspace) {
  attention_fn attention = load();
  if (!attention) return;
  if (!interpose_works()) SKIP("allocations cannot be counted in this build");
  fill();
  rapt_peer_call large = call_of(1, 4, 4, 200, 200, 64), small = call_of(2, 4, 2, 30, 60, 32);
  interpose_begin();
  int status = attention(&large) | attention(&small);
  CHECK(interpose_end().allocate > 0, "the library's allocations are not seen");
  interpose_begin();
  for (int32_t i = 0; i < 10; i++) {
    status |= attention(&large) | attention(&small);
    small.kv_len++;
  }
  forbidden_calls calls = interpose_end();
  CHECK(status == 0, "a call failed");
  CHECK(calls.allocate == 0 && calls.release == 0 && calls.environment == 0,
        "%ld allocations, %ld releases, %ld readings of the environment", calls.allocate,
        calls.release, calls.environment);
}

static void check_refused(attention_fn attention, rapt_peer_call c, const char *what) {
  memset(o, 0x5a, sizeof o);
  CHECK(attention(&c) != 0, "%s is accepted", what);
  for (size_t i = 0; i < sizeof o; i++)
    REQUIRE(((const unsigned char *)o)[i] == 0x5a, "%s: byte %zu was written", what, i);
}

RAPT_TEST(rapt_peer_refuses) {
  attention_fn attention = load();
  if (!attention) return;
  rapt_peer_call c = call_of(1, 4, 2, 16, 16, 32);
  c.dtype = 1;
  check_refused(attention, c, "an unknown dtype");
  c = call_of(1, 4, 2, 16, 17, 32);
  c.causal = 1;
  check_refused(attention, c, "causal with other lengths");
  check_refused(attention, call_of(1, 3, 2, 16, 16, 32), "3 heads over 2");
  check_refused(attention, call_of(1, 4, 2, 16, 16, 0), "a head_dim of 0");
  check_refused(attention, call_of(1, 4, 2, 16, 16, 1 << 20), "a head_dim beyond the most");
  c = call_of(1, 4, 2, 16, 16, 32);
  c.threads = 0;
  check_refused(attention, c, "0 threads");
  c.threads = 1;
  c.q = NULL;
  check_refused(attention, c, "no q");
}
