/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "npy_header.h"

#include <stdarg.h>
#include <string.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

static const char *const known[] = {"f4", "f8", "f2", "i4", "i8", "u1", "u2", "b1", "i1", "i2"};

int npy_fail(char *why, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (size) vsnprintf(why, size, format, list);
  va_end(list);
  return -1;
}

static void skip_blanks(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\n')) c->at++;
}

/* Takes `word` if it comes next. */
static int take(cursor *c, const char *word) {
  size_t n = strlen(word);
  skip_blanks(c);
  if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return 0;
  c->at += n;
  return 1;
}

/* A string in single or double quotes, without escapes. */
static int take_string(cursor *c, char *out, size_t size) {
  skip_blanks(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return 0;
  const char *from = c->at + 1, *to = from;
  while (to < c->end && *to != *c->at && *to != '\\') to++;
  size_t n = (size_t)(to - from);
  if (to == c->end || *to != *c->at || n >= size) return 0;
  memcpy(out, from, n);
  out[n] = '\0';
  c->at = to + 1;
  return 1;
}

static int parse_type(cursor *c, npy_array *a, char *why, size_t size) {
  char type[16];
  skip_blanks(c);
  if (c->at < c->end && *c->at == '[') return npy_fail(why, size, "holds structures, not numbers");
  if (!take_string(c, type, sizeof type))
    return npy_fail(why, size, "has a header without a readable 'descr'");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (type[0] && strcmp(type + 1, known[i]) == 0) memcpy(a->dtype, known[i], 3);
  if (!a->dtype[0] || !strchr("<>|=", type[0]))
    return npy_fail(why, size, "has elements of type '%s', which is not read here", type);
  a->item = a->dtype[1] - '0';
  a->big_endian = type[0] == '>';
  if (type[0] == '=') a->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  return 0;
}

static int parse_order(cursor *c, char *why, size_t size) {
  if (take(c, "False")) return 0;
  if (take(c, "True"))
    return npy_fail(why, size, "is in Fortran order: save numpy.ascontiguousarray(x) instead");
  return npy_fail(why, size, "has a header whose 'fortran_order' is neither True nor False");
}

static int take_length(cursor *c, int64_t *length) {
  skip_blanks(c);
  const char *from = c->at;
  *length = 0;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
    if (*length > (INT64_MAX - 9) / 10) return 0;
    *length = *length * 10 + (*c->at - '0');
  }
  return c->at > from;
}

static int parse_shape(cursor *c, npy_array *a, char *why, size_t size) {
  if (!take(c, "(")) return npy_fail(why, size, "has a header without a readable 'shape'");
  for (int separated = 1; !take(c, ")"); separated = take(c, ",")) {
    int64_t length;
    if (!separated || !take_length(c, &length))
      return npy_fail(why, size, "has a header without a readable 'shape'");
    if (a->dims == NPY_MAX_DIMS)
      return npy_fail(why, size, "has more than %d dimensions", NPY_MAX_DIMS);
    a->shape[a->dims++] = length;
  }
  return 0;
}

static int count_elements(npy_array *a, char *why, size_t size) {
  /* Bytes of the whole array must fit a pointer difference, whatever dimension is zero. */
  uint64_t most = (uint64_t)PTRDIFF_MAX / (uint64_t)a->item, product = 1;
  a->count = 1;
  for (int32_t i = 0; i < a->dims; i++) {
    uint64_t n = (uint64_t)a->shape[i];
    if (n > most / product) return npy_fail(why, size, "has a shape whose size no memory can hold");
    if (n) product *= n;
    if (!n) a->count = 0;
  }
  if (a->count) a->count = (size_t)product;
  return 0;
}

int npy_header_parse(const char *text, size_t length, npy_array *a, char *why, size_t size) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  cursor c = {text, text + length};
  unsigned seen = 0;
  int more = take(&c, "{");
  if (!more) return npy_fail(why, size, "has a header that is no dictionary");
  while (!take(&c, "}")) {
    char key[16] = "";
    int at = 0, status = 0;
    if (!more || !take_string(&c, key, sizeof key) || !take(&c, ":"))
      return npy_fail(why, size, "has a header that is no dictionary");
    while (at < 3 && strcmp(key, keys[at]) != 0) at++;
    if (at == 3 || seen >> at & 1)
      return npy_fail(why, size, "has '%s' in its header%s", key, at < 3 ? " twice" : "");
    seen |= 1u << at;
    if (at == 0) status = parse_type(&c, a, why, size);
    if (at == 1) status = parse_order(&c, why, size);
    if (at == 2) status = parse_shape(&c, a, why, size);
    if (status) return status;
    more = take(&c, ",");
  }
  skip_blanks(&c);
  if (seen != 7 || c.at != c.end)
    return npy_fail(why, size, "has a header that is not descr, fortran_order and shape");
  return count_elements(a, why, size);
}
