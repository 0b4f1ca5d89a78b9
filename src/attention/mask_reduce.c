/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mask_reduce.h"

#include <string.h>

/* The first run of keys that all lanes may see. */
static void find_full(rapt_block *b, uint32_t all) {
  int32_t n = 0;
  while (n < b->keys && b->permit[n] != all) n++;
  b->full_begin = b->full_end = n < b->keys ? n : 0;
  for (; n < b->keys && b->permit[n] == all; n++) b->full_end = n + 1;
}

/* Keys before `begin` go: no lane may see them. */
static void trim_head(rapt_key_block *kb, int32_t begin) {
  rapt_block *b = &kb->block;
  kb->first += begin;
  kb->k = rapt_keys_from(kb->k, begin);
  kb->v = rapt_keys_from(kb->v, begin);
  b->permit += begin;
  b->keys -= begin;
  for (int32_t c = 0; c < RAPT_MAX_VECTORS; c++)
    b->stop[c] = b->stop[c] > begin ? b->stop[c] - begin : 0;
}

static void trim_tail(rapt_block *b, int32_t end) {
  b->keys = end;
  for (int32_t c = 0; c < RAPT_MAX_VECTORS; c++)
    if (b->stop[c] > end) b->stop[c] = end;
}

/* Rows of the index next to each other. They lie apart: no hardware fetches them ahead. */
static void gather(rapt_keys_view *view, const int32_t *index, int32_t kept, int32_t head_dim,
                   float *to) {
  enum { AHEAD = 6 };
  const int64_t bytes = head_dim * (int64_t)sizeof(float);
  if (!view->at) return;
  for (int32_t i = 0; i < kept; i++) {
    if (i + AHEAD < kept) {
      const char *next = view->at + index[i + AHEAD] * view->stride;
      for (int64_t c = 0; c < bytes; c += RAPT_PREFETCH_LINE) rapt_prefetch_line(next + c);
    }
    memcpy((char *)to + i * bytes, view->at + index[i] * view->stride, (size_t)bytes);
  }
  *view = (rapt_keys_view){(const char *)to, bytes};
}

/* Keys at one distance, as of sequences that are decoded together: rows of a view with a larger stride. */
static int32_t spaced(const int32_t *index, int32_t kept) {
  const int32_t step = kept > 1 ? index[1] - index[0] : 1;
  for (int32_t i = 2; i < kept; i++)
    if (index[i] - index[i - 1] != step) return 0;
  return step;
}

/* Only the keys that some lane may see stay. */
static void gather_kept(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                        rapt_key_block *kb) {
  const rapt_attention_desc *d = &call->plan->desc;
  rapt_block *b = &kb->block;
  int32_t stop[RAPT_MAX_VECTORS] = {0}, n = 0;
  for (int32_t i = 0; i < b->keys; i++) {
    if (!b->permit[i]) continue;
    for (int32_t c = 0; c < RAPT_MAX_VECTORS; c++) stop[c] += i < b->stop[c];
    sc->mask_permit[n] = b->permit[i]; /* permit is mask_permit or later */
    sc->mask_key[n] = (float)i;
    sc->mask_index[n++] = i;
  }
  if (kb->bias)
    for (int32_t r = 0; r < (rows->uniform ? 1 : rows->lanes); r++) {
      float *row = sc->bias + r * sc->bias_stride;
      for (int32_t i = 0; i < n; i++) row[i] = row[sc->mask_index[i]];
    }
  const int32_t step = spaced(sc->mask_index, n);
  if (step) {
    kb->k = (rapt_keys_view){rapt_keys_from(kb->k, sc->mask_index[0]).at, kb->k.stride * step};
    kb->v = (rapt_keys_view){rapt_keys_from(kb->v, sc->mask_index[0]).at, kb->v.stride * step};
  } else {
    kb->gathered = 1;
    gather(&kb->k, sc->mask_index, n, d->head_dim_qk, sc->kept_k);
    gather(&kb->v, sc->mask_index, n, d->head_dim_v, sc->kept_v);
  }
  memcpy(b->stop, stop, sizeof stop);
  b->permit = sc->mask_permit;
  b->keys = n;
  kb->key = sc->mask_key;
}

/* Worth it for panels when a quarter of the keys goes: copying a key costs a tenth of computing with it. The
 * row kernel waits for memory, which delivers rows in order twice as fast as rows here and there: three
 * quarters must go. */
static int32_t is_sparse(const rapt_mask_rows *rows, int32_t kept, int32_t keys) {
  return kept * 4 <= (rows->few ? keys : keys * 3);
}

void rapt_block_reduce(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                       const rapt_permits *said, rapt_key_block *kb) {
  const uint32_t all = rows->lanes < 32 ? (1u << rows->lanes) - 1u : UINT32_MAX;
  rapt_block *b = &kb->block;
  int32_t begin = 0, end = b->keys;
  b->permit = sc->mask_permit;
  while (!b->permit[begin]) begin++;
  while (!b->permit[end - 1]) end--;
  if (end < b->keys) trim_tail(b, end);
  if (begin > 0 && !kb->bias) trim_head(kb, begin); /* bias rows stay aligned */
  if (is_sparse(rows, said->kept, b->keys)) gather_kept(call, rows, sc, kb);
  b->full_begin = b->full_end = 0;
  if (said->full > 0) find_full(b, all);
}
