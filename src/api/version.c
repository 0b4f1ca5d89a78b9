/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The version of the library that is loaded, which may differ from the header's. */
#include "api.h"

#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x

int32_t rapt_version(void) {
  return RAPT_VERSION_MAJOR * 10000 + RAPT_VERSION_MINOR * 100 + RAPT_VERSION_PATCH;
}

const char *rapt_version_string(void) {
  return TEXT(RAPT_VERSION_MAJOR) "." TEXT(RAPT_VERSION_MINOR) "." TEXT(RAPT_VERSION_PATCH);
}
