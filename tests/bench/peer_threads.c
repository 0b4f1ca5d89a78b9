/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * peer-threads PEER N: has the peer compute with N threads, and fails unless the process then has N. */
#include <dirent.h>
#include <dlfcn.h>
#include <rapt/peer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 16, LENGTH = 256, DIM = 64 };

static _Alignas(64) float q[HEADS * LENGTH * DIM], k[HEADS * LENGTH * DIM];
static _Alignas(64) float v[HEADS * LENGTH * DIM], o[HEADS * LENGTH * DIM];

static int threads_now(void) {
  int n = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *entry; tasks && (entry = readdir(tasks));) n += entry->d_name[0] != '.';
  if (tasks) closedir(tasks);
  return n;
}

int main(int argc, char **argv) {
  int (*attention)(const rapt_peer_call *call);
  if (argc != 3) return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void *at = library ? dlsym(library, "rapt_peer_attention_v1") : NULL;
  if (!at) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  memcpy(&attention, &at, sizeof attention);
  rapt_peer_call call = {.q = q,
                         .k = k,
                         .v = v,
                         .o = o,
                         .batch = 1,
                         .heads_q = HEADS,
                         .heads_kv = HEADS,
                         .q_len = LENGTH,
                         .kv_len = LENGTH,
                         .head_dim = DIM,
                         .dtype = RAPT_PEER_F32,
                         .threads = atoi(argv[2])};
  int status = attention(&call), threads = threads_now();
  printf("returned %d with %d threads\n", status, threads);
  return status == 0 && threads == call.threads ? 0 : 1;
}
