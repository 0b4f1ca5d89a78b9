/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One attention call with all its memory: tensors of a chosen layout between guard pages, every byte
 * that holds no valid element a NaN; runs it on any instruction set level and compares it with
 * float64. Header only, because several suites use it.
 *
 *   problem p = problem_make(heads_q, heads_kv, head_dim_qk, head_dim_v, batch, q_len, kv_len);
 *   p.desc.flags = ...; p.args.q_lens = ...; p.layout = ...;   (defaults are fine, too)
 *   problem_build(&p, &random);
 *   FOR_EACH_ISA(isa) problem_verify(&p, isa, "what this is");
 *   problem_free(&p);
 */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_H
#define RAPT_TESTS_ATTENTION_PROBLEM_H

#include "levels.h"
#include "problem_compare.h"
#include "problem_extras.h"
#include "problem_mask.h"
#include "problem_run.h"
#include "problem_tensors.h"
#include "problem_types.h"

/* Allocates everything and fills the valid part of the inputs. */
static inline void problem_build(problem *p, rng *r) {
  problem_allocate(p);
  size_t dqk = (size_t)p->desc.head_dim_qk, dv = (size_t)p->desc.head_dim_v;
  for (int32_t b = 0; b < p->args.batch; b++) {
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++)
        rng_fill_normal(r, problem_writable(reference_q_row(&p->args, b, h, i)), dqk, p->sigma);
    for (int32_t h = 0; h < p->desc.heads_kv; h++)
      for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++) {
        rng_fill_normal(r, problem_writable(reference_k_row(&p->args, b, h, j)), dqk, p->sigma);
        rng_fill_normal(r, problem_writable(reference_v_row(&p->args, b, h, j)), dv, 1);
      }
  }
  problem_build_mask(p, r);
  problem_build_extras(p, r);
}

/* Forgets the float64 values: after a change of inputs. */
static inline void problem_forget(problem *p) {
  double **all[] = {&p->ref_o,      &p->ref_lse,  &p->ref_m,    &p->ref_l,
                    &p->ref_scores, &p->ref_sums, &p->row_loose};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    free(*all[i]);
    *all[i] = NULL;
  }
}

static inline void problem_free(problem *p) {
  for (int t = 0; t < TENSORS; t++)
    if (p->buffer[t].map) CHECK(guard_free(&p->buffer[t]), "canary of tensor %d is broken", t);
  for (int t = 0; t < EXTRAS; t++)
    if (p->extra[t].map) CHECK(guard_free(&p->extra[t]), "canary of extra %d is broken", t);
  problem_forget(p);
}

static inline int problem_verify(problem *p, const char *isa, const char *what) {
  return problem_run(p, isa, NULL) && problem_compare(p, isa, what);
}

/* The same for every level. */
static inline int problem_verify_all(problem *p, const char *what) {
  int ok = 1;
  FOR_EACH_ISA(isa) ok &= problem_verify(p, isa, what);
  return ok;
}

#endif
