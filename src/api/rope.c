/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rotary positions: description checked and frozen, tables. The rotation is in rope_run.c. */
#include <inttypes.h>
#include <string.h>

#include "../layer/rope.h"
#include "../platform/platform.h"
#include "choose_set.h"
#include "share.h"

static const double most_frequency = 1e9, most_factor = 1e9;

static rapt_status check_real(double value, double low, double high, const char *field,
                              rapt_error *error) {
  if (value >= low && value <= high) return RAPT_OK;
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is %g, allowed is %g to %g", value,
                   low, high);
}

static rapt_status check_frequencies(const rapt_rope_desc *d, rapt_error *error) {
  if (!d->inv_freq)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.inv_freq",
                     "is NULL, but RAPT_ROPE_GIVEN asks for it");
  for (int32_t i = 0; i < d->rotary_dims / 2; i++)
    if (!(d->inv_freq[i] >= -most_frequency && d->inv_freq[i] <= most_frequency))
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.inv_freq", i,
                          "is %g, allowed is %g to %g", d->inv_freq[i], -most_frequency,
                          most_frequency);
  return RAPT_OK;
}

/* Zeros become the defaults. */
static rapt_status check_scaling(rapt_rope_desc *d, rapt_error *error) {
  const int32_t rule = d->scaling;
  rapt_status status = RAPT_OK;
  if (d->base == 0.0) d->base = 10000.0;
  if (rule == RAPT_ROPE_GIVEN) return check_frequencies(d, error);
  status = check_real(d->base, 1.001, 1e30, "desc.base", error);
  if (!status && rule != RAPT_ROPE_PLAIN)
    status = check_real(d->factor, 1 / most_factor, most_factor, "desc.factor", error);
  if (!status && (rule == RAPT_ROPE_YARN || rule == RAPT_ROPE_LLAMA3))
    status = rapt_check_range(d->original_context, 1, INT32_MAX, "desc.original_context", error);
  if (!status && rule == RAPT_ROPE_YARN) {
    if (d->beta_fast == 0.0) d->beta_fast = 32.0;
    if (d->beta_slow == 0.0) d->beta_slow = 1.0;
    status = check_real(d->beta_slow, 1e-6, 1e6, "desc.beta_slow", error);
    if (!status) status = check_real(d->beta_fast, d->beta_slow, 1e6, "desc.beta_fast", error);
  }
  if (!status && rule == RAPT_ROPE_LLAMA3) {
    if (d->low_freq_factor == 0.0) d->low_freq_factor = 1.0;
    if (d->high_freq_factor == 0.0) d->high_freq_factor = 4.0;
    status = check_real(d->low_freq_factor, 1e-6, 1e6, "desc.low_freq_factor", error);
    if (!status && !(d->high_freq_factor > d->low_freq_factor && d->high_freq_factor <= 2e6))
      status = rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.high_freq_factor",
                         "is %g, must be above low_freq_factor (%g) and at most 2e6",
                         d->high_freq_factor, d->low_freq_factor);
  }
  return status;
}

static rapt_status load_desc(const rapt_rope_desc *in, rapt_rope_desc *d, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_rope_desc, "desc", head_dim);
  rapt_status status = rapt_load_struct(&type, in, d, error);
  if (!status)
    status = rapt_check_range(d->flags & ~(uint32_t)(RAPT_ROPE_INTERLEAVED | RAPT_ROPE_YARN_EXACT),
                              0, 0, "desc.flags", error);
  if (!status)
    status = rapt_check_range(d->head_dim, 2, (int64_t)2 * RAPT_ROPE_MOST_PAIRS, "desc.head_dim",
                              error);
  if (status) return status;
  if (d->rotary_dims == 0) d->rotary_dims = d->head_dim;
  status = rapt_check_range(d->rotary_dims, 2, d->head_dim, "desc.rotary_dims", error);
  if (!status && d->rotary_dims % 2)
    status = rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.rotary_dims",
                       "is %" PRId32 ", must be even (0 is head_dim)", d->rotary_dims);
  if (!status)
    status = rapt_check_range(d->scaling, RAPT_ROPE_PLAIN, RAPT_ROPE_GIVEN, "desc.scaling", error);
  if (!status) status = check_scaling(d, error);
  if (!status && d->attention_factor != 0.0)
    status = check_real(d->attention_factor, 1e-6, 1e6, "desc.attention_factor", error);
  return status;
}

rapt_status rapt_rope_create(const rapt_rope_desc *desc, rapt_rope **rope, rapt_error *error) {
  rapt_rope_desc d;
  rapt_rope draft;
  if (!rope) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "rope", "is NULL");
  rapt_status status = load_desc(desc, &d, error);
  memset(&draft, 0, sizeof draft);
  if (!status) status = rapt_load_allocator(d.allocator, &draft.allocator, error);
  if (!status)
    status = rapt_choose_set(d.isa, "desc.isa", RAPT_PATH_PREFILL, 1, 1, &draft.set, error);
  if (status) return status;
  draft.head_dim = d.head_dim;
  draft.pairs = d.rotary_dims / 2;
  draft.interleaved = d.flags & RAPT_ROPE_INTERLEAVED ? 1 : 0;
  rapt_rope_scale(&d, draft.inv_freq, &draft.attention_factor);
  rapt_rope *made = rapt_memory_get(&draft.allocator, sizeof draft, _Alignof(rapt_rope));
  if (!made)
    return rapt_fail(error, RAPT_ERROR_OUT_OF_MEMORY, "rope", "%zu bytes were not to be had",
                     sizeof draft);
  memcpy(made, &draft, sizeof draft);
  *rope = made;
  return RAPT_OK;
}

void rapt_rope_destroy(rapt_rope *rope) {
  if (!rope) return;
  rapt_allocator allocator = rope->allocator;
  rapt_memory_put(&allocator, rope, sizeof *rope, _Alignof(rapt_rope));
}

static rapt_status check_rope(const rapt_rope *rope, rapt_error *error) {
  if (rope) return RAPT_OK;
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "rope", "is NULL");
}

rapt_status rapt_rope_get_info(const rapt_rope *rope, rapt_rope_info *info, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_rope_info, "info", size);
  rapt_status status = check_rope(rope, error);
  if (status) return status;
  rapt_rope_info known = {.head_dim = rope->head_dim,
                          .rotary_dims = 2 * rope->pairs,
                          .attention_factor = rope->attention_factor};
  rapt_set_text(known.set, sizeof known.set, rope->set->name);
  return rapt_store_struct(&type, &known, info, error);
}

rapt_status rapt_rope_frequencies(const rapt_rope *rope, double *inv_freq, rapt_error *error) {
  rapt_status status = check_rope(rope, error);
  if (status) return status;
  if (!inv_freq) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "inv_freq", "is NULL");
  memcpy(inv_freq, rope->inv_freq, (size_t)rope->pairs * sizeof *inv_freq);
  return RAPT_OK;
}

/* ---- Tables --------------------------------------------------------------------------------- */

static uint64_t table_bytes(const rapt_rope *rope, int32_t count) {
  return (uint64_t)count * (uint64_t)rope->pairs * 2 * sizeof(float);
}

rapt_status rapt_rope_table_bytes(const rapt_rope *rope, int32_t count, uint64_t *bytes,
                                  rapt_error *error) {
  rapt_status status = check_rope(rope, error);
  if (!status) status = rapt_check_range(count, 0, INT32_MAX, "count", error);
  if (status) return status;
  if (!bytes) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "bytes", "is NULL");
  *bytes = table_bytes(rope, count);
  return RAPT_OK;
}

enum { FILL_ROWS = 16 }; /* rows of a task */

typedef struct fill_job {
  const rapt_rope *rope;
  float *data;
  int32_t first, count;
} fill_job;

static void fill(void *arg, int64_t index) {
  const fill_job *job = arg;
  const int32_t from = (int32_t)index * FILL_ROWS;
  const int32_t n = job->count - from < FILL_ROWS ? job->count - from : FILL_ROWS;
  for (int32_t i = from; i < from + n; i++) {
    float *row = job->data + (int64_t)i * 2 * job->rope->pairs;
    rapt_rope_angles(job->rope, job->first + i, row, row + job->rope->pairs);
  }
}

rapt_status rapt_rope_table_fill(const rapt_rope *rope, int32_t first, int32_t count, void *memory,
                                 size_t memory_bytes, const rapt_executor *executor,
                                 rapt_rope_table *table, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_rope_table, "table", stride);
  rapt_executor with;
  rapt_rope_table known;
  rapt_status status = check_rope(rope, error);
  if (!status) status = rapt_check_range(first, 0, INT32_MAX, "first", error);
  if (!status) status = rapt_check_range(count, 0, rapt_most_positions(first), "count", error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (!status) status = rapt_load_struct(&type, table, &known, error); /* its size */
  if (status) return status;
  const uint64_t needed = table_bytes(rope, count);
  if (!memory && needed) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "memory", "is NULL");
  if ((uintptr_t)memory % sizeof(float))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "memory",
                     "is at %p, must be aligned to 4 bytes", memory);
  if (memory_bytes < needed)
    return rapt_fail(error, RAPT_ERROR_WORKSPACE, "memory_bytes",
                     "is %zu, %" PRId32 " positions need %" PRIu64, memory_bytes, count, needed);
  fill_job job = {.rope = rope, .data = memory, .first = first, .count = count};
  status = rapt_share(&with, ((int64_t)count + FILL_ROWS - 1) / FILL_ROWS,
                      10.0 * (double)count * rope->pairs, fill, &job, error);
  if (status) return status;
  known = (rapt_rope_table){.first = first,
                            .count = count,
                            .cos = job.data,
                            .sin = count ? job.data + rope->pairs : job.data,
                            .stride = (int64_t)rope->pairs * 2 * (int64_t)sizeof(float)};
  return rapt_store_struct(&type, &known, table, error);
}
