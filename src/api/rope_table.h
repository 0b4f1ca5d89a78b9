/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_API_ROPE_TABLE_H
#define RAPT_API_ROPE_TABLE_H

#include "../layer/rope.h"
#include "api.h"
#include "spans.h"

/* A caller's table, under the name that the call has for it. */
typedef struct rapt_rope_table_names {
  rapt_struct_type type;
  const char *first, *count, *reserved, *cos, *sin, *stride;
} rapt_rope_table_names;

#define RAPT_ROPE_TABLE_NAMES(name)                 \
  {RAPT_STRUCT_TYPE(rapt_rope_table, name, stride), \
   name ".first",                                   \
   name ".count",                                   \
   name ".reserved",                                \
   name ".cos",                                     \
   name ".sin",                                     \
   name ".stride"}

/* Where its cosines and sines lie. */
typedef struct rapt_rope_table_spans {
  rapt_span cos, sin;
} rapt_rope_table_spans;

/* Loads and checks it: positions in 32 bits, cosines and sines of `rope` where memory can be. */
rapt_status rapt_load_rope_table(const rapt_rope_table_names *names, const rapt_rope *rope,
                                 const rapt_rope_table *in, rapt_rope_table *out,
                                 rapt_rope_table_spans *spans, rapt_error *error);

/* Refuses operand `t` at `span` if it shares bytes with the table. */
rapt_status rapt_check_beside_rope_table(const rapt_rope_table_names *names,
                                         const rapt_rope_table_spans *table, const rapt_operand *t,
                                         const rapt_span *span, rapt_error *error);

#endif
