/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the public entry points share: error reports, size-tagged structs, checked arguments. After a
 * successful load the engine trusts every field. */
#ifndef RAPT_API_API_H
#define RAPT_API_API_H

#include <rapt/rapt.h>

#if defined(__GNUC__)
#define RAPT_COLD __attribute__((cold, noinline))
#define RAPT_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define RAPT_COLD
#define RAPT_PRINTF(text, values)
#endif

/* ---- Errors ------------------------------------------------------------------------------- */

/* Fills *error as far as the caller's struct reaches and returns `code`. error may be NULL. */
RAPT_COLD RAPT_PRINTF(4, 5) rapt_status
    rapt_fail(rapt_error *error, rapt_status code, const char *field, const char *format, ...);

/* The same with the field "name[index]". */
RAPT_COLD RAPT_PRINTF(5, 6) rapt_status
    rapt_fail_at(rapt_error *error, rapt_status code, const char *name, int32_t index,
                 const char *format, ...);

/* "<field> is <value>, allowed is <low> to <high>" unless it lies there. */
rapt_status rapt_check_range(int64_t value, int64_t low, int64_t high, const char *field,
                             rapt_error *error);

/* The largest count of positions from `first` on: the last one has 32 bits, and so has the count. */
static inline int64_t rapt_most_positions(int32_t first) {
  return first > 0 ? INT64_C(0x80000000) - first : INT32_MAX;
}

/* ---- Structs that begin with their size ----------------------------------------------------- */

/* Largest part of a struct unknown here that is still looked at; beyond it the size is garbage. */
enum { RAPT_MAX_TAIL = 4096 };

typedef struct rapt_struct_type {
  const char *name; /* as fields of it are called in errors, "desc" */
  uint32_t known;   /* sizeof here */
  uint32_t minimum; /* sizes below are refused: fields without which it means nothing are missing */
  uint32_t align;   /* sizes that no sizeof can give are refused */
} rapt_struct_type;

/* The type's row; `last` is the last field a caller cannot leave out. */
#define RAPT_STRUCT_TYPE(type, label, last)                                           \
  {label, sizeof(type), (uint32_t)(offsetof(type, last) + sizeof(((type *)0)->last)), \
   _Alignof(type)}

/* *out = *in in this library's size: zeros where the caller's struct ends early. */
rapt_status rapt_load_struct(const rapt_struct_type *type, const void *in, void *out,
                             rapt_error *error);

/* The way back: as much of *from as the caller's struct holds, zeros where it is larger. The caller's
 * size stays. Nothing is written on failure. */
rapt_status rapt_store_struct(const rapt_struct_type *type, const void *from, void *to,
                              rapt_error *error);

/* Copies a string into an array member, cut if need be, padded with zeros. */
void rapt_set_text(char *out, size_t size, const char *text);

rapt_status rapt_store_plan_info(const rapt_plan_info *from, rapt_plan_info *to, rapt_error *error);
rapt_status rapt_store_workspace_info(const rapt_workspace_info *from, rapt_workspace_info *to,
                                      rapt_error *error);

/* ---- Checked arguments ------------------------------------------------------------------------ */

/* out->isa and out->allocator still point to the caller's data; see rapt_load_allocator. */
rapt_status rapt_load_desc(const rapt_attention_desc *in, rapt_attention_desc *out,
                           rapt_error *error);

/* NULL gives a zeroed struct, which rapt_memory_get takes for the default. */
rapt_status rapt_load_allocator(const rapt_allocator *in, rapt_allocator *out, rapt_error *error);

/* NULL gives the default executor of this library. */
rapt_status rapt_load_executor(const rapt_executor *in, rapt_executor *out, rapt_error *error);

/* All memory that a run touches besides its workspace (touched.h). */
struct rapt_touched;

/* Everything a run reads; `desc` has been loaded before. *scores is all zero if none are asked for. No
 * allocation. */
rapt_status rapt_load_args(const rapt_attention_desc *desc, const rapt_attention_args *in,
                           rapt_attention_args *out, rapt_scores_out *scores,
                           struct rapt_touched *touched, rapt_error *error);

/* Batch and the two lengths only: what a workspace query reads. */
rapt_status rapt_load_workspace_args(const rapt_attention_args *in, rapt_attention_args *out,
                                     rapt_error *error);

/* Tokens of one side (queries or keys) that a call touches, counted from the tensor's data. */
typedef struct rapt_token_range {
  int64_t first, last; /* tokens first .. last-1 */
  int64_t batch;       /* steps of the batch stride: 1 with offsets */
  int32_t uniform;     /* every sequence touches all of them */
} rapt_token_range;

/* Longest sequence of a call whose lengths have been checked. */
int32_t rapt_longest_q(const rapt_attention_args *args);
int32_t rapt_longest_kv(const rapt_attention_args *args);

/* The parts of rapt_load_args: lengths, offsets and positions; score rules and what is asked of the
 * scores; then tensors. */
rapt_status rapt_check_lengths(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               rapt_token_range *queries, rapt_token_range *keys,
                               rapt_error *error);
rapt_status rapt_check_rules(const rapt_attention_desc *desc, const rapt_attention_args *args,
                             rapt_scores_out *scores, rapt_error *error);
rapt_status rapt_check_tensors(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               const rapt_token_range *queries, const rapt_token_range *keys,
                               const rapt_scores_out *scores, struct rapt_touched *touched,
                               rapt_error *error);

#endif
