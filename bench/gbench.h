/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Google Benchmark for C. Names are reported exactly as registered, without the suffixes
 * ("/iterations:1/manual_time") that our way of timing would bring; --benchmark_filter sees the same
 * names. A benchmark's function measures by itself and hands in one time. */
#ifndef RAPT_BENCH_GBENCH_H
#define RAPT_BENCH_GBENCH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbench_state gbench_state;
typedef void (*gbench_function)(gbench_state *state, const void *arg);

/* `arg` must live until gbench_run returns. */
void gbench_register(const char *name, gbench_function function, const void *arg);

/* Key and value in the report's head. */
void gbench_context(const char *key, const char *value);

/* Runs what the flags ask for. Returns 0, or what to exit with. Errors of benchmarks are counted. */
int gbench_run(int argc, char **argv);

/* Benchmarks that called gbench_error. */
int gbench_errors(void);

/* ---- Inside a benchmark ---- */

const char *gbench_name(const gbench_state *state);
void gbench_time(gbench_state *state, double seconds);
void gbench_counter(gbench_state *state, const char *name, double value);
enum { BENCH_LABEL = 384 }; /* room for a label, its end included */
void gbench_label(gbench_state *state, const char *label);
void gbench_error(gbench_state *state, const char *message);

#ifdef __cplusplus
}
#endif

#endif
