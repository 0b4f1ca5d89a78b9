/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A peer: a shared object with one C function that computes attention, so that programs which time
 * attention can time another library's on their own tensors.
 *
 *   rapt-bench --peer ./libpeer-theirs.so     loads one and measures it beside rapt
 *   librapt-peer.so                           is one, for the programs of others
 *
 * Installed as <rapt/peer.h>. It needs no part of rapt and compiles as C99, C11 and C++. */
#ifndef RAPT_PEER_H
#define RAPT_PEER_H

#include <stdint.h>

#if defined(__GNUC__)
#define RAPT_PEER_API __attribute__((visibility("default")))
#else
#define RAPT_PEER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Element types of all four tensors. Later headers may add some: refuse those you do not know. */
enum { RAPT_PEER_F32 = 0 };

/* One call: o = softmax(q k^T / sqrt(head_dim) + mask) v for each head of each sequence.
 *
 * The four tensors are contiguous in the order batch, head, token, channel:
 *
 *   tensor   shape                               strides in elements
 *   q, o     batch, heads_q,  q_len,  head_dim   heads_q * q_len * head_dim,   q_len * head_dim,  head_dim, 1
 *   k, v     batch, heads_kv, kv_len, head_dim   heads_kv * kv_len * head_dim, kv_len * head_dim, head_dim, 1
 *
 * They are aligned to 64 bytes and do not overlap. Query head h reads head h * heads_kv / heads_q of k
 * and v; heads_q is a multiple of heads_kv. All sizes are at least 1. */
typedef struct rapt_peer_call {
  const void *q, *k, *v;
  void *o; /* its content before the call means nothing: every element must be written */
  int32_t batch, heads_q, heads_kv, q_len, kv_len, head_dim;
  int32_t causal;  /* 1: query i sees keys 0..i alone, and q_len equals kv_len; 0: all see all */
  int32_t dtype;   /* RAPT_PEER_F32 */
  int32_t threads; /* use this many, the caller's thread among them */
} rapt_peer_call;

/* Computes, and has finished when it returns. Returns 0, or another number if it does not support the
 * call or could not carry it out: the caller then reports that number and does without this peer.
 *
 * Calls come one at a time and repeat the same shape many times, so keep plans and scratch between
 * them; with equal sizes the pointers may still differ. Results are compared with rapt's, see
 * bench/README.md. The struct never changes: another contract would have another function. */
RAPT_PEER_API int rapt_peer_attention_v1(const rapt_peer_call *call);

/* Optional: a short name for reports, [a-z0-9_] alone, such as "theirs" or "theirs_2_1". Without it the
 * file's name serves: libpeer-theirs.so is "theirs". */
RAPT_PEER_API const char *rapt_peer_name(void);

/* Optional: the version of the library behind it, for the head of a report. */
RAPT_PEER_API const char *rapt_peer_version(void);

#ifdef __cplusplus
}
#endif

#endif
