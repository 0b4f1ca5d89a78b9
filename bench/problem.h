/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One attention call of the benchmark: shape, name, tensors, plan, and the check of its result. */
#ifndef RAPT_BENCH_PROBLEM_H
#define RAPT_BENCH_PROBLEM_H

#include <rapt/rapt.h>

#include "anchors.h"
#include "data.h"
#include "rules.h"
#include "shape.h"

enum { BENCH_NAME = 128 };

/* "prefill/f32/causal/b1_hq12_hkv12_d64_s1024_bshd/t1" and so on; `suite` may hold slashes. */
void bench_name_prefill(char name[BENCH_NAME], const char *suite, const bench_shape *shape);
/* "rules/f32/alibi/b1_hq12_hkv12_d64_s2048/t1"; "_causal" after the rule */
void bench_name_rule(char name[BENCH_NAME], const bench_shape *shape, bench_rule rule);
/* "decode/f32/b1_hq32_hkv8_d128_kv4096_huge/t1" */
void bench_name_decode(char name[BENCH_NAME], const bench_shape *shape);
/* "scaling/f32/none/hq12_d64/s1024/t1" */
void bench_name_scaling(char name[BENCH_NAME], const bench_shape *shape);

typedef struct bench_problem {
  bench_shape shape;
  bench_buffer q, kv, o; /* kv: all of K, then all of V, so that one anchor reads both */
  rapt_plan *plan;
  rapt_plan_info info;
  const char *set;      /* the kernel set that runs */
  const bench_isa *isa; /* its anchor */
  void *workspace;
  size_t workspace_bytes;
  rapt_executor executor;
  rapt_attention_args args;
  bench_rules rules;
  int32_t status; /* of the last run */
} bench_problem;

/* 0, or -1 with the reason in `why`. Either way close it, and do not move it meanwhile. */
int bench_problem_open(bench_problem *p, const bench_shape *shape, char *why, size_t size);
int bench_problem_open_ruled(bench_problem *p, const bench_shape *shape, bench_rule rule, char *why,
                             size_t size);
void bench_problem_close(bench_problem *p);

/* The call that is measured; ctx is the problem. */
void bench_problem_run(void *problem);

/* Runs once and compares some rows with float64. 0, or -1 with the reason. */
int bench_problem_verify(bench_problem *p, char *why, size_t size);

/* Compares rows of `o`, laid out as the problem's own output. */
int bench_problem_compare(const bench_problem *p, const float *o, char *why, size_t size);

static inline const float *bench_q(const bench_problem *p) { return p->q.data; }
static inline const float *bench_k(const bench_problem *p) { return p->kv.data; }
static inline const float *bench_v(const bench_problem *p) {
  return (const float *)p->kv.data + p->kv.bytes / 2 / sizeof(float);
}

#endif
