/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scratch.h"

/* Hands out 64-byte aligned pieces; with base NULL it only counts. */
typedef struct cursor {
  char *base;
  int64_t at;
} cursor;

static void *take(cursor *c, int64_t bytes) {
  void *p = c->base ? c->base + c->at : 0;
  c->at += (bytes + 63) / 64 * 64;
  return p;
}

static float *take_floats(cursor *c, int64_t n) { return take(c, n * (int64_t)sizeof(float)); }

static rapt_partial take_partial(cursor *c, int64_t sums, int64_t output) {
  rapt_partial p;
  p.m = take_floats(c, sums);
  p.l = take_floats(c, sums);
  p.o = take_floats(c, output);
  return p;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void carve_mask(const rapt_plan *plan, cursor *c, rapt_scratch *s) {
  const int64_t block = larger(plan->prefill->key_block, plan->decode->row.row_block);
  const int64_t keys = block + RAPT_KEY_ALIGN, words = (keys + 31) / 32;
  const int64_t word = sizeof(uint32_t);
  s->mask_words = take(c, words * RAPT_MAX_LANES * word);
  s->mask_permit = take(c, keys * word);
  s->mask_index = take(c, keys * word);
  s->mask_key = take_floats(c, keys);
  s->mask_row = take(c, keys * plan->mask_element);
  s->bias_stride = keys;
  s->bias = take_floats(c, plan->desc.mask >= RAPT_MASK_F32 ? keys * RAPT_MAX_LANES : 0);
  s->kept_k = take_floats(c, keys * plan->desc.head_dim_qk);
  s->kept_v = take_floats(c, keys * plan->desc.head_dim_v);
}

/* The row kernel uses the first panel's pieces, so each is as large as either needs. */
static int64_t carve(const rapt_plan *plan, char *base, rapt_scratch *s) {
  const rapt_kernel_set *p = plan->prefill, *d = plan->decode;
  const int64_t lanes = p->panel[0].lanes, rows = d->row.most_rows;
  const int64_t sums = larger(lanes, RAPT_MAX_ROWS); /* m, l, alpha */
  const int64_t qk = plan->desc.head_dim_qk, v = plan->desc.head_dim_v;
  cursor c = {base, 0};
  for (int32_t i = 0; i < plan->panels; i++) {
    s->q[i] = take_floats(&c, larger(qk * lanes, rows * rapt_row_stride((int32_t)qk)));
    int64_t output = larger(v * lanes, rows * rapt_row_stride((int32_t)v));
    s->now[i] = take_partial(&c, sums, output);
    s->fold[i] = take_partial(&c, sums, output);
  }
  s->s = take_floats(&c, larger(p->key_block * lanes, rows * d->row.row_block));
  s->m_new = take_floats(&c, lanes);
  s->alpha = take_floats(&c, sums);
  s->permit = take(&c, (larger(p->key_block, d->row.row_block) + RAPT_KEY_ALIGN) *
                           (int64_t)sizeof(uint32_t));
  s->m_raw = take_floats(&c, lanes);
  s->k = take_floats(&c, p->key_block * qk);
  s->v = take_floats(&c, p->key_block * v);
  if (plan->desc.mask) carve_mask(plan, &c, s);
  return c.at;
}

int64_t rapt_scratch_bytes(const rapt_plan *plan) {
  rapt_scratch unused;
  return carve(plan, 0, &unused);
}

void rapt_scratch_get(const rapt_call *call, int32_t worker, rapt_scratch *scratch) {
  carve(call->plan, call->workspace + call->layout.workers + worker * call->layout.worker_bytes,
        scratch);
}

void rapt_slot_get(const rapt_call *call, int64_t slot, int32_t lanes, rapt_partial *partial) {
  char *at = call->workspace + call->layout.slots + slot * call->layout.slot_bytes;
  partial->o = (float *)(void *)at;
  at += call->layout.slot_bytes - 2 * (int64_t)lanes * (int64_t)sizeof(float);
  partial->m = (float *)(void *)at;
  partial->l = partial->m + lanes;
}
