/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

static bench_peer peers[BENCH_PEERS];
static int32_t n_peers;

static const char name_characters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

/* "theirs" for "some/where/libpeer-theirs.so.1". What a name may not hold becomes an underscore. */
static void name_of_file(const char *path, char name[BENCH_PEER_NAME]) {
  const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
  if (strncmp(begin, "lib", 3) == 0) begin += 3;
  if (strncmp(begin, "peer-", 5) == 0 || strncmp(begin, "peer_", 5) == 0) begin += 5;
  const char *end = strstr(begin, ".so");
  size_t length = end ? (size_t)(end - begin) : strlen(begin);
  if (length >= BENCH_PEER_NAME) length = BENCH_PEER_NAME - 1;
  for (size_t i = 0; i < length; i++) {
    char c = begin[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    name[i] = c;
    if (!strchr(name_characters, c)) name[i] = '_';
  }
  name[length] = 0;
}

/* ISO C has no cast from data to function. */
static void *symbol(void *library, const char *name, void *function, size_t size) {
  void *at = dlsym(library, name);
  memcpy(function, &at, size);
  return at;
}

static int find_name(bench_peer *peer, void *library) {
  const char *(*tell)(void);
  if (symbol(library, "rapt_peer_version", &tell, sizeof tell)) peer->version = tell();
  if (!peer->version) peer->version = "";
  name_of_file(peer->path, peer->name);
  if (symbol(library, "rapt_peer_name", &tell, sizeof tell)) {
    const char *name = tell();
    if (!name || !*name || strlen(name) >= BENCH_PEER_NAME ||
        name[strspn(name, name_characters)] != 0) {
      fprintf(stderr,
              "rapt-bench: --peer=%s calls itself '%s', but a name is 1 to %d of [a-z0-9_]\n",
              peer->path, name ? name : "", BENCH_PEER_NAME - 1);
      return -1;
    }
    strcpy(peer->name, name);
  }
  const char *other = strcmp(peer->name, "unfused") == 0 ? "the built-in baseline" : NULL;
  for (const bench_peer *earlier = peers; earlier < peer; earlier++)
    if (strcmp(peer->name, earlier->name) == 0) other = earlier->path;
  if (other) {
    fprintf(stderr, "rapt-bench: --peer=%s is called %s, and so is %s: names must differ\n",
            peer->path, peer->name, other);
    return -1;
  }
  return 0;
}

static int load(bench_peer *peer, const char *path) {
  char here[4096];
  peer->path = path;
  /* Without a slash the loader would look in the system's folders only. */
  snprintf(here, sizeof here, "./%s", path);
  const char *file = !strchr(path, '/') && access(here, F_OK) == 0 ? here : path;
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "rapt-bench: --peer=%s cannot be loaded: %s\n", path, dlerror());
    return -1;
  }
  if (!symbol(library, "rapt_peer_attention_v1", &peer->attention, sizeof peer->attention)) {
    fprintf(stderr,
            "rapt-bench: --peer=%s has no function rapt_peer_attention_v1 (see <rapt/peer.h>)\n",
            path);
    return -1;
  }
  return find_name(peer, library);
}

int bench_peers_open(void) {
  for (int32_t i = 0; i < bench_options.n_peers; i++) {
    if (load(&peers[i], bench_options.peers[i]) != 0) return -1;
    n_peers++;
  }
  return 0;
}

int32_t bench_peers_count(void) { return n_peers; }

bench_peer *bench_peers_get(int32_t index) { return &peers[index]; }

void bench_peers_report(void) {
  for (int32_t i = 0; i < n_peers; i++)
    fprintf(stderr, "peer %s: compared in %d benchmarks, refused %d, wrong in %d (%s)\n",
            peers[i].name, (int)peers[i].compared, (int)peers[i].refused, (int)peers[i].wrong,
            peers[i].path);
}
