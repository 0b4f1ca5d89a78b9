/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bench_options_t bench_options = {.seconds = 1.0, .unfused = 1, .quick = 0};

static const char help[] =
    "rapt-bench [--rapt_seconds=<seconds per benchmark>]   default 1\n"
    "           [--rapt_unfused={1|0}]   prefill also times the unfused OpenBLAS path\n"
    "           [--rapt_quick]           short turns and small sizes\n"
    "           [--peer=<shared object>] whole calls also time another library; up to 4 times.\n"
    "                                    <rapt/peer.h> tells what such an object holds.\n"
    "RAPT_ISA=<isa> limits the kernel set, OMP_NUM_THREADS the workers.\n";

/* The value of --name=value or --name (as "1"), or NULL. */
static const char *value_of(const char *arg, const char *name) {
  size_t n = strlen(name);
  if (strncmp(arg, name, n) != 0) return NULL;
  if (arg[n] == 0) return "1";
  return arg[n] == '=' ? arg + n + 1 : NULL;
}

static int32_t truth(const char *value) {
  return strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
}

/* Takes --peer at argv[i], if it is there. Returns how many words that were, or -1 after printing. */
static int take_peer(char **argv, int i) {
  const char *arg = argv[i], *path = NULL;
  if (strcmp(arg, "--peer") == 0)
    path = argv[i + 1];
  else if (strncmp(arg, "--peer=", 7) == 0)
    path = arg + 7;
  else
    return 0;
  if (!path || !*path || *path == '-') {
    fprintf(stderr, "rapt-bench: --peer needs the path of a shared object\n");
    return -1;
  }
  if (bench_options.n_peers == BENCH_PEERS) {
    fprintf(stderr, "rapt-bench: --peer=%s is one too many: %d are the most\n", path, BENCH_PEERS);
    return -1;
  }
  bench_options.peers[bench_options.n_peers++] = path;
  return arg[6] ? 1 : 2;
}

int bench_options_parse(int argc, char **argv) {
  int kept = 1;
  int32_t seconds_given = 0;
  for (int i = 1; i < argc; i++) {
    const char *value;
    int taken = take_peer(argv, i);
    if (taken < 0) return -1;
    if (taken > 0) {
      i += taken - 1;
    } else if ((value = value_of(argv[i], "--rapt_seconds"))) {
      char *end;
      bench_options.seconds = strtod(value, &end);
      seconds_given = 1;
      if (*end || !(bench_options.seconds > 0)) {
        fprintf(stderr, "rapt-bench: --rapt_seconds=%s is not a positive number\n", value);
        return -1;
      }
    } else if ((value = value_of(argv[i], "--rapt_unfused"))) {
      bench_options.unfused = truth(value);
    } else if ((value = value_of(argv[i], "--rapt_quick"))) {
      bench_options.quick = truth(value);
    } else if (strncmp(argv[i], "--rapt_", 7) == 0) {
      fprintf(stderr, "rapt-bench: unknown flag %s\n%s", argv[i], help);
      return -1;
    } else {
      if (strcmp(argv[i], "--help") == 0) fputs(help, stdout);
      argv[kept++] = argv[i];
    }
  }
  argv[kept] = NULL;
  if (bench_options.quick && !seconds_given) bench_options.seconds = 0.1;
  return kept;
}
