/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The options of `rapt run` as numbers. No file is opened here. */
#ifndef RAPT_TOOL_REQUEST_H
#define RAPT_TOOL_REQUEST_H

#include "options.h"

enum { REQUEST_MAX_LENS = 4096, REQUEST_MAX_THREADS = 1024 };

typedef struct request {
  const char *q, *k, *v;        /* input files */
  const char *o, *lse, *expect; /* files, or NULL */
  const char *isa;              /* or NULL */
  int32_t tokens_first;         /* layout bshd: [batch, token, head, channel] */
  int32_t causal;
  int32_t align;       /* RAPT_ALIGN_*, NONE if none was named */
  int32_t left, right; /* window: keys, -1 = no limit on that side */
  int32_t scale_given;
  double scale;       /* if given */
  double temperature; /* 1 unless given */
  double tolerance;   /* of --expect */
  int32_t check;
  int32_t threads;             /* 0 = as many as the library uses */
  int32_t heatmap;             /* query head, or -1 */
  int32_t n_q_lens, n_kv_lens; /* 0 = not given */
  int32_t q_lens[REQUEST_MAX_LENS], kv_lens[REQUEST_MAX_LENS];
} request;

/* 0, or an exit code with a sentence. `given` comes from the page of `rapt run`. */
int request_read(const arguments *given, request *out, failure *why);

#endif
