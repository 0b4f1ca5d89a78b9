/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _XOPEN_SOURCE 700
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64, LINE = 8192 };

static char folder[200];

static void give_up(const char *what) {
  perror(what);
  exit(2);
}

static void remove_folder(void) {
  char path[600];
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.') unlink(path);
  }
  if (dir) closedir(dir);
  rmdir(folder);
}

static const char *scratch_folder(void) {
  const char *top = getenv("TMPDIR");
  if (folder[0]) return folder;
  snprintf(folder, sizeof folder, "%s/rapt-tool-XXXXXX", top && *top ? top : "/tmp");
  if (!mkdtemp(folder)) give_up(folder);
  atexit(remove_folder);
  return folder;
}

const char *scratch(const char *name) {
  static char paths[4][300];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", scratch_folder(), name);
  return path;
}

void scratch_write(const char *name, const void *bytes, size_t n) {
  FILE *file = fopen(scratch(name), "wb");
  if (!file || fwrite(bytes, 1, n, file) != n || fclose(file)) give_up(name);
}

void scratch_npy(const char *name, int version, const char *dictionary, const void *data,
                 size_t n) {
  size_t length = strlen(dictionary);
  unsigned char start[12] = "\x93NUMPY";
  start[6] = (unsigned char)version;
  start[7] = 0;
  for (int i = 0; i < 4; i++) start[8 + i] = (unsigned char)(length >> 8 * i);
  FILE *file = fopen(scratch(name), "wb");
  if (!file || fwrite(start, 1, version == 1 ? 10 : 12, file) == 0 ||
      fwrite(dictionary, 1, length, file) != length || fwrite(data, 1, n, file) != n ||
      fclose(file))
    give_up(name);
}

/* Replaces {} by the scratch folder and cuts the line into words. */
static void split(const char *line, char *text, char **words) {
  size_t used = 0;
  int n = 0;
  words[n++] = text;
  for (; *line; line++) {
    if (n == MAX_WORDS - 1 || used + sizeof folder >= LINE) give_up("line too long");
    if (line[0] == '{' && line[1] == '}') {
      used += (size_t)snprintf(text + used, LINE - used, "%s", scratch_folder());
      line++;
    } else if (*line == ' ') {
      text[used++] = '\0';
      words[n++] = text + used;
    } else if (line[0] == '"' && line[1] == '"') {
      line++;
    } else {
      text[used++] = *line;
    }
  }
  text[used] = '\0';
  words[n] = NULL;
}

static void child(const char *environment, char **words, int out, int err) {
  char text[1024];
  snprintf(text, sizeof text, "%s", environment);
  for (char *at = strtok(text, " "); at; at = strtok(NULL, " ")) {
    char *value = strchr(at, '=');
    if (!value) _exit(126);
    *value = '\0';
    setenv(at, value + 1, 1);
  }
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvp(words[0], words);
  _exit(127);
}

/* Reads both ends until both are closed, so that neither can block the program. */
static void collect(int out, int err, outcome *o) {
  struct pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  char *text[2] = {o->out, o->err};
  size_t used[2] = {0, 0};
  for (int open = 2; open > 0;) {
    if (poll(ends, 2, -1) < 0 && errno != EINTR) give_up("poll");
    for (int i = 0; i < 2; i++) {
      if (ends[i].fd < 0 || !ends[i].revents) continue;
      ssize_t got = read(ends[i].fd, text[i] + used[i], OUTCOME_BYTES - 1 - used[i]);
      if (got > 0) used[i] += (size_t)got;
      if (got > 0 || (got < 0 && errno == EINTR)) continue;
      close(ends[i].fd); /* end of file; EIO of a terminal whose other side is gone */
      ends[i].fd = -1;
      open--;
    }
  }
  text[0][used[0]] = text[1][used[1]] = '\0';
}

static void open_output(int terminal, int pair[2]) {
  if (!terminal) {
    if (pipe(pair)) give_up("pipe");
    return;
  }
  pair[0] = posix_openpt(O_RDWR | O_NOCTTY);
  if (pair[0] < 0 || grantpt(pair[0]) || unlockpt(pair[0])) give_up("posix_openpt");
  pair[1] = open(ptsname(pair[0]), O_RDWR | O_NOCTTY);
  if (pair[1] < 0) give_up("ptsname");
}

int tool_has_terminal(void) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static const outcome *launch(const char *environment, int terminal, const char *format,
                             va_list list) {
  static outcome o;
  static char line[LINE], text[LINE];
  char *words[MAX_WORDS];
  int out[2], err[2], status;
  int n = snprintf(line, sizeof line, "%s ", RAPT_TOOL);
  vsnprintf(line + n, sizeof line - (size_t)n, format, list);
  split(line, text, words);
  open_output(terminal, out);
  if (pipe(err)) give_up("pipe");
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0) give_up("fork");
  if (pid == 0) child(environment, words, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  collect(out[0], err[0], &o);
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) give_up("waitpid");
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return &o;
}

const outcome *tool(const char *format, ...) {
  va_list list;
  va_start(list, format);
  const outcome *o = launch("LC_ALL=C", 0, format, list);
  va_end(list);
  return o;
}

const outcome *tool_with(const char *environment, int terminal, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const outcome *o = launch(environment, terminal, format, list);
  va_end(list);
  return o;
}

int tool_refuses(const outcome *o, int code, const char *part, const char *what) {
  const char *end = strchr(o->err, '\n');
  int ok = CHECK(o->code == code, "%s: exit code %d, %d expected; it said: %s", what, o->code, code,
                 o->err);
  ok &= CHECK(strstr(o->err, part) != NULL, "%s: '%s' is not in: %s", what, part, o->err);
  ok &= CHECK(end && end[1] == '\0' && strncmp(o->err, "rapt", 4) == 0, "%s: not one sentence: %s",
              what, o->err);
  ok &= CHECK(o->out[0] == '\0', "%s: it printed: %s", what, o->out);
  return ok;
}
