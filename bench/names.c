/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "problem.h"

static const char *kind(const bench_shape *s) { return s->causal ? "causal" : "none"; }

/* "b1_hq12_hkv12_d64_s1024_bshd/t1" */
static void name_shape(char *name, size_t size, const bench_shape *s) {
  char length[32];
  if (s->q_len == s->kv_len)
    snprintf(length, sizeof length, "s%d", (int)s->q_len);
  else
    snprintf(length, sizeof length, "sq%d_sk%d", (int)s->q_len, (int)s->kv_len);
  snprintf(name, size, "b%d_hq%d_hkv%d_d%d_%s%s%s/t%d", (int)s->batch, (int)s->heads_q,
           (int)s->heads_kv, (int)s->head_dim, length, s->bshd ? "_bshd" : "",
           s->pages == BENCH_PAGES_HUGE ? "_huge" : "", (int)s->threads);
}

void bench_name_prefill(char name[BENCH_NAME], const char *suite, const bench_shape *s) {
  int at = snprintf(name, BENCH_NAME, "%s/f32/%s/", suite, kind(s));
  name_shape(name + at, BENCH_NAME - (size_t)at, s);
}

void bench_name_rule(char name[BENCH_NAME], const bench_shape *s, bench_rule rule) {
  int at = snprintf(name, BENCH_NAME, "rules/f32/%s%s/", bench_rule_name(rule),
                    s->causal ? "_causal" : "");
  name_shape(name + at, BENCH_NAME - (size_t)at, s);
}

void bench_name_decode(char name[BENCH_NAME], const bench_shape *s) {
  snprintf(name, BENCH_NAME, "decode/f32/b%d_hq%d_hkv%d_d%d_kv%d%s/t%d", (int)s->batch,
           (int)s->heads_q, (int)s->heads_kv, (int)s->head_dim, (int)s->kv_len,
           s->pages == BENCH_PAGES_HUGE ? "_huge" : "", (int)s->threads);
}

void bench_name_scaling(char name[BENCH_NAME], const bench_shape *s) {
  snprintf(name, BENCH_NAME, "scaling/f32/%s/hq%d_d%d/s%d/t%d", kind(s), (int)s->heads_q,
           (int)s->head_dim, (int)s->q_len, (int)s->threads);
}
