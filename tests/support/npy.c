/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "npy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(char *why, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int fail(char *why, size_t size, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  if (size) vsnprintf(why, size, fmt, list);
  va_end(list);
  return -1;
}

static const char *const known[] = {"f4", "f8", "f2", "i4", "i8", "u1", "u2", "b1", "i1", "i2"};

/* Text behind `key` (with its quotes) and the colon; NULL if absent. */
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at) return NULL;
  at = strchr(at + strlen(key), ':');
  return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static int parse_header(const char *header, npy_array *a, char *why, size_t why_size) {
  const char *descr = value_of(header, "'descr'");
  const char *order = value_of(header, "'fortran_order'");
  const char *shape = value_of(header, "'shape'");
  if (!descr || !order || !shape || *shape != '(') return fail(why, why_size, "odd header");
  if (strncmp(order, "False", 5) != 0) return fail(why, why_size, "not in C order");
  if (descr[0] != '\'' || !strchr("<|=", descr[1])) return fail(why, why_size, "byte order");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strncmp(descr + 2, known[i], 2) == 0 && descr[4] == '\'') memcpy(a->dtype, known[i], 3);
  if (!a->dtype[0]) return fail(why, why_size, "type %.6s is not read here", descr);
  a->item = a->dtype[1] - '0';
  a->count = 1;
  for (shape++;;) {
    shape += strspn(shape, " ,");
    if (*shape == ')') return 0;
    char *end;
    long long n = strtoll(shape, &end, 10);
    if (end == shape || n < 0 || a->dims == NPY_MAX_DIMS) return fail(why, why_size, "odd shape");
    a->shape[a->dims++] = n;
    if (n && a->count > ((size_t)1 << 40) / (size_t)n) return fail(why, why_size, "too large");
    a->count *= (size_t)n;
    shape = end;
  }
}

static int load(FILE *file, npy_array *a, char *why, size_t why_size) {
  unsigned char start[12];
  if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0)
    return fail(why, why_size, "not an npy file");
  size_t length = (size_t)start[8] | (size_t)start[9] << 8;
  if (start[6] >= 2) {
    if (fread(start + 10, 1, 2, file) != 2) return fail(why, why_size, "truncated");
    length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (length > 1u << 20) return fail(why, why_size, "header of %zu bytes", length);
  char *header = calloc(length + 1, 1);
  if (!header) return fail(why, why_size, "out of memory");
  int status = fread(header, 1, length, file) == length ? parse_header(header, a, why, why_size)
                                                        : fail(why, why_size, "truncated");
  free(header);
  if (status) return status;
  size_t bytes = a->count * (size_t)a->item;
  a->data = malloc(bytes ? bytes : 1);
  if (!a->data) return fail(why, why_size, "out of memory");
  if (fread(a->data, 1, bytes, file) != bytes) return fail(why, why_size, "truncated");
  return 0;
}

int npy_load(const char *path, npy_array *a, char *why, size_t why_size) {
  memset(a, 0, sizeof *a);
  FILE *file = fopen(path, "rb");
  if (!file) return fail(why, why_size, "cannot open");
  int status = load(file, a, why, why_size);
  fclose(file);
  if (status) npy_free(a);
  return status;
}

void npy_free(npy_array *a) {
  free(a->data);
  memset(a, 0, sizeof *a);
}

static double from_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double x = exponent == 0    ? ldexp(fraction, -24)
             : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                              : ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -x : x;
}

#define READ(type, at) read_##type(at)
#define READER(type)                        \
  static type read_##type(const void *at) { \
    type x;                                 \
    memcpy(&x, at, sizeof x);               \
    return x;                               \
  }
READER(float)
READER(double)
READER(int8_t)
READER(int16_t)
READER(int32_t)
READER(int64_t)
READER(uint16_t)

double npy_at(const npy_array *a, size_t i) {
  const char *at = (const char *)a->data + i * (size_t)a->item;
  switch (a->dtype[0]) {
  case 'f':
    if (a->item == 2) return from_half(READ(uint16_t, at));
    return a->item == 4 ? (double)READ(float, at) : READ(double, at);
  case 'i':
    if (a->item == 1) return READ(int8_t, at);
    if (a->item == 2) return READ(int16_t, at);
    return a->item == 4 ? (double)READ(int32_t, at) : (double)READ(int64_t, at);
  case 'u':
    if (a->item == 2) return READ(uint16_t, at);
    return *(const unsigned char *)at;
  default:
    return *(const unsigned char *)at != 0;
  }
}

double npy_bf16(const npy_array *a, size_t i) {
  uint32_t bits = (uint32_t)READ(uint16_t, (const char *)a->data + 2 * i) << 16;
  return READ(float, &bits);
}

float *npy_to_float(const npy_array *a) {
  float *x = malloc((a->count ? a->count : 1) * sizeof *x);
  for (size_t i = 0; x && i < a->count; i++) x[i] = (float)npy_at(a, i);
  return x;
}

double *npy_to_double(const npy_array *a) {
  double *x = malloc((a->count ? a->count : 1) * sizeof *x);
  for (size_t i = 0; x && i < a->count; i++) x[i] = npy_at(a, i);
  return x;
}
