/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mask_reduce.h"
#include "mask_tile.h"

#include <string.h>

/* TILE_ADDS: nothing is forbidden, something added. */
enum { TILE_UNKNOWN, TILE_EMPTY, TILE_FULL, TILE_ADDS, TILE_MIXED };

static int32_t known_of(const uint8_t *tile) {
  return tile ? __atomic_load_n(tile, __ATOMIC_RELAXED) : TILE_UNKNOWN;
}

/* ---- Where the rows lie ---------------------------------------------------------------------- */

static int64_t stride_of(const rapt_mask *m, int dim) {
  return m->extent[dim] > 1 ? m->stride[dim] : 0;
}

void rapt_mask_rows_get(const rapt_call *call, const rapt_sequence *s, const rapt_row *rows,
                        int32_t count, int32_t lanes, rapt_mask_rows *out) {
  const rapt_mask *m = &call->args.mask;
  /* Unsigned: strides of a mask without elements may be any number and lead nowhere. */
  const uint64_t head = (uint64_t)stride_of(m, 1), query = (uint64_t)stride_of(m, 2);
  const uintptr_t first = (uintptr_t)m->data + (uint64_t)s->index * (uint64_t)stride_of(m, 0);
  out->key_stride = stride_of(m, 3);
  out->lanes = lanes;
  out->uniform = 1;
  out->few = 0;
  for (int32_t i = 0; i < lanes; i++) {
    const rapt_row *r = &rows[i < count ? i : count - 1]; /* lanes beyond are as the last row */
    out->row[i] = (const char *)(first + (uint64_t)r->head * head + (uint64_t)r->token * query);
    out->factor[i] = m->factors ? m->factors[r->head] : 1.0f;
    if (i > 0 && !rapt_mask_rows_equal(out, i)) out->uniform = 0;
  }
}

/* ---- A tile ----------------------------------------------------------------------------------- */

static void remember(uint8_t *tile, int32_t what) {
  if (tile) __atomic_store_n(tile, (uint8_t)what, __ATOMIC_RELAXED);
}

int32_t rapt_mask_block(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                        rapt_key_block *kb) {
  const int32_t known = known_of(kb->tile);
  if (known == TILE_EMPTY) return 0;
  if (known == TILE_FULL) return 1;
  const rapt_block *b = &kb->block;
  const int32_t adds = rapt_tile_look(call, rows, sc, kb->first, b->keys);
  rapt_permits said = {b->keys, b->keys, 0};
  if (!rapt_tile_permits_all(rows, sc, b->keys)) said = rapt_tile_permit(call, rows, sc, b);
  remember(kb->tile, said.kept == 0 ? TILE_EMPTY
                     : said.missing ? TILE_MIXED
                     : adds         ? TILE_ADDS
                                    : TILE_FULL);
  if (said.kept == 0) return 0;
  if (adds) {
    rapt_tile_bias(call, rows, sc, kb->first, b->keys);
    kb->bias = sc->bias;
    kb->bias_stride = rows->uniform ? 0 : sc->bias_stride;
  }
  if (said.missing) rapt_block_reduce(call, rows, sc, &said, kb);
  return 1;
}

int32_t rapt_mask_is_scattered(const rapt_call *call, const rapt_mask_rows *rows,
                               const rapt_scratch *sc, int32_t lo, int32_t hi) {
  enum { TILES = 3 };
  const int32_t block = call->plan->prefill->key_block;
  int64_t kept = 0, seen = 0;
  for (int32_t t = 0; t < TILES && !rows->uniform; t++) {
    const int32_t first = lo + (int32_t)((int64_t)(hi - lo) * t / TILES);
    const rapt_block b = {.keys = hi - first < block ? hi - first : block, .permit = 0};
    if (b.keys <= 0) continue;
    (void)rapt_tile_look(call, rows, sc, first, b.keys);
    kept += rapt_tile_permit(call, rows, sc, &b).kept;
    for (int32_t n = 0; n < b.keys; n++) seen += __builtin_popcount(sc->mask_permit[n]);
  }
  return seen * 3 <= kept * rows->lanes;
}

/* ---- Tiles that are added unseen ---------------------------------------------------------------- */

/* Is the element at hand -inf? */
static int32_t forbids(int32_t type, const char *at) {
  uint32_t word = 0;
  if (type == RAPT_MASK_F32) {
    memcpy(&word, at, 4);
    return word == 0xff800000u;
  }
  uint16_t half;
  memcpy(&half, at, 2);
  return half == (type == RAPT_MASK_F16 ? 0xfc00u : 0xff80u);
}

int32_t rapt_mask_try(const rapt_call *call, const rapt_mask_rows *rows, rapt_key_block *kb) {
  const int32_t known = known_of(kb->tile), element = call->plan->mask_element;
  kb->direct = 0;
  if (rows->uniform || rows->key_stride != element) return 0;
  if (known != TILE_UNKNOWN && known != TILE_ADDS) return 0;
  /* First and last key of each row: causal and padded tiles show there. */
  const int64_t first = kb->first * (int64_t)element,
                last = (kb->block.keys - 1) * (int64_t)element;
  for (int32_t i = 0; known == TILE_UNKNOWN && i < rows->lanes; i++) {
    const char *at = rows->row[i] + first;
    if (forbids(call->plan->desc.mask, at) || forbids(call->plan->desc.mask, at + last)) return 0;
  }
  return kb->direct = 1;
}

int32_t rapt_mask_add(const rapt_call *call, const rapt_panel_ops *ops, const rapt_mask_rows *rows,
                      rapt_key_block *kb, float *s) {
  const int32_t type = call->plan->desc.mask - RAPT_MASK_F32; /* RAPT_BIAS_*, in the same order */
  const char *at[RAPT_MAX_LANES];
  const int64_t first = kb->first * rows->key_stride;
  for (int32_t i = 0; i < rows->lanes; i++) at[i] = rows->row[i] + first;
  kb->direct = 0;
  if (ops->add_mask(type, &kb->block, at, rows->factor, s)) return 0;
  remember(kb->tile, TILE_ADDS);
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

void rapt_mask_prefetch(const rapt_mask_rows *rows, int32_t element, const uint8_t *tile,
                        int64_t key, int32_t keys, int64_t tiles, rapt_prefetch *p) {
  const int32_t known = known_of(tile);
  p->count = p->current = p->offset = 0;
  if (rows->uniform || known == TILE_EMPTY || known == TILE_FULL) return;
  if (element && rows->key_stride != element) return;
  const int64_t from = element ? key * element : key / 8,
                bytes = element ? keys * element : keys / 8;
  const int64_t lines = (bytes + RAPT_PREFETCH_LINE - 1) / RAPT_PREFETCH_LINE;
  p->lines_per_tile = (int32_t)((rows->lanes * lines + tiles - 1) / tiles);
  /* Runs of rows at one distance; heads of a group that share a row are at distance 0. */
  for (int32_t i = 0; i < rows->lanes && p->count < RAPT_PREFETCH_STREAMS;) {
    int32_t n = i + 1;
    const intptr_t step = n < rows->lanes ? (intptr_t)rows->row[n] - (intptr_t)rows->row[i] : 0;
    while (n < rows->lanes && (intptr_t)rows->row[n] - (intptr_t)rows->row[n - 1] == step) n++;
    p->stream[p->count++] = (rapt_prefetch_stream){rows->row[i] + from, step, step ? n - i : 1,
                                                   (int32_t)bytes};
    i = n;
  }
}
