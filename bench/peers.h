/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The libraries that --peer names (peer.h), loaded. */
#ifndef RAPT_BENCH_PEERS_H
#define RAPT_BENCH_PEERS_H

#include <stdint.h>

#include "peer.h"

enum { BENCH_PEER_NAME = 32 };

typedef struct bench_peer {
  const char *path;
  char name[BENCH_PEER_NAME]; /* [a-z0-9_], different for each */
  const char *version;        /* as the peer tells it, or "" */
  int (*attention)(const rapt_peer_call *call);
  int32_t compared, refused, wrong; /* benchmarks so far */
} bench_peer;

/* Loads bench_options.peers. 0, or -1 after printing what is wrong. */
int bench_peers_open(void);

int32_t bench_peers_count(void);
bench_peer *bench_peers_get(int32_t index);

/* After the run: prints beside how many benchmarks each peer was measured. */
void bench_peers_report(void);

#endif
