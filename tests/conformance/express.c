/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "express_rules.h"

#include <math.h>

typedef struct inputs {
  npy_array q, k, v, past_k, past_v, lens, cu, bias;
  int has_past, has_lens, packed, cached, has_bias;
  int32_t batch, q_len, kv_len, past; /* kv_len with the past */
  int32_t heads_q, heads_kv, dqk, dv;
  stored_order order;
} inputs;

static const char *const ops[] = {"Attention", "MultiHeadAttention", "PackedMHA", "CachedAttention",
                                  "FlexAttention"};

static const char *unsupported(const data_case *c) {
  const char *op = json_string(json_get(c->doc, "op"), "");
  size_t i = 0;
  while (i < sizeof ops / sizeof *ops && strcmp(op, ops[i]) != 0) i++;
  if (i == sizeof ops / sizeof *ops) {
    if (strstr(op, "Projected")) return "input projection";
    if (strcmp(op, "TensorScatter") == 0) return "cache operator";
    return strcmp(op, "RotaryEmbedding") == 0 ? "rotary embedding" : "another operator";
  }
  const char *type = json_string(json_get(data_entry(c, "inputs", "Q"), "dtype"), "");
  if (strcmp(type, "float32") != 0 && strcmp(type, "float64") != 0) return "16-bit type";
  return express_score_function(c);
}

static int32_t dim(const npy_array *a, int i) { return (int32_t)a->shape[i]; }

/* Shapes: 4-D (B,H,S,D), or (B,S,H,D) for caches; 3-D (B,S,H*D); 2-D (T,H*D). */
static void read_shapes(const data_case *c, inputs *in) {
  int32_t heads = (int32_t)data_number(c, "num_heads", 1);
  in->heads_q = (int32_t)data_number(c, "q_num_heads", heads);
  in->heads_kv = (int32_t)data_number(c, "kv_num_heads", heads);
  in->batch = in->packed ? (int32_t)in->cu.count - 1 : dim(&in->q, 0);
  if (in->q.dims == 4) {
    int head = in->cached ? 2 : 1, token = in->cached ? 1 : 2;
    in->order = in->cached ? STORED_BSHD : STORED_BHSD;
    in->heads_q = dim(&in->q, head);
    in->heads_kv = dim(&in->k, head);
    in->q_len = dim(&in->q, token);
    in->kv_len = dim(&in->k, token);
    in->dqk = dim(&in->q, 3);
    in->dv = dim(&in->v, 3);
  } else {
    int token = in->packed ? 0 : 1, last = token + 1;
    in->order = in->packed ? STORED_TOKENS : STORED_BSHD;
    in->q_len = dim(&in->q, token);
    in->kv_len = dim(&in->k, token);
    in->dqk = dim(&in->q, last) / in->heads_q;
    in->dv = dim(&in->v, last) / in->heads_kv;
  }
  if (in->cached) in->past = (int32_t)data_number(c, "start_pos", 0);
  if (in->has_past) in->past = dim(&in->past_k, 2);
  in->kv_len += in->past;
}

size_t express_row(const problem *p, stored_order order, int32_t heads, int32_t tokens, int32_t b,
                   int32_t h, int64_t i) {
  switch (order) {
  case STORED_BHSD:
    return (size_t)(((int64_t)b * heads + h) * tokens + i);
  case STORED_BSHD:
    return (size_t)(((int64_t)b * tokens + i) * heads + h);
  default:
    return (size_t)(((int64_t)p->args.q_offsets[b] + i) * heads + h);
  }
}

/* first: of the head's channels in a bias that was to be added to its rows. */
static void copy_row(const inputs *in, const float *to, const npy_array *from, size_t row,
                     int32_t n, int32_t first) {
  for (int32_t c = 0; c < n; c++) {
    double value = npy_at(from, row * (size_t)n + (size_t)c);
    if (in->has_bias && first >= 0) value += npy_at(&in->bias, (size_t)(first + c));
    problem_writable(to)[c] = (float)value;
  }
}

/* Row j of K or V: from the past (B,H,P,D; a cache B,C,H,D) or from the new part. */
static void copy_key(const inputs *in, const problem *p, int value, int32_t b, int32_t h,
                     int64_t j) {
  const npy_array *past = value ? &in->past_v : &in->past_k, *now = value ? &in->v : &in->k;
  int32_t d = value ? in->dv : in->dqk;
  const float *to = value ? reference_v_row(&p->args, b, h, j) : reference_k_row(&p->args, b, h, j);
  if (j < in->past) {
    stored_order order = in->cached ? STORED_BSHD : STORED_BHSD;
    int32_t tokens = dim(past, in->cached ? 1 : 2);
    copy_row(in, to, past, express_row(p, order, in->heads_kv, tokens, b, h, j), d, -1);
  } else {
    int32_t tokens = in->kv_len - in->past, before = in->heads_q * in->dqk; /* bias: q, k, v */
    if (value) before += in->heads_kv * in->dqk;
    copy_row(in, to, now, express_row(p, in->order, in->heads_kv, tokens, b, h, j - in->past), d,
             before + h * d);
  }
}

static void copy_inputs(const inputs *in, const problem *p) {
  for (int32_t b = 0; b < in->batch; b++) {
    for (int32_t h = 0; h < in->heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++)
        copy_row(in, reference_q_row(&p->args, b, h, i), &in->q,
                 express_row(p, in->order, in->heads_q, in->q_len, b, h, i), in->dqk, h * in->dqk);
    for (int32_t h = 0; h < in->heads_kv; h++)
      for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++)
        for (int value = 0; value < 2; value++) copy_key(in, p, value, b, h, j);
  }
}

/* Causal without a past is top-left; with a past or with lengths the last query is at the last key. */
static void set_rules(const data_case *c, const inputs *in, express_call *call) {
  problem *p = &call->p;
  int left = (int)data_number(c, "left_window_size", -1);
  int right = (int)data_number(c, "right_window_size", -1);
  if (data_number(c, "is_causal", 0) != 0) p->desc.flags |= RAPT_CAUSAL;
  if (left >= 0) p->desc.flags |= RAPT_WINDOW_LEFT, p->desc.window_left = left;
  if (right >= 0) p->desc.flags |= RAPT_WINDOW_RIGHT, p->desc.window_right = right;
  if (p->desc.flags) {
    p->desc.align = in->has_lens ? RAPT_ALIGN_BOTTOM_RIGHT
                    : in->past   ? RAPT_ALIGN_OFFSET
                                 : RAPT_ALIGN_TOP_LEFT;
    for (int32_t b = 0; b < in->batch; b++) call->positions[b] = in->past;
    if (p->desc.align == RAPT_ALIGN_OFFSET) p->args.q_positions = call->positions;
  }
  double scale = data_number(c, "scale", 0);
  if (scale != 0) p->desc.flags |= RAPT_SCALE_LITERAL, p->desc.scale = (float)scale;
  if (in->has_lens) {
    for (int32_t b = 0; b < in->batch; b++)
      call->kv_lens[b] = (int32_t)npy_at(&in->lens, (size_t)b);
    p->args.kv_lens = call->kv_lens;
  }
  if (in->packed) {
    for (int32_t b = 0; b <= in->batch; b++) call->offsets[b] = (int32_t)npy_at(&in->cu, (size_t)b);
    p->args.q_offsets = p->args.kv_offsets = call->offsets;
  }
}

static void inputs_free(inputs *in) {
  npy_array *all[] = {&in->q,      &in->k,    &in->v,  &in->past_k,
                      &in->past_v, &in->lens, &in->cu, &in->bias};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) npy_free(all[i]);
}

const char *express(const data_case *c, express_call *call) {
  const char *reason = unsupported(c);
  if (reason) return reason;
  inputs in = {.past = 0};
  in.cached = data_array(c, "inputs", "key_cache", &in.past_k) &&
              data_array(c, "inputs", "value_cache", &in.past_v);
  in.has_past = !in.cached && data_array(c, "inputs", "past_key", &in.past_k) &&
                data_array(c, "inputs", "past_value", &in.past_v);
  in.has_lens = data_array(c, "inputs", "nonpad_kv_seqlen", &in.lens);
  in.packed = data_array(c, "inputs", "cu_seqlens", &in.cu);
  in.has_bias = data_array(c, "inputs", "bias", &in.bias);
  int all = data_array(c, "inputs", "Q", &in.q) && data_array(c, "inputs", "K", &in.k) &&
            data_array(c, "inputs", "V", &in.v);
  if (all) read_shapes(c, &in);
  if (!all || in.batch > EXPRESS_MAX_BATCH) {
    reason = "incomplete case";
  } else {
    rng r = rng_make(1);
    memset(call, 0, sizeof *call);
    call->p = problem_make(in.heads_q, in.heads_kv, in.dqk, in.dv, in.batch, in.q_len, in.kv_len);
    call->y = in.order;
    set_rules(c, &in, call);
    express_rules(c, &call->p);
    express_padding(c, call);
    call->p.layout = in.order == STORED_BHSD ? LAYOUT_BHSD : LAYOUT_BSHD;
    problem_build(&call->p, &r);
    copy_inputs(&in, &call->p);
    express_mask(c, &call->p);
  }
  inputs_free(&in);
  return reason;
}
