/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of the status codes. */
#include "api.h"

const char *rapt_status_string(rapt_status status) {
  switch (status) {
  case RAPT_OK:
    return "ok";
  case RAPT_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case RAPT_ERROR_UNSUPPORTED:
    return "unsupported";
  case RAPT_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case RAPT_ERROR_WORKSPACE:
    return "workspace missing, misaligned or too small";
  case RAPT_ERROR_VERSION:
    return "struct of a newer version";
  case RAPT_ERROR_EXECUTOR:
    return "executor failed";
  case RAPT_ERROR_CANCELLED:
    return "cancelled";
  default:
    return "unknown status";
  }
}
