/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "masks.h"

#include <string.h>

/* ---- Where the rows lie ---------------------------------------------------------------------- */

static int64_t stride_of(const rapt_mask *m, int dim) {
  return m->extent[dim] > 1 ? m->stride[dim] : 0;
}

void rapt_mask_rows_get(const rapt_call *call, const rapt_sequence *s, const rapt_row *rows,
                        int32_t count, int32_t lanes, rapt_mask_rows *out) {
  const rapt_mask *m = &call->args.mask;
  const int64_t head = stride_of(m, 1), query = stride_of(m, 2);
  const uintptr_t first = (uintptr_t)m->data + (uintptr_t)(s->index * stride_of(m, 0));
  out->key_stride = stride_of(m, 3);
  out->lanes = lanes;
  out->uniform = 1;
  for (int32_t i = 0; i < lanes; i++) {
    const rapt_row *r = &rows[i < count ? i : count - 1]; /* lanes beyond are as the last row */
    out->row[i] = (const char *)(first + (uintptr_t)(r->head * head + r->token * query));
    out->factor[i] = m->factors ? m->factors[r->head] : 1.0f;
    if (out->row[i] != out->row[0] || memcmp(&out->factor[i], &out->factor[0], sizeof(float)) != 0)
      out->uniform = 0;
  }
}

/* ---- One row ---------------------------------------------------------------------------------- */

/* Keys [first, first + keys) of a row of bits. Words are read only where they hold such keys. */
static void bits_of_words(const char *row, int32_t first, int32_t keys, uint32_t *words) {
  const uint32_t *from = (const uint32_t *)(const void *)row + first / 32;
  const int32_t shift = first % 32;
  for (int32_t n = 0, w = 0; n < keys; n += 32, w++) {
    int32_t left = keys - n < 32 ? keys - n : 32;
    uint32_t bits = from[w] >> shift;
    if (shift && shift + left > 32) bits |= from[w + 1] << (32 - shift);
    if (left < 32) bits &= (1u << left) - 1u;
    words[(int64_t)w * RAPT_MAX_LANES] = bits;
  }
}

/* Elements that are not next to each other are put there first. */
static const char *contiguous(const rapt_plan *plan, const char *row, int64_t stride, int32_t keys,
                              char *to) {
  const int32_t element = plan->mask_element;
  if (stride == element) return row;
  for (int32_t n = 0; n < keys; n++)
    memcpy(to + (int64_t)n * element, row + n * stride, (size_t)element);
  return to;
}

/* Words and, if additive, bias of one row; 1 if the bias is more than 0 and -inf. */
static int32_t read_row(const rapt_call *call, const rapt_mask_rows *rows, int32_t i, int32_t first,
                        int32_t keys, const rapt_scratch *sc, uint32_t *words, float *bias) {
  const rapt_mask_ops *ops = &call->plan->prefill->mask;
  if (call->plan->desc.mask == RAPT_MASK_BITS) {
    bits_of_words(rows->row[i], first, keys, words);
    return 0;
  }
  const char *at = rows->row[i] + first * rows->key_stride;
  at = contiguous(call->plan, at, rows->key_stride, keys, sc->mask_row);
  switch (call->plan->desc.mask) {
  case RAPT_MASK_F32:
    return ops->bias_f32(at, keys, rows->factor[i], bias, words);
  case RAPT_MASK_F16:
    return ops->bias_f16(at, keys, rows->factor[i], bias, words);
  case RAPT_MASK_BF16:
    return ops->bias_bf16(at, keys, rows->factor[i], bias, words);
  default:
    ops->bools(at, keys, words);
    return 0;
  }
}

static int32_t adds_bias(const rapt_plan *plan) { return plan->desc.mask >= RAPT_MASK_F32; }

/* ---- A tile ----------------------------------------------------------------------------------- */

static int32_t same_row(const rapt_mask_rows *rows, int32_t i) {
  return rows->row[i] == rows->row[i - 1] &&
         memcmp(&rows->factor[i], &rows->factor[i - 1], sizeof(float)) == 0;
}

/* Words of all lanes, bias rows; heads of a group that share a mask row read it once. */
static int32_t read_tile(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                         int32_t first, int32_t keys) {
  const int32_t lanes = rows->uniform ? 1 : rows->lanes;
  int32_t adds = 0;
  for (int32_t i = 0; i < lanes; i++) {
    uint32_t *words = sc->mask_words + i;
    float *bias = sc->bias + i * sc->bias_stride;
    if (i > 0 && same_row(rows, i)) {
      for (int32_t n = 0, w = 0; n < keys; n += 32, w += RAPT_MAX_LANES) words[w] = words[w - 1];
      if (adds_bias(call->plan))
        memcpy(bias, bias - sc->bias_stride, (size_t)sc->bias_stride * sizeof *bias);
    } else {
      adds |= read_row(call, rows, i, first, keys, sc, words, bias);
    }
  }
  return adds;
}

/* permit[n] of the mask alone. */
static void permit_keys(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                        int32_t keys, uint32_t all) {
  uint32_t *permit = sc->mask_permit;
  if (rows->uniform)
    for (int32_t n = 0; n < keys; n++)
      permit[n] = sc->mask_words[(int64_t)n / 32 * RAPT_MAX_LANES] >> n % 32 & 1 ? all : 0;
  else
    call->plan->prefill->mask.permit(sc->mask_words, rows->lanes, keys, permit);
}

/* Takes away what the ranges forbid; 1 if the mask forbids nothing more than they do. */
static int32_t and_ranges(const rapt_scratch *sc, const rapt_block *b, uint32_t all) {
  uint32_t *permit = sc->mask_permit, more = 0;
  for (int32_t n = 0; n < b->keys; n++) {
    const uint32_t range = b->permit ? b->permit[n] : all;
    permit[n] &= range;
    more |= permit[n] ^ range;
  }
  return more == 0;
}

/* What the words say of the block. */
typedef struct tile_facts {
  int32_t kept;                 /* keys that some lane may see ... */
  int32_t begin, end;           /* ... which lie in between */
  int32_t full_begin, full_end; /* first run of keys that all lanes may see */
} tile_facts;

static tile_facts look(const uint32_t *permit, int32_t keys, uint32_t all) {
  tile_facts f = {0, keys, 0, 0, 0};
  int32_t n = 0;
  for (; n < keys; n++) {
    if (!permit[n]) continue;
    if (f.kept++ == 0) f.begin = n;
    f.end = n + 1;
  }
  for (n = 0; n < keys && permit[n] != all; n++) {
  }
  f.full_begin = n < keys ? n : 0;
  for (; n < keys && permit[n] == all; n++) f.full_end = n + 1;
  return f;
}

/* ---- What is left of a block ------------------------------------------------------------------- */

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

static void gather(rapt_keys_view *view, const int32_t *index, int32_t kept, int32_t head_dim,
                   float *to) {
  const int64_t bytes = head_dim * (int64_t)sizeof(float);
  if (!view->at) return;
  for (int32_t i = 0; i < kept; i++)
    memcpy((char *)to + i * bytes, view->at + index[i] * view->stride, (size_t)bytes);
  *view = (rapt_keys_view){(const char *)to, bytes};
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
  gather(&kb->k, sc->mask_index, n, d->head_dim_qk, sc->kept_k);
  gather(&kb->v, sc->mask_index, n, d->head_dim_v, sc->kept_v);
  memcpy(b->stop, stop, sizeof stop);
  b->permit = sc->mask_permit;
  b->keys = n;
  kb->key = sc->mask_key;
}

/* Worth it when a quarter of the keys goes: copying a key costs a tenth of computing with it. */
static int32_t is_sparse(int32_t kept, int32_t keys) { return kept * 4 <= keys * 3; }

static void reduce(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                   tile_facts f, uint32_t all, rapt_key_block *kb) {
  rapt_block *b = &kb->block;
  b->permit = sc->mask_permit;
  trim_tail(b, f.end);
  if (f.begin > 0 && !kb->bias) trim_head(kb, f.begin); /* bias rows stay aligned */
  if (is_sparse(f.kept, b->keys)) gather_kept(call, rows, sc, kb);
  f = look(b->permit, b->keys, all);
  b->full_begin = f.full_begin;
  b->full_end = f.full_end;
}

enum { TILE_UNKNOWN, TILE_EMPTY, TILE_FULL, TILE_MIXED };

static void remember(uint8_t *tile, int32_t what) {
  if (tile) __atomic_store_n(tile, (uint8_t)what, __ATOMIC_RELAXED);
}

int32_t rapt_mask_block(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                        uint8_t *tile, rapt_key_block *kb) {
  const int32_t known = tile ? __atomic_load_n(tile, __ATOMIC_RELAXED) : TILE_UNKNOWN;
  if (known == TILE_EMPTY) return 0;
  if (known == TILE_FULL) return 1;
  rapt_block *b = &kb->block;
  const uint32_t all = rows->lanes < 32 ? (1u << rows->lanes) - 1u : UINT32_MAX;
  const int32_t adds = read_tile(call, rows, sc, kb->first, b->keys);
  permit_keys(call, rows, sc, b->keys, all);
  const int32_t no_more = and_ranges(sc, b, all);
  const tile_facts f = look(sc->mask_permit, b->keys, all);
  if (f.kept == 0) {
    remember(tile, TILE_EMPTY);
    return 0;
  }
  if (adds) {
    kb->bias = sc->bias;
    kb->bias_stride = rows->uniform ? 0 : sc->bias_stride;
  }
  if (no_more) {
    remember(tile, adds ? TILE_MIXED : TILE_FULL);
    return 1;
  }
  remember(tile, TILE_MIXED);
  reduce(call, rows, sc, f, all, kb);
  return 1;
}

/* ---- Tiles that heads share ------------------------------------------------------------------- */

int32_t rapt_mask_shared(const rapt_call *call) {
  return call->plan->desc.mask && call->plan->desc.heads_kv > 1 &&
         stride_of(&call->args.mask, 1) == 0 && !call->args.mask.factors;
}

uint8_t *rapt_mask_tile(const rapt_call *call, const rapt_sequence *s, int64_t row, int64_t key) {
  if (!call->tiles || s->row_kernel) return 0;
  int64_t tile_row = s->index * call->layout.tile_rows + row / call->plan->prefill->panel[0].lanes;
  return call->tiles + tile_row * call->layout.tile_blocks + key / call->plan->prefill->key_block;
}

void rapt_mask_prefetch(const rapt_call *call, const rapt_mask_rows *rows, int64_t key,
                        int32_t keys, int64_t tiles, rapt_prefetch *p) {
  const int64_t element = call->plan->mask_element;
  if (rows->uniform || rows->key_stride != element || element == 0) return;
  const int64_t lines = (keys * element + RAPT_PREFETCH_LINE - 1) / RAPT_PREFETCH_LINE;
  p->lines_per_tile = (int32_t)((rows->lanes * lines + tiles - 1) / tiles);
  p->count = p->current = p->offset = 0;
  /* Runs of rows at one distance; heads that share a row are at distance 0. */
  for (int32_t i = 0; i < rows->lanes && p->count < RAPT_PREFETCH_STREAMS;) {
    int32_t n = i + 1;
    intptr_t step = n < rows->lanes ? (intptr_t)rows->row[n] - (intptr_t)rows->row[i] : 0;
    while (n < rows->lanes && (intptr_t)rows->row[n] - (intptr_t)rows->row[n - 1] == step) n++;
    rapt_prefetch_stream s = {rows->row[i] + key * element, step, step ? n - i : 1,
                              (int32_t)(keys * element)};
    p->stream[p->count++] = s;
    i = n;
  }
}
