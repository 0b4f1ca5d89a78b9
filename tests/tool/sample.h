/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random inputs of a call, as files for the tool and as a call of the reference. */
#ifndef RAPT_TESTS_TOOL_SAMPLE_H
#define RAPT_TESTS_TOOL_SAMPLE_H

#include <rapt/rapt.h>

typedef struct sample {
  int32_t batch, heads_q, heads_kv, q_len, kv_len, dim_qk, dim_v;
  float *q, *k, *v, *o; /* BHSD; o is there for the strides */
  rapt_attention_desc desc;
  rapt_attention_args args;
} sample;

/* Unit-normal, from the running test's seed. Sets up desc and args without mask. */
sample sample_make(int32_t batch, int32_t heads_q, int32_t heads_kv, int32_t q_len, int32_t kv_len,
                   int32_t dim_qk, int32_t dim_v);
void sample_free(sample *s);

/* Writes q.npy, k.npy, v.npy to the scratch folder, in BHSD or BSHD, the last `dims` dimensions. */
void sample_save(const sample *s, int tokens_first, int32_t dims);

/* Compares the scratch file `name` with the reference's O; `lse` may name a file too. */
int sample_check(const sample *s, const char *name, int tokens_first, int32_t dims, const char *lse,
                 const char *what);

/* Runs "rapt run --q ... -o o.npy OPTIONS" on the saved files and compares. */
int sample_run(const sample *s, int tokens_first, int32_t dims, const char *options);

#endif
