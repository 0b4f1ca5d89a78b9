/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/rapt_test.h"

#ifndef RAPT_SOURCE_DIR
#define RAPT_SOURCE_DIR "."
#endif

static int is_there(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}

const char *data_root(void) {
  static const char beside[] = RAPT_SOURCE_DIR "/../shared/conformance";
  const char *named = getenv("RAPT_CONFORMANCE");
  const char *root = named && *named ? named : beside;
  return is_there(root) ? root : NULL;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the entries of a folder, sorted; the caller frees each and the array. */
static char **entries(const char *path, size_t *n) {
  char **names = NULL;
  DIR *dir = opendir(path);
  *n = 0;
  for (struct dirent *e; dir && (e = readdir(dir));) {
    if (e->d_name[0] == '.') continue;
    char **grown = realloc(names, (*n + 1) * sizeof *names);
    if (!grown) exit(2);
    names = grown;
    names[(*n)++] = strdup(e->d_name);
  }
  if (dir) closedir(dir);
  if (*n) qsort(names, *n, sizeof *names, by_text);
  return names;
}

int data_each(const char *set, void (*visit)(const data_case *c, void *arg), void *arg) {
  char path[400], why[200] = "";
  size_t n;
  int cases = 0;
  snprintf(path, sizeof path, "%s/%s", data_root(), set);
  char **names = entries(path, &n);
  for (size_t i = 0; i < n; i++) {
    data_case c = {.doc = NULL};
    char file[720];
    snprintf(c.name, sizeof c.name, "%s", names[i]);
    snprintf(c.dir, sizeof c.dir, "%s/%s", path, names[i]);
    snprintf(file, sizeof file, "%s/case.json", c.dir);
    free(names[i]);
    if (!is_there(file)) continue;
    cases++;
    c.doc = json_load(file, why, sizeof why);
    if (CHECK(c.doc != NULL, "%s: %s", file, why)) visit(&c, arg);
    json_free(c.doc);
  }
  free(names);
  return cases;
}

const json *data_entry(const data_case *c, const char *list, const char *role) {
  const json *all = json_get(c->doc, list);
  for (size_t i = 0; i < json_count(all); i++) {
    const json *e = json_at(all, i);
    if (strcmp(json_string(json_get(e, "role"), ""), role) == 0) return e;
    if (strcmp(json_string(json_get(e, "name"), ""), role) == 0) return e;
  }
  return NULL;
}

int data_file(const data_case *c, const char *file, npy_array *array) {
  char path[900], why[200] = "";
  memset(array, 0, sizeof *array);
  snprintf(path, sizeof path, "%s/%s", c->dir, file);
  if (!is_there(path)) return 0;
  return CHECK(npy_load(path, array, why, sizeof why) == 0, "%s: %s", path, why);
}

int data_array(const data_case *c, const char *list, const char *role, npy_array *array) {
  memset(array, 0, sizeof *array);
  const json *e = data_entry(c, list, role);
  return e && data_file(c, json_string(json_get(e, "file"), "?"), array);
}

double data_number(const data_case *c, const char *key, double otherwise) {
  const json *value = json_get(json_get(c->doc, "attributes"), key);
  const char *text = json_string(value, NULL);
  return text ? strtod(text, NULL) : json_number(value, otherwise);
}
