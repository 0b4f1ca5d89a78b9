/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

typedef struct reader {
  const char *at, *start;
  const char *error; /* first one */
} reader;

static int fail(reader *r, const char *error) {
  if (!r->error) r->error = error;
  return 0;
}

static void space(reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static int literal(reader *r, const char *word) {
  size_t n = strlen(word);
  if (strncmp(r->at, word, n) != 0) return 0;
  r->at += n;
  return 1;
}

static int hex4(const char *at, uint32_t *code) {
  *code = 0;
  for (int i = 0; i < 4; i++) {
    char c = at[i];
    uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                            : 16;
    if (digit == 16) return 0;
    *code = *code * 16 + digit;
  }
  return 1;
}

static char *put_utf8(char *to, uint32_t c) {
  if (c < 0x80) {
    *to++ = (char)c;
  } else if (c < 0x800) {
    *to++ = (char)(0xc0 | c >> 6);
    *to++ = (char)(0x80 | (c & 63));
  } else if (c < 0x10000) {
    *to++ = (char)(0xe0 | c >> 12);
    *to++ = (char)(0x80 | (c >> 6 & 63));
    *to++ = (char)(0x80 | (c & 63));
  } else {
    *to++ = (char)(0xf0 | c >> 18);
    *to++ = (char)(0x80 | (c >> 12 & 63));
    *to++ = (char)(0x80 | (c >> 6 & 63));
    *to++ = (char)(0x80 | (c & 63));
  }
  return to;
}

/* One escape, r->at behind the backslash. */
static int escape(reader *r, char **to) {
  static const char from[] = "\"\\/bfnrt", result[] = "\"\\/\b\f\n\r\t";
  const char *simple = *r->at ? strchr(from, *r->at) : NULL;
  if (simple) {
    *(*to)++ = result[simple - from];
    r->at++;
    return 1;
  }
  uint32_t code, low;
  if (*r->at != 'u' || !hex4(r->at + 1, &code)) return fail(r, "bad escape");
  r->at += 5;
  if (code >= 0xd800 && code < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u' &&
      hex4(r->at + 2, &low) && low >= 0xdc00 && low < 0xe000) {
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    r->at += 6;
  }
  *to = put_utf8(*to, code);
  return 1;
}

static char *string(reader *r) {
  if (*r->at != '"') return fail(r, "a string was expected"), (char *)NULL;
  const char *end = r->at + 1;
  while (*end && *end != '"') end += (end[0] == '\\' && end[1]) ? 2 : 1;
  if (!*end) return fail(r, "unfinished string"), (char *)NULL;
  char *text = malloc((size_t)(end - r->at)), *to = text;
  if (!text) return fail(r, "out of memory"), (char *)NULL;
  for (r->at++; *r->at != '"';) {
    if (*r->at != '\\') {
      *to++ = *r->at++;
    } else {
      r->at++;
      if (!escape(r, &to)) return free(text), (char *)NULL;
    }
  }
  r->at++;
  *to = 0;
  return text;
}

static int value(reader *r, json *v, int depth);

static int grow(reader *r, json *v, int with_key) {
  if ((v->count & (v->count - 1)) == 0) { /* full at each power of two */
    size_t room = v->count ? 2 * v->count : 1;
    json *items = realloc(v->items, room * sizeof *items);
    if (!items) return fail(r, "out of memory");
    v->items = items;
    char **keys = with_key ? realloc(v->keys, room * sizeof *keys) : NULL;
    if (with_key && !keys) return fail(r, "out of memory");
    v->keys = keys;
  }
  memset(&v->items[v->count], 0, sizeof *v->items);
  if (with_key) v->keys[v->count] = NULL;
  v->count++;
  return 1;
}

static int container(reader *r, json *v, int depth) {
  int object = *r->at++ == '{';
  char close = object ? '}' : ']';
  v->type = object ? JSON_OBJECT : JSON_ARRAY;
  space(r);
  if (*r->at == close) return r->at++, 1;
  for (;;) {
    if (!grow(r, v, object)) return 0;
    space(r);
    if (object) {
      if (!(v->keys[v->count - 1] = string(r))) return 0;
      space(r);
      if (*r->at++ != ':') return r->at--, fail(r, "':' was expected");
    }
    if (!value(r, &v->items[v->count - 1], depth + 1)) return 0;
    space(r);
    if (*r->at == close) return r->at++, 1;
    if (*r->at != ',') return fail(r, "',' was expected");
    r->at++;
  }
}

static int set_number(json *v, json_type type, double number) {
  v->type = type;
  v->number = number;
  return 1;
}

static int value(reader *r, json *v, int depth) {
  if (depth > MAX_DEPTH) return fail(r, "too deep");
  space(r);
  if (*r->at == '{' || *r->at == '[') return container(r, v, depth);
  if (*r->at == '"') {
    v->type = JSON_STRING;
    return (v->string = string(r)) != NULL;
  }
  if (literal(r, "null")) return set_number(v, JSON_NULL, 0);
  if (literal(r, "true")) return set_number(v, JSON_BOOL, 1);
  if (literal(r, "false")) return set_number(v, JSON_BOOL, 0);
  if (literal(r, "NaN")) return set_number(v, JSON_NUMBER, (double)NAN);
  if (literal(r, "Infinity")) return set_number(v, JSON_NUMBER, (double)INFINITY);
  if (literal(r, "-Infinity")) return set_number(v, JSON_NUMBER, -(double)INFINITY);
  if (!*r->at || !strchr("-0123456789", *r->at)) return fail(r, "a value was expected");
  char *end;
  set_number(v, JSON_NUMBER, strtod(r->at, &end));
  if (end == r->at) return fail(r, "bad number");
  r->at = end;
  return 1;
}

static void clear(json *v) {
  for (size_t i = 0; i < v->count; i++) {
    clear(&v->items[i]);
    if (v->keys) free(v->keys[i]);
  }
  free(v->items);
  free(v->keys);
  free(v->string);
}

json *json_parse(const char *text, char *why, size_t why_size) {
  reader r = {text, text, NULL};
  json *v = calloc(1, sizeof *v);
  if (v && value(&r, v, 0)) {
    space(&r);
    if (!*r.at) return v;
    fail(&r, "text behind the end");
  }
  if (why && why_size)
    snprintf(why, why_size, "%s at byte %td", r.error ? r.error : "out of memory", r.at - text);
  json_free(v);
  return NULL;
}

json *json_load(const char *path, char *why, size_t why_size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t n = 0, room = 0;
  while (file) {
    if (n + 1 >= room) {
      char *grown = realloc(text, room = room ? 2 * room : 1 << 16);
      if (!grown) break;
      text = grown;
    }
    size_t got = fread(text + n, 1, room - n - 1, file);
    n += got;
    if (!got) break;
  }
  if (file) fclose(file);
  json *v = NULL;
  if (text) {
    text[n] = 0;
    v = json_parse(text, why, why_size);
  } else if (why && why_size) {
    snprintf(why, why_size, "cannot read %s", path);
  }
  free(text);
  return v;
}

void json_free(json *v) {
  if (!v) return;
  clear(v);
  free(v);
}

const json *json_get(const json *v, const char *key) {
  if (!v || v->type != JSON_OBJECT) return NULL;
  for (size_t i = 0; i < v->count; i++)
    if (strcmp(v->keys[i], key) == 0) return &v->items[i];
  return NULL;
}

const json *json_at(const json *v, size_t i) { return v && i < v->count ? &v->items[i] : NULL; }

const char *json_string(const json *v, const char *otherwise) {
  return v && v->type == JSON_STRING ? v->string : otherwise;
}

double json_number(const json *v, double otherwise) {
  return v && (v->type == JSON_NUMBER || v->type == JSON_BOOL) ? v->number : otherwise;
}

int64_t json_integer(const json *v, int64_t otherwise) {
  return v && (v->type == JSON_NUMBER || v->type == JSON_BOOL) ? (int64_t)v->number : otherwise;
}

size_t json_count(const json *v) { return v ? v->count : 0; }
