/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define OWNED_BY_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OWNED_BY_SANITIZER 1
#endif

static __thread int watching;
static __thread forbidden_calls seen;

void interpose_begin(void) {
  seen = (forbidden_calls){0, 0, 0, 0};
  watching = 1;
}

forbidden_calls interpose_end(void) {
  watching = 0;
  return seen;
}

#ifdef OWNED_BY_SANITIZER

int interpose_works(void) { return 0; }

#else

/* glibc's own entry points, so that nothing has to be looked up before the first allocation. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

void *malloc(size_t bytes) {
  seen.allocate += watching;
  return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes) {
  seen.allocate += watching;
  return __libc_calloc(n, bytes);
}

void *realloc(void *memory, size_t bytes) {
  seen.allocate += watching;
  return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  seen.allocate += watching;
  return __libc_memalign(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes) {
  seen.allocate += watching;
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  seen.allocate += watching;
  void *got = __libc_memalign(alignment, bytes);
  if (!got) return ENOMEM;
  *memory = got;
  return 0;
}

void free(void *memory) {
  seen.release += watching;
  __libc_free(memory);
}

typedef void (*any_fn)(void);

static any_fn next_of(const char *name) {
  any_fn fn;
  void *at = dlsym(RTLD_NEXT, name);
  memcpy(&fn, &at, sizeof fn); /* ISO C has no cast from data to function */
  return fn;
}

char *getenv(const char *name) {
  static any_fn next;
  seen.environment += watching;
  if (!next) next = next_of("getenv");
  return ((char *(*)(const char *))next)(name);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static any_fn next;
  seen.lock += watching;
  if (!next) next = next_of("pthread_mutex_lock");
  return ((int (*)(pthread_mutex_t *))next)(mutex);
}

int interpose_works(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  interpose_begin();
  void *volatile memory = malloc(1);
  const char *volatile text = getenv("PATH");
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  free(memory);
  (void)text;
  forbidden_calls calls = interpose_end();
  return calls.allocate == 1 && calls.release == 1 && calls.lock == 1 && calls.environment == 1;
}

#endif
