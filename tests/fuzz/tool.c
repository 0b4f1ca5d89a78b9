/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Throws mutated .npy files and command lines at the tool's parsers, in this process.
 *
 *   fuzz-tool [--seconds N] [--seed N]
 *
 * What is demanded: no crash, no sanitizer's report, a sentence for every refusal, a consistent array
 * for every file that is accepted. The seed is printed; execution n of a seed is always the same. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/npy.h"
#include "rapt/commands.h"
#include "rapt/request.h"
#include "common/rng.h"

enum { MAX_FILE = 600, MAX_ARGUMENTS = 40 };

typedef struct counts {
  uint64_t files, files_read, lines, lines_parsed, requests;
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
    npy_free(&a);
  }
  fclose(stream);
}

/* ---- Command lines ------------------------------------------------------------------------- */

static const char *const values[] = {
    "q.npy", "bhsd",  "bshd",   "top-left",   "bottom-right",
    "1,2",   "-1,-1", "0",      "1",          "0.5",
    "-3",    "nan",   "inf",    "1e400",      "1e-400",
    "0x1p3", "",      ",",      ",,,,",       "1,2,3,4,5",
    "--",    "-",     "--help", "2147483648", "99999999999999999999",
    " 7",    "7 ",    "avx2",   "%s%n"};
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

static void fuzz_line(rng *r, counts *done) {
  static char text[MAX_ARGUMENTS][WORD];
  static request out;
  char *argv[MAX_ARGUMENTS + 1];
  failure why = {""};
  arguments given;
  const page *p = commands[rng_below(r, n_commands)].page;
  int argc = make_line(r, p, text, argv);
  done->lines++;
  int status = options_parse(p, argc, argv, &given, &why);
  assert(status == 0 ||
         (status == EXIT_WRONG_USE && why.sentence[0] && !strchr(why.sentence, '\n')));
  if (status) return;
  done->lines_parsed++;
  if (p != &run_page || given.help) return;
  status = request_read(&given, &out, &why);
  assert(status == 0 ||
         (status == EXIT_WRONG_USE && why.sentence[0] && !strchr(why.sentence, '\n')));
  if (status) return;
  done->requests++;
  assert(out.scale == out.scale && out.temperature > 0 && out.tolerance >= 0);
  assert(out.threads >= 0 && out.heatmap >= -1 && out.left >= -1 && out.right >= -1);
  for (int32_t i = 0; i < out.n_kv_lens; i++) assert(out.kv_lens[i] >= 0);
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
  printf("%llu files (%llu accepted), %llu command lines (%llu parsed, %llu requests accepted), no "
         "crash\n",
         (unsigned long long)done.files, (unsigned long long)done.files_read,
         (unsigned long long)done.lines, (unsigned long long)done.lines_parsed,
         (unsigned long long)done.requests);
  return done.files_read && done.lines_parsed && done.requests ? 0 : 1;
}
