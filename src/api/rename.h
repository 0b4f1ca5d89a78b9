/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A call that is built on another one hands on its errors under the names its own caller knows. */
#ifndef RAPT_API_RENAME_H
#define RAPT_API_RENAME_H

#include "api.h"

/* A field of the inner call and what it is to the outer one's caller. */
typedef struct rapt_renaming {
  const char *from, *to;
} rapt_renaming;

/* Reports `inner`, all of it filled, with every name among the n replaced in field and sentence. Where one
 * name is the beginning of another, the longer one comes first. Returns the code. */
RAPT_COLD rapt_status rapt_fail_renamed(rapt_error *error, const rapt_error *inner,
                                        const rapt_renaming *names, int32_t n);

#endif
