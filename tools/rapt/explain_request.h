/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The options of `rapt explain` as numbers. */
#ifndef RAPT_TOOL_EXPLAIN_REQUEST_H
#define RAPT_TOOL_EXPLAIN_REQUEST_H

#include "request.h"

typedef struct explain_request {
  request call;          /* its rows: those of the heat map */
  int32_t sequence;      /* from 0 */
  int32_t head;          /* query head, from 0 */
  int32_t token;         /* query; a negative one counts from the end */
  int32_t top;           /* keys to print */
  const char *svg, *png; /* files, or NULL */
} explain_request;

/* 0, or an exit code with a sentence. No file is opened. */
int explain_read(const arguments *given, explain_request *out, failure *why);

#endif
