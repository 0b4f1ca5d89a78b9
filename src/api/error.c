/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports of what went wrong, into a struct that may be older or newer than ours. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api.h"

/* A member is written only if all of it lies inside the caller's struct. */
#define HOLDS(error, member) \
  ((error)->size >= offsetof(rapt_error, member) + sizeof((error)->member))

static int believable(const rapt_error *error) {
  return error->size % _Alignof(rapt_error) == 0 &&
         error->size <= sizeof(rapt_error) + RAPT_MAX_TAIL;
}

static void report(rapt_error *error, rapt_status code, const char *field, const char *format,
                   va_list values) {
  if (!error || !believable(error)) return;
  if (HOLDS(error, code)) error->code = code;
  if (HOLDS(error, field)) rapt_set_text(error->field, sizeof error->field, field);
  if (HOLDS(error, message)) {
    /* A failing vsnprintf may leave anything; the field and the code still say enough. */
    if (vsnprintf(error->message, sizeof error->message, format, values) < 0)
      error->message[0] = '\0';
  }
}

rapt_status rapt_fail(rapt_error *error, rapt_status code, const char *field, const char *format,
                      ...) {
  va_list values;
  va_start(values, format);
  report(error, code, field, format, values);
  va_end(values);
  return code;
}

rapt_status rapt_fail_at(rapt_error *error, rapt_status code, const char *name, int32_t index,
                         const char *format, ...) {
  char field[sizeof error->field];
  va_list values;
  (void)snprintf(field, sizeof field, "%s[%" PRId32 "]", name, index);
  va_start(values, format);
  report(error, code, field, format, values);
  va_end(values);
  return code;
}

rapt_status rapt_check_range(int64_t value, int64_t low, int64_t high, const char *field,
                             rapt_error *error) {
  if (value >= low && value <= high) return RAPT_OK;
  if (low == high)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is %" PRId64 ", must be %" PRId64,
                     value, low);
  if (high == INT32_MAX && value < low)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field,
                     "is %" PRId64 ", must be at least %" PRId64, value, low);
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field,
                   "is %" PRId64 ", allowed is %" PRId64 " to %" PRId64, value, low, high);
}

void rapt_set_text(char *out, size_t size, const char *text) {
  size_t used = 0;
  for (; used + 1 < size && text[used]; used++) out[used] = text[used];
  memset(out + used, 0, size - used);
}
