/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Work whose rows depend on nothing but themselves, spread over an executor. */
#ifndef RAPT_API_ROWS_H
#define RAPT_API_ROWS_H

#include "api.h"

typedef struct rapt_rows {
  void (*work)(const void *call, int64_t first, int64_t last);
  const void *call;
  int64_t rows;
  int64_t row_bytes; /* read and written for a row, about: decides how many are one task */
} rapt_rows;

/* `executor` has been loaded. Without rows nothing is called. */
rapt_status rapt_rows_run(const rapt_rows *rows, const rapt_executor *executor, rapt_error *error);

#endif
