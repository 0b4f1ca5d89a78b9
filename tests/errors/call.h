/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A call that is right in every field, for tests that spoil one. */
#ifndef RAPT_TESTS_ERRORS_CALL_H
#define RAPT_TESTS_ERRORS_CALL_H

#include <rapt/rapt.h>

enum {
  BATCH = 2,
  HEADS = 4,
  HEADS_KV = 2,
  Q_LEN = 3,
  KV_LEN = 5,
  DIM = 8,
  DIM_V = 4,
  ROW = 4 * DIM, /* bytes */
  ROW_V = 4 * DIM_V,
  CALL_WORKSPACE = 1 << 23,
  PATTERN = 0xa5
};

typedef struct call {
  rapt_attention_desc
      desc; /* causal with per-sequence offsets, so that every field has a meaning */
  rapt_attention_args args;                                /* BHSD */
  rapt_allocator allocator;                                /* not in use; a working one */
  rapt_executor executor;                                  /* in use */
  int32_t q_lens[BATCH], kv_lens[BATCH], positions[BATCH]; /* lens: not in use */
  int32_t q_offsets[BATCH + 1], kv_offsets[BATCH + 1];     /* not in use */
} call;

/* The one call of this program, good as new. */
call *good_call(void);

/* The desc is refused by rapt_plan_check, rapt_plan_create and rapt_attention: status and field as
 * given, `value` is part of the message (NULL: any), nothing is written. */
void expect_desc(const call *c, rapt_status status, const char *field, const char *value);

/* The same for args and executor: rapt_attention_run, _run_team and rapt_attention. */
void expect_args(const call *c, rapt_status status, const char *field, const char *value);

/* As expect_args, for what the team call does not have. */
void expect_executor(const call *c, rapt_status status, const char *field, const char *value);

/* The call works everywhere. */
void expect_ok(const call *c);

#endif
