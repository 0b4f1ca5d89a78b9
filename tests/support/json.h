/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A minimal JSON reader for test data: whole documents into a tree. Accepts NaN and Infinity, as
 * Python writes them. */
#ifndef RAPT_TESTS_JSON_H
#define RAPT_TESTS_JSON_H

#include <stddef.h>
#include <stdint.h>

typedef enum json_type {
  JSON_NULL,
  JSON_BOOL,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
} json_type;

typedef struct json {
  json_type type;
  double number; /* also 0 or 1 of a boolean */
  char *string;  /* UTF-8 */
  size_t count;  /* items of an array or object */
  struct json *items;
  char **keys; /* of an object */
} json;

/* NULL on a syntax error or lack of memory; `why` (may be NULL) then holds the reason. */
json *json_parse(const char *text, char *why, size_t why_size);
json *json_load(const char *path, char *why, size_t why_size);
void json_free(json *value);

/* All accept NULL values and wrong types, and answer NULL or the default. */
const json *json_get(const json *object, const char *key);
const json *json_at(const json *array, size_t i);
const char *json_string(const json *value, const char *otherwise);
double json_number(const json *value, double otherwise);
int64_t json_integer(const json *value, int64_t otherwise);
size_t json_count(const json *value);

#endif
