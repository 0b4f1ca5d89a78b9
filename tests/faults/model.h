/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A second implementation of attention in float64, apart from tools/common/reference.h, that can make
 * one mistake of faults.def at a time. */
#ifndef RAPT_TESTS_FAULTS_MODEL_H
#define RAPT_TESTS_FAULTS_MODEL_H

#include "attention/rule_case.h"

typedef enum model_fault {
  FAULT_NONE,
#define FAULT(name, text) FAULT_##name,
#include "faults.def"
#undef FAULT
  FAULTS
} model_fault;

typedef struct model {
  const rapt_attention_desc *d;
  const rapt_attention_args *a;
  model_fault fault;
} model;

/* Who sees whom (model_visible.c). */
int32_t model_q_len(const model *m, int32_t b);
int32_t model_kv_len(const model *m, int32_t b);
int64_t model_position(const model *m, int32_t b, int32_t i);
int model_positions_permit(const model *m, int32_t b, int32_t i, int32_t j);

/* The mask's answer (model_mask.c): 1 = permitted, and what it adds. */
int model_mask(const model *m, int32_t b, int32_t h, int32_t i, int32_t j, double *bias);

/* A row (model_row.c): scores and weights of all keys, o, lse, m, l. */
typedef struct model_row {
  double *raw, *capped, *biased, *weight; /* [kv_len] */
  unsigned char *seen;
  double *o, lse, m, l;
} model_row;

void model_make_row(const model *m, int32_t b, int32_t h, int32_t i, model_row *row);

/* Fills the problem's outputs (model.c); ctx is a model_fault. For rule_engine. */
int model_run(problem *p, void *ctx);
void model_join(double *m, double *l, double *o, double m2, double l2, const double *o2, int32_t dv,
                void *ctx);

#define WRONG(name) (m->fault == FAULT_##name)

#endif
