/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rename.h"

#include <string.h>

static int in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The renaming whose name begins at `at`, or NULL. A whole name is meant: "desc" is not in "desc_bytes". */
static const rapt_renaming *find(const char *at, const rapt_renaming *names, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    const size_t length = strlen(names[i].from);
    if (!strncmp(at, names[i].from, length) && !in_name(at[length])) return &names[i];
  }
  return NULL;
}

/* Cut if need be. What stands in quotes is the caller's own. */
static void rename_into(char *out, size_t size, const char *text, const rapt_renaming *names,
                        int32_t n) {
  size_t used = 0;
  int inside = 0; /* of a word or a dotted name */
  int quoted = 0;
  while (*text && used + 1 < size) {
    const rapt_renaming *hit = inside || quoted ? NULL : find(text, names, n);
    if (!hit) {
      quoted ^= *text == '"';
      inside = in_name(*text) || (inside && *text == '.');
      out[used++] = *text++;
      continue;
    }
    for (const char *c = hit->to; *c && used + 1 < size; c++) out[used++] = *c;
    text += strlen(hit->from);
    inside = 1;
  }
  out[used] = '\0';
}

rapt_status rapt_fail_renamed(rapt_error *error, const rapt_error *inner,
                              const rapt_renaming *names, int32_t n) {
  char field[sizeof inner->field], message[sizeof inner->message];
  rename_into(field, sizeof field, inner->field, names, n);
  rename_into(message, sizeof message, inner->message, names, n);
  return rapt_fail(error, inner->code, field, "%s", message);
}
