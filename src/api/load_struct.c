/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Structs whose first member is the size the caller's header knows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api.h"

static rapt_status check_size(const rapt_struct_type *type, const void *object, uint32_t *size,
                              rapt_error *error) {
  if (!object) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, type->name, "is NULL");
  memcpy(size, object, sizeof *size);
  if (*size == type->known) return RAPT_OK;
  if (*size < type->minimum || *size % type->align != 0 || *size > type->known + RAPT_MAX_TAIL) {
    char field[sizeof error->field];
    (void)snprintf(field, sizeof field, "%s.size", type->name);
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field,
                     "is %" PRIu32 ", set it to the sizeof of the struct (%" PRIu32
                     " here; %" PRIu32 " is the least)",
                     *size, type->known, type->minimum);
  }
  return RAPT_OK;
}

rapt_status rapt_load_struct(const rapt_struct_type *type, const void *in, void *out,
                             rapt_error *error) {
  uint32_t size = 0;
  rapt_status status = check_size(type, in, &size, error);
  if (status) return status;
  if (size <= type->known) {
    memcpy(out, in, size);
    if (size < type->known) memset((char *)out + size, 0, type->known - size);
    return RAPT_OK;
  }
  const unsigned char *bytes = in;
  for (uint32_t i = type->known; i < size; i++)
    if (bytes[i])
      return rapt_fail(error, RAPT_ERROR_VERSION, type->name,
                       "has size %" PRIu32 " and a value in byte %" PRIu32
                       ", this library (%s) knows %" PRIu32 " bytes",
                       size, i, rapt_version_string(), type->known);
  memcpy(out, in, type->known);
  return RAPT_OK;
}

rapt_status rapt_store_struct(const rapt_struct_type *type, const void *from, void *to,
                              rapt_error *error) {
  uint32_t size = 0;
  rapt_status status = check_size(type, to, &size, error);
  if (status) return status;
  uint32_t shared = size < type->known ? size : type->known;
  memcpy((char *)to + sizeof size, (const char *)from + sizeof size, shared - sizeof size);
  if (size > type->known) memset((char *)to + type->known, 0, size - type->known);
  return RAPT_OK;
}

rapt_status rapt_store_plan_info(const rapt_plan_info *from, rapt_plan_info *to,
                                 rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_plan_info, "info", size);
  return rapt_store_struct(&type, from, to, error);
}

rapt_status rapt_store_workspace_info(const rapt_workspace_info *from, rapt_workspace_info *to,
                                      rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_workspace_info, "info", bytes);
  return rapt_store_struct(&type, from, to, error);
}
