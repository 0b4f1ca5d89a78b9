/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The cases from outside: folders with a case.json and .npy files, read in place. The folder is named
 * by RAPT_CONFORMANCE, or lies at ../shared/conformance beside the source tree. */
#ifndef RAPT_TESTS_CONFORMANCE_DATA_H
#define RAPT_TESTS_CONFORMANCE_DATA_H

#include "common/npy.h"
#include "support/json.h"

/* NULL when absent. */
const char *data_root(void);

typedef struct data_case {
  char name[128];
  char dir[700];
  json *doc;
} data_case;

/* Calls `visit` for every case of the set (a folder below the root, e.g. "onnx" or "real/npm"), in
 * order of names. Returns the number of cases; a case that cannot be read fails the test. */
int data_each(const char *set, void (*visit)(const data_case *c, void *arg), void *arg);

/* The entry of "inputs", "outputs" or "extra" with this role (or name); NULL if there is none. */
const json *data_entry(const data_case *c, const char *list, const char *role);

/* The array of an entry, or the file `file` of the case: 1, or 0 when absent. An unreadable file fails
 * the test. */
int data_array(const data_case *c, const char *list, const char *role, npy_array *array);
int data_file(const data_case *c, const char *file, npy_array *array);

/* "attributes"; a number may be written as a string ("-inf"). */
double data_number(const data_case *c, const char *key, double otherwise);

#endif
