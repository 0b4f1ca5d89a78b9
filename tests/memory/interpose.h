/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts what a run must not do: this program defines malloc and its relatives, getenv and
 * pthread_mutex_lock itself and passes the calls on. */
#ifndef RAPT_TESTS_MEMORY_INTERPOSE_H
#define RAPT_TESTS_MEMORY_INTERPOSE_H

typedef struct forbidden_calls {
  long allocate, release, lock, environment;
} forbidden_calls;

/* 0 where another tool (a sanitizer) owns these functions. */
int interpose_works(void);

/* Calls of this thread between the two. */
void interpose_begin(void);
forbidden_calls interpose_end(void);

#endif
