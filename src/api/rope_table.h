/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_API_ROPE_TABLE_H
#define RAPT_API_ROPE_TABLE_H

#include "../layer/rope.h"
#include "api.h"

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

/* Loads and checks it: positions in 32 bits, cosines and sines of `rope` where memory can be. */
rapt_status rapt_load_rope_table(const rapt_rope_table_names *names, const rapt_rope *rope,
                                 const rapt_rope_table *in, rapt_rope_table *out,
                                 rapt_error *error);

#endif
