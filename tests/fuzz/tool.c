/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Throws mutated .npy files and command lines at the tool's parsers, in this process.
 *
 *   fuzz-tool [--seconds N] [--seed N]
 *
 * What is demanded: no crash, no sanitizer's report, a sentence for every refusal, a consistent array
 * for every file that is accepted, a mask within its array for every array taken as one. The seed is printed; execution n of a seed is always the same. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/npy.h"
#include "rapt/commands.h"
#include "rapt/explain_request.h"
#include "rapt/mask.h"
#include "common/rng.h"

enum { MAX_FILE = 600, MAX_ARGUMENTS = 40 };

typedef struct counts {
  uint64_t files, files_read, masks, lines, lines_parsed, requests, explanations;
} counts;

/* ---- .npy ---------------------------------------------------------------------------------- */

typedef struct seed_file {
  const char *header;
  int32_t bytes; /* of data that the header asks for */
} seed_file;

static const seed_file seeds[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }", 96},
    {"{'descr': '>f2', 'fortran_order': False, 'shape': (5,), }", 10},
    {"{\"shape\": (), \"descr\": '<f8', 'fortran_order': False}", 8},
    {"{'descr': '|u1', 'fortran_order': True, 'shape': (0, 18446744073709551615)}", 0},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (3, 4), }", 12},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (1, 3, 4), }", 48},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 2, 3), }", 48},
    {"{'descr': [('x', '<i4')], 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1)}", 4},
};
/* Pieces that take a parser to its corners. */
static const char *const pieces[] = {"'",
                                     "\"",
                                     "(",
                                     ")",
                                     ",",
                                     ":",
                                     "{",
                                     "}",
                                     " ",
                                     "\n",
                                     "\\",
                                     "True",
                                     "False",
                                     "'shape'",
                                     "'descr'",
                                     "'fortran_order'",
                                     "0",
                                     "9",
                                     "-1",
                                     "4294967296",
                                     "9223372036854775807",
                                     "99999999999999999999",
                                     "'<f4'",
                                     "'>f8'",
                                     "'|O'",
                                     "[",
                                     "L"};
enum { N_SEEDS = sizeof seeds / sizeof *seeds, N_PIECES = sizeof pieces / sizeof *pieces };

static size_t make_file(rng *r, unsigned char *out) {
  const seed_file *seed = &seeds[rng_below(r, N_SEEDS)];
  size_t length = strlen(seed->header);
  int version = 1 + rng_below(r, 2);
  memcpy(out, "\x93NUMPY", 6);
  out[6] = (unsigned char)version;
  out[7] = 0;
  size_t n = version == 1 ? 10 : 12;
  for (size_t i = 8; i < n; i++) out[i] = (unsigned char)(length >> 8 * (i - 8));
  memcpy(out + n, seed->header, length);
  n += length;
  int32_t data = rng_below(r, 8) ? seed->bytes : rng_below(r, 200);
  for (; data > 0; data--) out[n++] = (unsigned char)rng_u64(r);
  return n;
}

/* Puts `piece` at `at`, over what is there or between it. */
static size_t put(unsigned char *out, size_t n, size_t at, const char *piece, int insert) {
  size_t length = strlen(piece);
  if (at + length > MAX_FILE || (insert && n + length > MAX_FILE)) return n;
  if (insert) {
    memmove(out + at + length, out + at, n - at);
    n += length;
  }
  memcpy(out + at, piece, length); // NOLINT(bugprone-not-null-terminated-result): no string
  return at + length > n ? at + length : n;
}

static size_t mutate(rng *r, unsigned char *out, size_t n) {
  for (int32_t times = rng_below(r, 5); times > 0 && n > 0; times--) {
    size_t at = (size_t)rng_below(r, (int32_t)n);
    switch (rng_below(r, 6)) {
    case 0:
      out[at] = (unsigned char)rng_u64(r);
      break;
    case 1:
      out[at] ^= (unsigned char)(1 << rng_below(r, 8));
      break;
    case 2:
      n = at;
      break;
    case 3:
      memmove(out + at, out + at + 1, n - at - 1);
      n--;
      break;
    default:
      n = put(out, n, at, pieces[rng_below(r, N_PIECES)], rng_below(r, 2));
    }
  }
  return n;
}

/* Half of the headers get their length right again, so that mutations reach the dictionary. */
static void repair_length(rng *r, unsigned char *file, size_t n) {
  if (n < 12 || rng_below(r, 2)) return;
  unsigned char *end = memchr(file, '}', n);
  size_t start = file[6] == 1 ? 10 : 12;
  if (!end || (size_t)(end - file) < start) return;
  size_t length = (size_t)(end - file) + 1 - start;
  for (size_t i = 8; i < start; i++) file[i] = (unsigned char)(length >> 8 * (i - 8));
}

/* The array as --mask: Q and K of shapes that often fit. */
static void fuzz_mask(rng *r, npy_array *a, counts *done) {
  static const int32_t sizes[] = {1, 2, 3, 4, 5};
  tensor q = {.option = "--q", .path = "q.npy"}, k = {.option = "--k", .path = "k.npy"};
  q.batch = sizes[rng_below(r, 5)];
  q.heads = sizes[rng_below(r, 5)];
  q.tokens = sizes[rng_below(r, 5)];
  k.tokens = sizes[rng_below(r, 5)];
  if (a->dims >= 2 && rng_below(r, 2)) {
    q.tokens = (int32_t)(a->shape[a->dims - 2] & 0xffff);
    k.tokens = (int32_t)(a->shape[a->dims - 1] & 0xffff);
  }
  failure why = {""};
  mask_array m;
  const size_t elements = a->count;
  if (mask_of_array(&m, a, "m.npy", &q, &k, &why)) {
    assert(why.sentence[0] && !strchr(why.sentence, '\n') && !m.data);
    return;
  }
  /* The last element of every extent lies in the array: sanitizers see a step beyond. */
  const int64_t item = m.kind == RAPT_MASK_BOOL ? 1 : m.kind == RAPT_MASK_F16 ? 2 : 4;
  int64_t last = 0;
  for (int i = 0; i < 4; i++) last += (m.view.extent[i] - 1) * m.view.stride[i];
  assert(last == (int64_t)(elements - 1) * item);
  volatile unsigned char byte = ((const unsigned char *)m.view.data)[last + item - 1];
  (void)byte;
  assert(!a->data);
  mask_free(&m);
  done->masks++;
}

static void fuzz_file(rng *r, counts *done) {
  unsigned char file[MAX_FILE + 16];
  char why[300] = "";
  npy_array a;
  size_t n = mutate(r, file, make_file(r, file));
  repair_length(r, file, n);
  done->files++;
  if (n == 0) return; /* fmemopen of nothing is an error of its own */
  FILE *stream = fmemopen(file, n, "rb");
  if (!stream) exit(2);
  if (npy_read(stream, &a, why, sizeof why)) {
    assert(why[0] && !a.data);
  } else {
    size_t product = 1;
    volatile double sum = 0;
    for (int32_t i = 0; i < a.dims; i++) product *= (size_t)a.shape[i];
    assert(a.count == product && a.count * (size_t)a.item <= n);
    for (size_t i = 0; i < a.count; i++) sum = sum + npy_at(&a, i);
    done->files_read++;
    fuzz_mask(r, &a, done);
  }
  fclose(stream);
}

/* ---- Command lines ------------------------------------------------------------------------- */

static const char *const values[] = {
    "q.npy", "bhsd",   "bshd",   "top-left",   "bottom-right",
    "1,2",   "-1,-1",  "0",      "1",          "0.5",
    "-3",    "nan",    "inf",    "1e400",      "1e-400",
    "0x1p3", "",       ",",      ",,,,",       "1,2,3,4,5",
    "--",    "-",      "--help", "2147483648", "99999999999999999999",
    " 7",    "7 ",     "avx2",   "%s%n",       "raw",
    "bias",  "0,5,-1", "causal", "attention",  "-2147483648"};
enum { N_VALUES = sizeof values / sizeof *values, WORD = 80 };

static void make_word(rng *r, const page *p, char *out) {
  const option *o = &p->options[rng_below(r, p->n_options)];
  const char *value = values[rng_below(r, N_VALUES)];
  switch (rng_below(r, 8)) {
  case 0:
    snprintf(out, WORD, "%s", value);
    break;
  case 1:
    snprintf(out, WORD, "--%s=%s", o->name, value);
    break;
  case 2:
    snprintf(out, WORD, "-%c", o->letter ? o->letter : 'x');
    break;
  default:
    snprintf(out, WORD, "--%s", o->name);
  }
  size_t n = strlen(out);
  if (n && rng_below(r, 12) == 0) out[rng_below(r, (int32_t)n)] = (char)rng_u64(r);
}

/* The three needed files first, else few lines come further than the first missing one; and mostly a
 * value behind an option that wants one. */
static int make_line(rng *r, const page *p, char text[][WORD], char **argv) {
  int argc = 0;
  if (rng_below(r, 4)) {
    static const char *const needed[] = {"--q", "a", "--k", "b", "--v", "c"};
    for (int i = 0; i < 6; i++) snprintf(text[argc++], WORD, "%s", needed[i]);
  }
  for (int32_t more = rng_below(r, 6); more > 0; more--) {
    make_word(r, p, text[argc++]);
    if (rng_below(r, 4)) snprintf(text[argc++], WORD, "%s", values[rng_below(r, N_VALUES)]);
  }
  for (int i = 0; i < argc; i++) argv[i] = text[i];
  argv[argc] = NULL;
  return argc;
}

static void check_call(const request *r) {
  assert(r->scale == r->scale && r->temperature > 0 && r->softcap >= 0);
  assert(r->threads >= 0 && r->left >= -1 && r->right >= -1 && r->window_keep >= 0);
  assert(!r->window_keep || r->left >= 0);
  assert(!r->n_prefix || r->causal);
  for (int32_t i = 0; i < r->n_kv_lens; i++) assert(r->kv_lens[i] >= 0);
  for (int32_t i = 0; i < r->n_prefix; i++) assert(r->prefix[i] >= 0);
}

static void check_refusal(int status, const failure *why) {
  assert(status == EXIT_WRONG_USE && why->sentence[0] && !strchr(why->sentence, '\n'));
}

static void fuzz_run(const arguments *given, counts *done) {
  static request out;
  failure why = {""};
  int status = request_read(given, &out, &why);
  if (status) {
    check_refusal(status, &why);
    return;
  }
  done->requests++;
  check_call(&out);
  assert(out.q && out.k && out.v && out.tolerance >= 0 && out.heatmap >= -1);
  assert(out.stage >= RAPT_STAGE_RAW && out.stage <= RAPT_STAGE_WEIGHTS);
  assert(!out.n_rows || out.weights || out.key_sums);
}

static void fuzz_explain(const arguments *given, counts *done) {
  static explain_request out;
  failure why = {""};
  int status = explain_read(given, &out, &why);
  if (status) {
    check_refusal(status, &why);
    return;
  }
  done->explanations++;
  check_call(&out.call);
  assert(out.call.example || (out.call.q && out.call.k));
  assert(out.head >= 0 && out.sequence >= 0 && out.top >= 0);
  assert(!out.call.n_rows || out.svg || out.png);
}

static void fuzz_line(rng *r, counts *done) {
  static char text[MAX_ARGUMENTS][WORD];
  char *argv[MAX_ARGUMENTS + 1];
  failure why = {""};
  arguments given;
  const page *p = commands[rng_below(r, n_commands)].page;
  int argc = make_line(r, p, text, argv);
  done->lines++;
  int status = options_parse(p, argc, argv, &given, &why);
  if (status) {
    check_refusal(status, &why);
    return;
  }
  done->lines_parsed++;
  if (given.help) return;
  if (p == &run_page) fuzz_run(&given, done);
  if (p == &explain_page) fuzz_explain(&given, done);
}

/* -------------------------------------------------------------------------------------------- */

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  double limit = 2;
  uint64_t seed = (uint64_t)time(NULL);
  for (int i = 1; i < argc; i += 2) {
    char *end = NULL;
    if (i + 1 < argc && strcmp(argv[i], "--seconds") == 0) limit = strtod(argv[i + 1], &end);
    if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) seed = strtoull(argv[i + 1], &end, 10);
    if (!end || end == argv[i + 1] || *end) {
      fprintf(stderr, "usage: %s [--seconds N] [--seed N]\n", argv[0]);
      return 2;
    }
  }
  printf("seed %llu\n", (unsigned long long)seed);
  fflush(stdout); /* before a crash */
  counts done = {0};
  rng r = rng_make(seed);
  for (double stop = seconds_now() + limit; seconds_now() < stop;)
    for (int i = 0; i < 200; i++) {
      fuzz_file(&r, &done);
      fuzz_line(&r, &done);
    }
  printf(
      "%llu files (%llu accepted, %llu as masks), %llu command lines (%llu parsed, %llu of run and "
      "%llu of explain accepted), no crash\n",
      (unsigned long long)done.files, (unsigned long long)done.files_read,
      (unsigned long long)done.masks, (unsigned long long)done.lines,
      (unsigned long long)done.lines_parsed, (unsigned long long)done.requests,
      (unsigned long long)done.explanations);
  return done.masks && done.requests && done.explanations ? 0 : 1;
}
