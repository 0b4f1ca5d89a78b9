/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Structs of function pointers a caller hands in: allocator and executor. */
#include "api.h"

#include "../platform/platform.h"

rapt_status rapt_load_allocator(const rapt_allocator *in, rapt_allocator *out, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_allocator, "desc.allocator", release);
  if (!in) {
    *out = (rapt_allocator){.size = sizeof *out};
    return RAPT_OK;
  }
  rapt_status status = rapt_load_struct(&type, in, out, error);
  if (status) return status;
  status = rapt_check_range(out->reserved, 0, 0, "desc.allocator.reserved", error);
  if (status) return status;
  if (!out->allocate)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.allocator.allocate",
                     "is NULL: an allocator needs both functions");
  if (!out->release)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.allocator.release",
                     "is NULL: an allocator needs both functions");
  return RAPT_OK;
}

rapt_status rapt_load_executor(const rapt_executor *in, rapt_executor *out, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_executor, "executor", parallel);
  if (!in) {
    rapt_default_executor(out);
    return RAPT_OK;
  }
  rapt_status status = rapt_load_struct(&type, in, out, error);
  if (status) return status;
  status = rapt_check_range(out->max_workers, 1, INT32_MAX, "executor.max_workers", error);
  if (status) return status;
  if (!out->parallel)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "executor.parallel",
                     "is NULL: pass a NULL executor for the default one");
  return RAPT_OK;
}
