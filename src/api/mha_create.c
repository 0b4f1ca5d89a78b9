/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_mha_create: the matrices checked against heads and widths, and copied or borrowed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../attention/plan.h"
#include "../layer/rope.h"
#include "../platform/platform.h"
#include "mha.h"
#include "rename.h"

enum { MOST_EMBED = 1 << 20 };

/* What checks of the attention description call it. */
static const rapt_renaming desc_name = {"desc", "desc.attention"};

/* One matrix in the making. */
typedef struct part {
  const char *name; /* "wq" */
  const rapt_weights *from;
  rapt_matrix *to;
  int32_t column; /* of the caller's matrix, where its columns begin */
  int32_t width;  /* columns of the caller's matrix */
} part;

static rapt_status check_part(const part *p, int32_t out_in, rapt_error *error) {
  const int64_t element = (int64_t)sizeof(float);
  int64_t row = (out_in ? p->to->in : p->width) * element, stride = p->from->stride;
  char field[40];
  if (!p->from->data) {
    (void)snprintf(field, sizeof field, "desc.%s.data", p->name);
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is NULL");
  }
  if ((uintptr_t)p->from->data % sizeof(float) || (uintptr_t)p->from->bias % sizeof(float)) {
    (void)snprintf(field, sizeof field, "desc.%s.%s", p->name,
                   (uintptr_t)p->from->bias % sizeof(float) ? "bias" : "data");
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is not aligned to 4 bytes");
  }
  if (stride != 0 && (stride < row || stride % element || stride / element > INT32_MAX)) {
    (void)snprintf(field, sizeof field, "desc.%s.stride", p->name);
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field,
                     "is %" PRId64 ", must be 0 or a multiple of 4 from %" PRId64 " (a row) to "
                     "8589934588",
                     stride, row);
  }
  return RAPT_OK;
}

static void borrow_part(const part *p, int32_t out_in) {
  rapt_matrix *to = p->to;
  to->out_in = out_in;
  to->ld = p->from->stride ? p->from->stride / (int64_t)sizeof(float)
                           : (out_in ? to->in : p->width);
  to->data = p->from->data + p->column * (out_in ? to->ld : 1);
  to->bias = p->from->bias ? p->from->bias + p->column : NULL;
}

static size_t copy_bytes(const rapt_matrix *m) {
  size_t floats = (size_t)m->in * (size_t)m->out + (m->bias ? (size_t)m->out : 0);
  return (floats * sizeof(float) + 63) / 64 * 64;
}

/* From what is borrowed to [in][out] without gaps, and the bias behind it. Returns the end. */
static char *copy_part(rapt_matrix *m, char *memory) {
  enum { BLOCK = 16 }; /* of a transposition: a cache line */
  const rapt_matrix from = *m;
  float *to = (float *)(void *)memory;
  if (!from.out_in)
    for (int64_t i = 0; i < from.in; i++)
      memcpy(to + i * from.out, from.data + i * from.ld, (size_t)from.out * sizeof(float));
  else
    for (int64_t o = 0; o < from.out; o += BLOCK)
      for (int64_t i = 0; i < from.in; i++)
        for (int64_t c = o; c < o + BLOCK && c < from.out; c++)
          to[i * from.out + c] = from.data[c * from.ld + i];
  m->data = to;
  m->ld = from.out;
  m->out_in = 0;
  if (from.bias) {
    float *bias = to + (int64_t)from.in * from.out;
    memcpy(bias, from.bias, (size_t)from.out * sizeof(float));
    m->bias = bias;
  }
  return memory + copy_bytes(m);
}

static rapt_status check_counts(rapt_mha_desc *desc, const rapt_attention_desc *a,
                                rapt_error *error) {
  rapt_status status = RAPT_OK;
  if (desc->flags & ~(uint32_t)RAPT_MHA_BORROW)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.flags",
                     "is 0x%" PRIx32 ", known is 0x%" PRIx32, desc->flags,
                     (uint32_t)RAPT_MHA_BORROW);
  if (desc->rope && desc->rope->head_dim != a->head_dim_qk)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.rope",
                     "turns heads of %" PRId32 " channels, head_dim_qk is %" PRId32,
                     desc->rope->head_dim, a->head_dim_qk);
  status = rapt_check_range(desc->layout, 0, RAPT_WEIGHTS_OUT_IN, "desc.layout", error);
  if (!status) status = rapt_check_range(desc->embed_in, 1, MOST_EMBED, "desc.embed_in", error);
  if (!status)
    status = rapt_check_range(desc->embed_source, 0, MOST_EMBED, "desc.embed_source", error);
  if (!status)
    status = rapt_check_range(desc->embed_out, 0, desc->wo.data ? MOST_EMBED : 0, "desc.embed_out",
                              error);
  if (!status && a->flags & RAPT_PARTIAL)
    return rapt_fail(error, RAPT_ERROR_UNSUPPORTED, "desc.attention.flags",
                     "has RAPT_PARTIAL: an output projection needs finished rows");
  if (!status)
    status = rapt_check_range(a->heads_q, 1, MOST_EMBED / a->head_dim_qk, "desc.attention.heads_q",
                              error);
  if (!status)
    status = rapt_check_range(a->head_dim_v, 1, 1024, "desc.attention.head_dim_v", error);
  if (status) return status;
  if (!desc->embed_source) desc->embed_source = desc->embed_in;
  if (!desc->embed_out) desc->embed_out = desc->embed_in;
  if (!desc->wqkv.data) return RAPT_OK;
  if (desc->wq.data || desc->wk.data || desc->wv.data)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.wqkv.data",
                     "is given together with wq, wk or wv");
  return rapt_check_range(desc->embed_source, desc->embed_in, desc->embed_in, "desc.embed_source",
                          error); /* one matrix has one input */
}

/* A bias that no product would add is a mistake, not a wish. */
static rapt_status check_biases(const rapt_mha_desc *desc, rapt_error *error) {
  const struct {
    const rapt_weights *of;
    const char *field, *matrix;
  } all[] = {{&desc->wq, "desc.wq.bias", "desc.wq"},
             {&desc->wk, "desc.wk.bias", "desc.wk"},
             {&desc->wv, "desc.wv.bias", "desc.wv"},
             {&desc->wqkv, "desc.wqkv.bias", "desc.wqkv"},
             {&desc->wo, "desc.wo.bias", "desc.wo"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].of->bias && !all[i].of->data)
      return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, all[i].field,
                       "is 0x%" PRIxPTR ", must be NULL: %s.data is NULL, so nothing would add it",
                       (uintptr_t)all[i].of->bias, all[i].matrix);
  return RAPT_OK;
}

/* Sizes of the matrices and where they come from: q, k, v and, if there is one, o. Returns how many. */
static int32_t list_parts(const rapt_mha_desc *desc, rapt_mha *mha, part parts[4]) {
  const rapt_attention_desc *a = &mha->attention;
  const int32_t out[3] = {a->heads_q * a->head_dim_qk, a->heads_kv * a->head_dim_qk,
                          a->heads_kv * a->head_dim_v};
  const rapt_weights *separate[3] = {&desc->wq, &desc->wk, &desc->wv};
  static const char *const names[3] = {"wq", "wk", "wv"};
  rapt_matrix *to[3] = {&mha->q, &mha->k, &mha->v};
  int32_t fused = desc->wqkv.data != NULL, column = 0;
  for (int i = 0; i < 3; i++) {
    to[i]->in = i == 0 ? desc->embed_in : desc->embed_source;
    to[i]->out = out[i];
    parts[i] = (part){names[i], separate[i], to[i], 0, out[i]};
    if (fused) parts[i] = (part){"wqkv", &desc->wqkv, to[i], column, out[0] + out[1] + out[2]};
    column += out[i];
  }
  mha->o.in = a->heads_q * a->head_dim_v;
  mha->o.out = desc->wo.data ? desc->embed_out : mha->o.in;
  parts[3] = (part){"wo", &desc->wo, &mha->o, 0, mha->o.out};
  return desc->wo.data ? 4 : 3;
}

static rapt_status build(const rapt_mha_desc *desc, rapt_mha *draft, rapt_mha **mha,
                         rapt_error *error) {
  part parts[4];
  int32_t n = list_parts(desc, draft, parts);
  rapt_status status = RAPT_OK;
  draft->bytes = (sizeof *draft + 63) / 64 * 64;
  for (int32_t i = 0; i < n; i++) {
    status = check_part(&parts[i], desc->layout, error);
    if (status) return status;
    borrow_part(&parts[i], desc->layout);
    if (!(desc->flags & RAPT_MHA_BORROW)) draft->bytes += copy_bytes(parts[i].to);
  }
  status = check_biases(desc, error);
  if (status) return status;
  char *memory = rapt_memory_get(&draft->allocator, draft->bytes, 64);
  if (!memory)
    return rapt_fail(error, RAPT_ERROR_OUT_OF_MEMORY, "mha", "%zu bytes were not to be had",
                     draft->bytes);
  char *end = memory + (sizeof *draft + 63) / 64 * 64;
  if (!(desc->flags & RAPT_MHA_BORROW))
    for (int32_t i = 0; i < n; i++) end = copy_part(parts[i].to, end);
  rapt_error inner = {.size = sizeof inner};
  status = rapt_plan_create(desc->attention, &draft->plan, &inner);
  if (status) {
    rapt_memory_put(&draft->allocator, memory, draft->bytes, 64);
    return rapt_fail_renamed(error, &inner, &desc_name, 1);
  }
  draft->attention = draft->plan->desc;
  draft->rope = desc->rope;
  memcpy(memory, draft, sizeof *draft);
  *mha = (rapt_mha *)(void *)memory;
  return RAPT_OK;
}

rapt_status rapt_mha_create(const rapt_mha_desc *desc, rapt_mha **mha, rapt_error *error) {
  /* the last field is a pointer: NOLINTNEXTLINE(bugprone-sizeof-expression) */
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_mha_desc, "desc", attention);
  rapt_mha_desc loaded;
  rapt_mha draft = {.bytes = 0};
  rapt_status status = rapt_load_struct(&type, desc, &loaded, error);
  if (status) return status;
  if (!rapt_blas_present())
    return rapt_fail(error, RAPT_ERROR_UNSUPPORTED, "desc",
                     "needs BLAS, and this library was built with RAPT_BLAS=OFF");
  if (!mha) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "mha", "is NULL");
  if (!loaded.attention)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.attention", "is NULL");
  rapt_error inner = {.size = sizeof inner};
  status = rapt_load_desc(loaded.attention, &draft.attention, &inner);
  if (!status) status = rapt_load_allocator(draft.attention.allocator, &draft.allocator, &inner);
  if (status) return rapt_fail_renamed(error, &inner, &desc_name, 1);
  status = check_counts(&loaded, &draft.attention, error);
  if (!status) status = build(&loaded, &draft, mha, error);
  return status;
}

void rapt_mha_destroy(rapt_mha *mha) {
  if (!mha) return;
  rapt_allocator allocator = mha->allocator;
  rapt_plan_destroy(mha->plan);
  rapt_memory_put(&allocator, mha, mha->bytes, 64);
}

rapt_status rapt_get_blas_info(rapt_blas_info *info, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_blas_info, "info", parallel);
  rapt_blas_info out = {.size = sizeof out};
  rapt_blas_describe(&out);
  return rapt_store_struct(&type, &out, info, error);
}
