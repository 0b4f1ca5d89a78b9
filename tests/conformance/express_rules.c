/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "express_rules.h"

/* Score functions are small graphs: known by the operators that they apply to the scores. */
enum { MOD_NONE, MOD_ADD, MOD_SOFTCAP, MOD_RELATIVE, MOD_OTHER };

static const json *score_mod(const data_case *c) {
  return json_get(json_get(c->doc, "attributes"), "score_mod");
}

static int score_function(const data_case *c, double *number) {
  const json *mod = score_mod(c), *nodes = json_get(mod, "nodes");
  char ops[200] = "";
  if (!mod) return MOD_NONE;
  for (size_t n = 0; n < json_count(nodes); n++) {
    size_t used = strlen(ops);
    const char *op = json_string(json_get(json_at(nodes, n), "op"), "?");
    snprintf(ops + used, sizeof ops - used, "%s ", op);
  }
  *number = json_number(json_get(json_at(json_get(mod, "initializers"), 0), "value"), 0);
  if (strcmp(ops, "Add ") == 0) return MOD_ADD;
  if (strcmp(ops, "Div Tanh Mul ") == 0) return MOD_SOFTCAP;
  /* + (query - key) */
  int relative = strstr(ops, "Range Reshape Range Reshape Sub Cast Add ") != NULL;
  return relative ? MOD_RELATIVE : MOD_OTHER;
}

const char *express_score_function(const data_case *c) {
  double number;
  if (json_get(json_get(c->doc, "attributes"), "prob_mod")) return "function of the weights";
  return score_function(c, &number) == MOD_OTHER ? "another score function" : NULL;
}

void express_rules(const data_case *c, problem *p) {
  double number = 0;
  int mod = score_function(c, &number);
  p->desc.softcap = (float)data_number(c, "softcap", 0);
  if (mod == MOD_SOFTCAP) p->desc.softcap = (float)number;
  if (mod == MOD_RELATIVE) { /* slope -1 times (key - query) */
    p->desc.flags |= RAPT_ALIBI;
    p->desc.align = RAPT_ALIGN_TOP_LEFT;
  }
  if (data_entry(c, "outputs", "qk_matmul_output"))
    p->scores = (problem_scores){.wanted = 1,
                                 .stage = (int)data_number(c, "qk_matmul_output_mode", 0)};
}

/* An array of rank 0 to 4 as a mask: its dimensions are the last ones. */
static void make_mask(problem *p, const npy_array *a, int boolean) {
  int64_t size = boolean ? 1 : 4, step = size;
  p->desc.mask = boolean ? RAPT_MASK_BOOL : RAPT_MASK_F32;
  p->extra[EXTRA_MASK] = guard_alloc(a->count * (size_t)size, p->place, (size_t)size);
  for (size_t n = 0; n < a->count; n++) {
    if (boolean)
      ((unsigned char *)p->extra[EXTRA_MASK].data)[n] = npy_at(a, n) != 0;
    else
      ((float *)p->extra[EXTRA_MASK].data)[n] = (float)npy_at(a, n);
  }
  p->args.mask.data = p->extra[EXTRA_MASK].data;
  for (int x = 3; x >= 0; x--) {
    int from = x - 4 + a->dims;
    p->args.mask.extent[x] = from >= 0 ? (int32_t)a->shape[from] : 1;
    p->args.mask.stride[x] = step;
    step *= p->args.mask.extent[x];
  }
}

static const char *padding_kind(const data_case *c) {
  return json_string(json_get(json_get(c->doc, "attributes"), "mask_type"), "");
}

/* One number a sequence: its keys (lengths, or lengths and then offsets). */
void express_padding(const data_case *c, express_call *call) {
  npy_array a;
  if (!data_array(c, "inputs", "key_padding_mask", &a)) return;
  if (strstr(padding_kind(c), "_1D_")) {
    for (int32_t b = 0; b < call->p.args.batch; b++)
      call->kv_lens[b] = (int32_t)npy_at(&a, (size_t)b);
    call->p.args.kv_lens = call->kv_lens;
  }
  npy_free(&a);
}

/* [batch][key]: a mask of one row for all heads and queries. */
static void padding_mask(const data_case *c, problem *p) {
  npy_array a;
  if (!data_array(c, "inputs", "key_padding_mask", &a)) return;
  if (strstr(padding_kind(c), "_2D_")) {
    make_mask(p, &a, 1);
    p->args.mask.extent[0] = (int32_t)a.shape[0];
    p->args.mask.extent[2] = 1;
    p->args.mask.stride[0] = a.shape[1];
  }
  npy_free(&a);
}

void express_mask(const data_case *c, problem *p) {
  static const char *const roles[] = {"attn_mask", "attention_bias"};
  double number = 0;
  int mod = score_function(c, &number);
  for (int i = 0; i < 2; i++) {
    npy_array a;
    const char *type = json_string(json_get(data_entry(c, "inputs", roles[i]), "dtype"), "");
    if (!data_array(c, "inputs", roles[i], &a)) continue;
    make_mask(p, &a, strcmp(type, "bool") == 0);
    npy_free(&a);
  }
  padding_mask(c, p);
  if (mod == MOD_ADD) {
    p->desc.mask = RAPT_MASK_F32;
    p->extra[EXTRA_MASK] = guard_floats(1, p->place);
    *(float *)p->extra[EXTRA_MASK].data = (float)number;
    p->args.mask = (rapt_mask){.data = p->extra[EXTRA_MASK].data, .extent = {1, 1, 1, 1}};
  }
  if (mod == MOD_RELATIVE)
    for (int32_t h = 0; h < p->desc.heads_q; h++) ((float *)p->extra[EXTRA_SLOPES].data)[h] = -1;
}
