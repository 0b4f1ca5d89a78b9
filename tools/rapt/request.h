/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The options of a call, and of `rapt run`, as numbers. No file is opened here. */
#ifndef RAPT_TOOL_REQUEST_H
#define RAPT_TOOL_REQUEST_H

#include "examples.h"
#include "options.h"

enum { REQUEST_MAX_LENS = 4096, REQUEST_MAX_ROWS = 4096, REQUEST_MAX_THREADS = 1024 };

/* Places of the options that every page of a command with a call begins with. */
enum {
#define CALL_OPTION(place, name, argument, help) place,
#include "call_options.def"
#undef CALL_OPTION
  N_CALL_OPTIONS
};

typedef struct request {
  /* Of a call. */
  const char *q, *k, *v;          /* input files; v may be NULL where a command allows it */
  const example_tensors *example; /* or NULL: stands for q, k and v */
  const char *mask, *sinks;       /* files, or NULL */
  const char *isa;                /* or NULL */
  int32_t tokens_first;           /* layout bshd: [batch, token, head, channel] */
  int32_t causal, alibi;
  int32_t align;       /* RAPT_ALIGN_*, NONE if none was named */
  int32_t left, right; /* window: keys, -1 = no limit on that side */
  int32_t window_keep; /* 0 = none */
  int32_t scale_given;
  double scale;                          /* if given */
  double temperature;                    /* 1 unless given */
  double softcap;                        /* 0 = none */
  int32_t threads;                       /* 0 = as many as the library uses */
  int32_t n_q_lens, n_kv_lens, n_prefix; /* 0 = not given */
  int32_t q_lens[REQUEST_MAX_LENS], kv_lens[REQUEST_MAX_LENS], prefix[REQUEST_MAX_LENS];
  /* Of rapt run. */
  const char *o, *lse, *expect;   /* files, or NULL */
  const char *weights, *key_sums; /* files, or NULL */
  int32_t stage;                  /* RAPT_STAGE_* of the file of weights */
  int32_t n_rows;                 /* 0 = all */
  int32_t rows[REQUEST_MAX_ROWS]; /* negative ones count from the end */
  double tolerance;               /* of --expect */
  int32_t check;
  int32_t heatmap; /* query head, or -1 */
} request;

/* 0, or an exit code with a sentence. `given` comes from the page of `rapt run`. */
int request_read(const arguments *given, request *out, failure *why);

/* The options of the call alone, of any page; clears the rest. Files are not asked for. */
int request_read_call(const arguments *given, request *out, failure *why);

/* The first of --q, --k and --v that was not given is an error; --v only if `with_values`. */
int request_needs_files(const request *r, int with_values, failure *why);

/* Whole numbers of at least `min`, separated by commas; *n becomes their count. */
int request_read_list(const char *name, const char *text, int64_t min, int32_t most, int32_t *out,
                      int32_t *n, failure *why);

#endif
