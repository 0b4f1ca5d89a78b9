/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "npy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "npy_header.h"

enum { MAGIC_BYTES = 6, MAX_HEADER = 1 << 20, FIRST_CHUNK = 1 << 20 };
static const unsigned char magic[MAGIC_BYTES + 1] = "\x93NUMPY";

/* Length of the header; the file stands at its first byte afterwards. */
static int read_start(FILE *file, size_t *length, char *why, size_t size) {
  unsigned char start[12];
  errno = 0;
  size_t got = fread(start, 1, MAGIC_BYTES + 4, file);
  if (ferror(file)) return npy_fail(why, size, "cannot be read: %s", strerror(errno ? errno : EIO));
  if (got == 0) return npy_fail(why, size, "is empty");
  if (memcmp(start, magic, got < MAGIC_BYTES ? got : MAGIC_BYTES) != 0)
    return npy_fail(why, size, "is no .npy file");
  if (got < MAGIC_BYTES + 4) return npy_fail(why, size, "is truncated: it ends in its header");
  if ((start[6] != 1 && start[6] != 2) || start[7] != 0)
    return npy_fail(why, size, "is an .npy file of version %d.%d; 1.0 and 2.0 are read here",
                    start[6], start[7]);
  *length = (size_t)start[8] | (size_t)start[9] << 8;
  if (start[6] == 2) {
    if (fread(start + 10, 1, 2, file) != 2)
      return npy_fail(why, size, "is truncated: it ends in its header");
    *length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (*length > MAX_HEADER)
    return npy_fail(why, size, "has a header of %zu bytes, more than %d", *length, MAX_HEADER);
  return 0;
}

static int read_header(FILE *file, npy_array *a, char *why, size_t size) {
  size_t length = 0;
  int status = read_start(file, &length, why, size);
  if (status) return status;
  char *header = malloc(length + 1);
  if (!header) return npy_fail(why, size, "has a header that does not fit in memory");
  status = fread(header, 1, length, file) == length
               ? npy_header_parse(header, length, a, why, size)
               : npy_fail(why, size, "is truncated: it ends in its header");
  free(header);
  return status;
}

/* Memory grows with what is there, so that a lying header cannot ask for all of it. */
static int read_data(FILE *file, npy_array *a, char *why, size_t size) {
  size_t bytes = a->count * (size_t)a->item, held = 0, got = 0;
  do {
    size_t next = held ? 2 * held : FIRST_CHUNK;
    if (next > bytes) next = bytes;
    void *grown = realloc(a->data, next ? next : 1);
    if (!grown) return npy_fail(why, size, "does not fit in memory: it has %zu bytes", bytes);
    a->data = grown;
    held = next;
    got += fread((char *)a->data + got, 1, held - got, file);
  } while (got == held && held < bytes);
  if (got != bytes)
    return npy_fail(why, size, "is truncated: its shape asks for %zu bytes, %zu are there", bytes,
                    got);
  if (fgetc(file) != EOF)
    return npy_fail(why, size, "goes on after the %zu bytes its shape asks for", bytes);
  return 0;
}

int npy_read(FILE *file, npy_array *a, char *why, size_t size) {
  memset(a, 0, sizeof *a);
  int status = read_header(file, a, why, size);
  if (!status) status = read_data(file, a, why, size);
  if (status) npy_free(a);
  return status;
}

int npy_load(const char *path, npy_array *a, char *why, size_t size) {
  memset(a, 0, sizeof *a);
  FILE *file = fopen(path, "rb");
  if (!file) return npy_fail(why, size, "cannot be opened: %s", strerror(errno));
  int status = npy_read(file, a, why, size);
  fclose(file);
  return status;
}

void npy_free(npy_array *a) {
  free(a->data);
  memset(a, 0, sizeof *a);
}

/* The bits of element i as an unsigned number, whatever byte order the file has. */
static uint64_t bits_at(const npy_array *a, size_t i) {
  const unsigned char *at = (const unsigned char *)a->data + i * (size_t)a->item;
  uint64_t bits = 0;
  for (int32_t n = 0; n < a->item; n++) bits = bits << 8 | at[a->big_endian ? n : a->item - 1 - n];
  return bits;
}

static double from_half(uint32_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double x = exponent == 0    ? ldexp(fraction, -24)
             : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                              : ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -x : x;
}

static double from_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static double from_double(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double from_signed(uint64_t bits, int32_t item) {
  uint64_t sign = (uint64_t)1 << (8 * item - 1);
  return (double)(int64_t)((bits ^ sign) - sign);
}

double npy_at(const npy_array *a, size_t i) {
  uint64_t bits = bits_at(a, i);
  switch (a->dtype[0]) {
  case 'f':
    if (a->item == 2) return from_half((uint32_t)bits);
    return a->item == 4 ? from_float((uint32_t)bits) : from_double(bits);
  case 'i':
    return from_signed(bits, a->item);
  case 'u':
    return (double)bits;
  default:
    return bits != 0;
  }
}

double npy_bf16(const npy_array *a, size_t i) { return from_float((uint32_t)bits_at(a, i) << 16); }

/* The header, padded so that the data begin at a multiple of 64. */
static size_t write_header(char *out, size_t size, const int64_t *shape, int32_t dims) {
  const char order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
  int n = snprintf(out, size, "{'descr': '%cf4', 'fortran_order': False, 'shape': (", order);
  for (int32_t i = 0; i < dims; i++)
    n += snprintf(out + n, size - (size_t)n, "%lld%s", (long long)shape[i],
                  i + 1 < dims ? ", " : (dims == 1 ? "," : ""));
  n += snprintf(out + n, size - (size_t)n, "), }");
  while ((n + 1 + MAGIC_BYTES + 4) % 64) out[n++] = ' ';
  out[n++] = '\n';
  return (size_t)n;
}

void npy_remove(const char *path) {
  struct stat s;
  if (lstat(path, &s) == 0 && S_ISREG(s.st_mode)) remove(path);
}

int npy_save(const char *path, const float *data, const int64_t *shape, int32_t dims, char *why,
             size_t size) {
  char header[512];
  size_t count = 1, length = write_header(header, sizeof header - 64, shape, dims);
  unsigned char start[MAGIC_BYTES + 4] = {0};
  memcpy(start, magic, MAGIC_BYTES);
  start[6] = 1;
  start[8] = (unsigned char)(length & 255);
  start[9] = (unsigned char)(length >> 8);
  for (int32_t i = 0; i < dims; i++) count *= (size_t)shape[i];
  FILE *file = fopen(path, "wb");
  if (!file) return npy_fail(why, size, "cannot be created: %s", strerror(errno));
  errno = 0;
  int written = fwrite(start, 1, sizeof start, file) == sizeof start &&
                fwrite(header, 1, length, file) == length &&
                fwrite(data, sizeof *data, count, file) == count;
  int error = errno;
  if (fclose(file) == 0 && written) return 0;
  if (!error) error = errno;
  npy_remove(path);
  return npy_fail(why, size, "cannot be written: %s", strerror(error ? error : EIO));
}
