/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stored_mask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "tool.h"

/* A number that float16 holds exactly, in the bits of any type. */
static uint64_t bits_of(double x, int item) {
  uint64_t bits = 0;
  float single = (float)x;
  uint32_t word;
  memcpy(&word, &single, 4);
  if (item == 8) memcpy(&bits, &x, 8);
  if (item == 4) bits = word;
  if (item == 2 && word << 1) {
    uint32_t exponent = isinf(x) ? 31 : (word >> 23 & 255) - 112;
    bits = (word >> 16 & 0x8000) | exponent << 10 | (isinf(x) ? 0 : word >> 13 & 1023);
  }
  return bits;
}

static double value_of(rng *r, const char *type, int forbidden) {
  if (type[1] == 'b') return !forbidden;
  if (type[1] == 'u') return forbidden ? 0 : 1 + rng_below(r, 255);
  return forbidden ? -(double)INFINITY : (rng_below(r, 65) - 32) / 8.0;
}

void *stored_mask(sample *s, const char *type, int32_t dims, const int32_t extent[4]) {
  rng r = rng_make(rapt_test_seed() + 1);
  int item = type[2] - '0', held = item == 8 ? 4 : item, big = type[0] == '>';
  size_t n = 1;
  for (int i = 0; i < 4; i++) n *= (size_t)extent[i];
  unsigned char *file = malloc(n * (size_t)item), *data = malloc(n * (size_t)held);
  if (!file || !data) exit(2);
  for (size_t at = 0; at < n; at++) {
    int32_t query = (int32_t)(at / (size_t)extent[3] % (size_t)extent[2]);
    double x = value_of(&r, type, query == 1 || rng_below(&r, 4) == 0);
    int integer = type[1] != 'f';
    uint64_t stored = integer ? (uint64_t)x : bits_of(x, item);
    for (int b = 0; b < item; b++)
      file[at * (size_t)item + (size_t)(big ? item - 1 - b : b)] = (unsigned char)(stored >> 8 * b);
    uint64_t bits = integer ? (uint64_t)x : bits_of(x, held);
    uint32_t word = (uint32_t)bits;
    uint16_t half = (uint16_t)bits;
    if (held == 4) memcpy(data + at * 4, &word, 4);
    if (held == 2) memcpy(data + at * 2, &half, 2);
    if (held == 1) data[at] = (unsigned char)bits;
  }
  char header[200], shape[100] = "";
  for (int i = 4 - dims; i < 4; i++)
    snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%d,", (int)extent[i]);
  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n",
           type, shape);
  scratch_npy("m.npy", 1, header, file, n * (size_t)item);
  free(file);
  s->desc.mask = type[1] != 'f' ? RAPT_MASK_BOOL : item == 2 ? RAPT_MASK_F16 : RAPT_MASK_F32;
  s->args.mask = (rapt_mask){.data = data};
  memcpy(s->args.mask.extent, extent, sizeof s->args.mask.extent);
  int64_t key = held, query = key * extent[3], head = query * extent[2];
  memcpy(s->args.mask.stride, (int64_t[4]){head * extent[1], head, query, key},
         sizeof s->args.mask.stride);
  return data;
}

void stored_mask_free(sample *s, void *data) {
  s->desc.mask = RAPT_MASK_NONE;
  s->args.mask = (rapt_mask){.data = NULL};
  free(data);
}

void stored_floats(const char *name, const float *x, int32_t n) {
  char header[100];
  snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n",
           (int)n);
  scratch_npy(name, 1, header, x, (size_t)n * sizeof *x);
}
