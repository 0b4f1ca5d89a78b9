/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What every refusal has: a status, a field, a sentence with the value, and outputs as they were. */
#ifndef RAPT_TESTS_ERRORS_REFUSAL_H
#define RAPT_TESTS_ERRORS_REFUSAL_H

#include <string.h>

#include <rapt/rapt.h>

#include "support/rapt_test.h"

/* `got` and `error` are what the call answered, `output` (n bytes, `fill` before the call) what it may not
 * have touched. */
static inline void expect_refusal(rapt_status got, const rapt_error *error, rapt_status status,
                                  const char *field, const char *value, const void *output,
                                  size_t n, unsigned char fill) {
  const unsigned char *at = output;
  size_t same = 0;
  CHECK(got == status && error->code == status, "%s: status %d (%s: %s)", field, got, error->field,
        error->message);
  CHECK(strcmp(error->field, field) == 0, "field \"%s\", expected \"%s\" (%s)", error->field, field,
        error->message);
  CHECK(strstr(error->message, value) != NULL, "\"%s\" does not tell \"%s\"", error->message,
        value);
  while (same < n && at[same] == fill) same++;
  CHECK(same == n, "%s: byte %zu of an output was written", field, same);
}

#endif
