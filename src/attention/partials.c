/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "partials.h"

rapt_rows_kernel rapt_kernel_of(const rapt_plan *plan, const rapt_sequence *s, int32_t rows) {
  rapt_rows_kernel k = {0, &plan->decode->row, RAPT_MAX_ROWS};
  if (!s->row_kernel) {
    k.panel = rapt_panel_for(plan->prefill, rows);
    k.lanes = k.panel->lanes;
  }
  return k;
}

void rapt_partial_reset(const rapt_partial *p, int32_t lanes) {
  for (int32_t i = 0; i < lanes; i++) {
    p->m[i] = -__builtin_inff();
    p->l[i] = 0.0f;
  }
}

void rapt_partial_join(const rapt_rows_kernel *kernel, const rapt_plan *plan, int32_t rows,
                       rapt_partial *into, const rapt_partial *from) {
  if (kernel->panel)
    kernel->panel->join(plan->natural, into->m, into->l, into->o, from->m, from->l, from->o,
                        plan->desc.head_dim_v);
  else
    kernel->row->join(rows, plan->natural, into->m, into->l, into->o, from->m, from->l, from->o,
                      plan->desc.head_dim_v);
}

void rapt_partial_fold(const rapt_rows_kernel *kernel, const rapt_plan *plan, int32_t rows,
                       rapt_partial *now, rapt_partial *fold, int32_t *folded) {
  if (*folded) {
    rapt_partial_join(kernel, plan, rows, fold, now);
    return;
  }
  rapt_partial t = *fold;
  *fold = *now;
  *now = t;
  *folded = 1;
}

/* Calls USE(i, offset) for rows row, row+1, ... of the task's KV head: bytes from its first row, heads of
 * a token first. No division in the loop: for short prompts it would show. */
#define EACH_ROW(group, stride, row, rows, USE)           \
  do {                                                    \
    int32_t head_ = (int32_t)((row) % (group));           \
    int64_t token_ = (row) / (group);                     \
    for (int32_t i_ = 0; i_ < (rows); i_++) {             \
      USE(i_, head_ *(stride)[1] + token_ * (stride)[2]); \
      if (++head_ == (group)) {                           \
        head_ = 0;                                        \
        token_++;                                         \
      }                                                   \
    }                                                     \
  } while (0)

void rapt_task_rows(const rapt_plan *plan, const rapt_task *task, int64_t row, int32_t rows,
                    rapt_row *out) {
  const int32_t group = plan->group;
  for (int32_t i = 0; i < rows; i++)
    out[i] = (rapt_row){(row + i) / group, task->kv_head * group + (int32_t)((row + i) % group)};
}

void rapt_query_rows(const rapt_call *call, const rapt_task *task, int64_t row, int32_t rows,
                     const float **out) {
  const int32_t group = call->plan->group;
  const char *first = rapt_query_at(call, task->sequence, task->kv_head * group, 0);
#define TAKE(i, offset) out[i] = (const float *)(const void *)(first + (offset))
  EACH_ROW(group, call->args.q.stride, row, rows, TAKE);
#undef TAKE
}

static void output_rows(const rapt_call *call, const rapt_task *task, int64_t row, int32_t rows,
                        float **out) {
  const int32_t group = call->plan->group;
  char *first = rapt_output_at(call, task->sequence, task->kv_head * group, 0);
#define TAKE(i, offset) out[i] = first ? (float *)(void *)(first + (offset)) : (float *)0
  EACH_ROW(group, call->args.o.stride, row, rows, TAKE);
#undef TAKE
}

/* One float per row to `tensor`. */
static void store_sums(const rapt_call *call, const rapt_task *task, const rapt_tensor *tensor,
                       int64_t row, int32_t rows, const float *from) {
  const int32_t group = call->plan->group;
  char *first = (char *)rapt_sum_at(call, task->sequence, tensor, task->kv_head * group, 0);
#define PUT(i, offset) *(float *)(void *)(first + (offset)) = from[i]
  EACH_ROW(group, tensor->stride, row, rows, PUT);
#undef PUT
}

/* The sink of each row's head, or NULL. */
static const float *sinks_of(const rapt_call *call, const rapt_task *task, int64_t row,
                             int32_t rows, float *sink) {
  const int32_t group = call->plan->group;
  const float *sinks = call->args.sinks;
  if (!sinks) return 0;
  for (int32_t i = 0; i < rows; i++)
    sink[i] = sinks[(int64_t)task->kv_head * group + (row + i) % group];
  for (int32_t i = rows; i < RAPT_MAX_LANES; i++) sink[i] = sink[rows - 1];
  return sink;
}

static void store_partial(const rapt_call *call, const rapt_rows_kernel *kernel,
                          const rapt_task *task, int64_t row, int32_t rows, const rapt_partial *p,
                          float *const *out) {
  const int32_t head_dim = call->plan->desc.head_dim_v;
  if (kernel->panel)
    kernel->panel->copy_out(p->m, p->l, p->o, head_dim, rows, out);
  else
    kernel->row->copy_out(p->m, p->l, p->o, head_dim, rows, out);
  float m[RAPT_MAX_LANES]; /* a maximum beside NaN is whatever the instruction makes of it */
  for (int32_t i = 0; i < rows; i++) m[i] = p->l[i] == p->l[i] ? p->m[i] : p->l[i];
  store_sums(call, task, &call->args.m, row, rows, m);
  store_sums(call, task, &call->args.l, row, rows, p->l);
}

void rapt_partial_finish(const rapt_call *call, const rapt_rows_kernel *kernel,
                         const rapt_task *task, int64_t row, int32_t rows, const rapt_partial *p) {
  const rapt_plan *plan = call->plan;
  const int32_t head_dim = plan->desc.head_dim_v, partial = (plan->desc.flags & RAPT_PARTIAL) != 0;
  float *out[RAPT_MAX_LANES];
  _Alignas(64) float lse[RAPT_MAX_LANES], space[RAPT_MAX_LANES];
  float *want_lse = call->args.lse.data ? lse : 0;
  const float *sink = sinks_of(call, task, row, rows, space);
  output_rows(call, task, row, rows, out);
  if (!partial || want_lse) {
    if (kernel->panel)
      kernel->panel->finish(plan->natural, p->m, p->l, p->o, sink, partial ? 0 : head_dim, rows,
                            out, want_lse);
    else
      kernel->row->finish(plan->natural, p->m, p->l, p->o, sink, partial ? 0 : head_dim, rows, out,
                          want_lse);
  }
  if (partial) store_partial(call, kernel, task, row, rows, p, out);
  if (want_lse) store_sums(call, task, &call->args.lse, row, rows, lse);
}

void rapt_split_arrive(const rapt_call *call, const rapt_rows_kernel *kernel, const rapt_task *task,
                       const rapt_rows_view *view, int32_t rows) {
  _Atomic int32_t *arrived = (_Atomic int32_t *)(void *)(call->workspace + call->layout.groups);
  const rapt_sequence *s = task->sequence;
  int32_t before = atomic_fetch_add_explicit(&arrived[task->group], 1, memory_order_acq_rel);
  if (before != s->splits - 1) return;
  rapt_partial fold, next;
  int32_t any = 0;
  rapt_slot_get(call, task->first_slot, kernel->lanes, &fold);
  for (int32_t i = 0; i < s->splits; i++) {
    int64_t from = (int64_t)(s->split_from + i) * RAPT_SPLIT_KEYS;
    if (!rapt_view_meets(view, from, from + RAPT_SPLIT_KEYS)) continue;
    rapt_slot_get(call, task->first_slot + i, kernel->lanes, &next);
    if (any)
      rapt_partial_join(kernel, call->plan, rows, &fold, &next);
    else
      fold = next;
    any = 1;
  }
  if (!any) rapt_partial_reset(&fold, kernel->lanes);
  rapt_partial_finish(call, kernel, task, task->row, rows, &fold);
}
