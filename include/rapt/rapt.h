/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt: multi-head attention on CPUs.
 *
 *   O = softmax(scale * Q K^T + mask) V
 *
 * for many heads and sequences in one call, without ever holding a matrix of q_len x kv_len scores.
 * This header is the whole public interface and its manual. It compiles as C99, C11 and C++.
 *
 * Two libraries serve it. librapt-core needs libc and libm only and runs on the caller's thread or
 * pool; librapt adds an OpenMP executor (its default), hwloc and the layer over BLAS. Functions only
 * librapt has are marked "librapt only".
 *
 * Conventions
 *   - Every struct that may grow begins with `uint32_t size`; set it to sizeof(the struct). Zero is
 *     the default of every other field, so `struct x = {.size = sizeof x}` is a good start. Smaller
 *     (older) structs are read as if followed by zeros; larger (newer) ones are accepted when the
 *     part this library does not know is zero.
 *   - Strides are in bytes (int64_t). Lengths and positions are counts of tokens (int32_t).
 *   - Every call that can fail returns a rapt_status (RAPT_OK or negative) and takes an optional
 *     `rapt_error *` that receives the field's name and a sentence. On error nothing was written,
 *     except where the status says that outputs are unspecified.
 *   - A count of 0 (batch, q_len, heads_q, head_dim_v) is legal, so a forgotten one is no error: an
 *     output without elements is not written. Without keys (kv_len 0) O is 0.
 *   - The library never aborts, prints, exits, changes process-wide settings or thread affinity.
 */
#ifndef RAPT_RAPT_H
#define RAPT_RAPT_H

#include <stddef.h>
#include <stdint.h>

#define RAPT_VERSION_MAJOR 0
#define RAPT_VERSION_MINOR 1
#define RAPT_VERSION_PATCH 0

#if defined(_WIN32)
#define RAPT_API
#elif defined(__GNUC__)
#define RAPT_API __attribute__((visibility("default")))
#else
#define RAPT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status and errors ------------------------------------------------------------------- */

typedef int32_t rapt_status;

enum {
  RAPT_OK = 0,
  RAPT_ERROR_INVALID_ARGUMENT = -1, /* a field holds a value that is never legal */
  RAPT_ERROR_UNSUPPORTED = -2,      /* legal in itself, but this library or CPU cannot do it */
  RAPT_ERROR_OUT_OF_MEMORY = -3,    /* the allocator returned NULL; everything is as before */
  RAPT_ERROR_WORKSPACE = -4,        /* workspace missing, misaligned, too small, or over tensors */
  RAPT_ERROR_VERSION = -5,          /* a struct from a newer header uses a field unknown here */
  RAPT_ERROR_EXECUTOR = -6,         /* the executor failed or dropped work: outputs unspecified */
  RAPT_ERROR_CANCELLED = -7         /* *cancel became non-zero: outputs unspecified */
};

/* Where a call puts the reason of a failure. Set size before the call; untouched on success. */
typedef struct rapt_error {
  uint32_t size;     /* sizeof(rapt_error) */
  int32_t code;      /* the rapt_status returned */
  char field[48];    /* the argument at fault, e.g. "args.kv_lens[3]" */
  char message[200]; /* one sentence with the value and what is allowed */
} rapt_error;

/* A constant, static name of a status, e.g. "out of memory". Never NULL. */
RAPT_API const char *rapt_status_string(rapt_status status);

/* ---- Library ------------------------------------------------------------------------------ */

/* Version of the loaded library: major * 10000 + minor * 100 + patch. */
RAPT_API int32_t rapt_version(void);

/* "0.1.0", static. */
RAPT_API const char *rapt_version_string(void);

/* What the library sees of the machine. Sizes in bytes, 0 = unknown. */
typedef struct rapt_cpu_info {
  uint32_t size;
  int32_t logical_cpus; /* CPUs this process may run on */
  int32_t numa_nodes;
  int32_t cache_line;
  int64_t l1d_bytes;  /* per core */
  int64_t l2_bytes;   /* per core */
  int64_t l3_bytes;   /* per cache, not per machine */
  char isa[32];       /* best level usable, e.g. "avx512" */
  char isa_list[128]; /* every usable level, best first, space separated */
  char topology[16];  /* who answered: "hwloc" or "basic" */
} rapt_cpu_info;

RAPT_API rapt_status rapt_get_cpu_info(rapt_cpu_info *info, rapt_error *error);

/* One kernel set of this build. */
typedef struct rapt_kernel_info {
  uint32_t size;
  int32_t usable;        /* 1 if this CPU and operating system can run it */
  char name[32];         /* e.g. "avx512_f32" */
  char isa[24];          /* the value RAPT_ISA and desc.isa accept, e.g. "avx512" */
  int32_t panel_queries; /* queries in the lanes of one panel */
  int32_t key_block;     /* keys between two looks at the running maximum */
  int32_t split_keys;    /* absolute key positions divisible by this start a new split */
} rapt_kernel_info;

/* Number of kernel sets in this build. */
RAPT_API int32_t rapt_kernel_count(void);

/* Describes set `index` (0 = best); fails outside 0..count-1. */
RAPT_API rapt_status rapt_kernel_get(int32_t index, rapt_kernel_info *info, rapt_error *error);

/* ---- Memory ------------------------------------------------------------------------------- */

/* Optional allocator. `allocate` returns `bytes` bytes aligned to `alignment` (a power of two) or
 * NULL; `release` gets the same sizes back. Both must be set. Used by plan creation and the one-shot
 * call only: rapt_attention_run never allocates. */
typedef struct rapt_allocator {
  uint32_t size;
  uint32_t reserved; /* must be 0 */
  void *ctx;
  void *(*allocate)(void *ctx, size_t bytes, size_t alignment);
  void (*release)(void *ctx, void *memory, size_t bytes, size_t alignment);
} rapt_allocator;

/* ---- Threads ------------------------------------------------------------------------------ */

/* A pool, lent for the duration of one run. `parallel` is called at most once per run, on the
 * caller's thread, with n <= max_workers; it calls fn(arg, i) for every i in 0..n-1, in any order,
 * concurrently or all on one thread, returns after the last one, and returns 0 (anything else: the
 * run fails with RAPT_ERROR_EXECUTOR). Workers never wait for each other. The bits of the result do
 * not depend on the executor or on the number of workers. */
typedef struct rapt_executor {
  uint32_t size;
  int32_t max_workers; /* at least 1 */
  void *ctx;
  int32_t (*parallel)(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index), void *arg);
} rapt_executor;

/* Workers a NULL executor uses from this thread now: 1 in librapt-core; in librapt the OpenMP
 * maximum but no more than 1024, or 1 inside a parallel region and in the child of a fork. */
RAPT_API int32_t rapt_default_workers(void);

/* ---- Attention ---------------------------------------------------------------------------- */

/* Element types. Later versions add 16-bit and 8-bit types. */
enum { RAPT_F32 = 0 };

/* Which key position query 0 of a sequence stands at. Needed (and always explicit) when causal, a
 * window or ALiBi is asked for; query i then stands at p = offset + i. */
enum {
  RAPT_ALIGN_NONE = 0,         /* no causal, no window, no ALiBi */
  RAPT_ALIGN_TOP_LEFT = 1,     /* offset 0: query i stands at key i */
  RAPT_ALIGN_BOTTOM_RIGHT = 2, /* offset kv_len - q_len: the last query stands at the last key */
  RAPT_ALIGN_OFFSET = 3        /* offset q_positions[b]: keys that precede the chunk */
};

/* desc.flags */
enum {
  RAPT_CAUSAL = 1u << 0,        /* key j is visible if j <= p */
  RAPT_WINDOW_LEFT = 1u << 1,   /* key j is visible if j >= p - window_left  (0: itself only) */
  RAPT_WINDOW_RIGHT = 1u << 2,  /* key j is visible if j <= p + window_right (0: itself only) */
  RAPT_SCALE_LITERAL = 1u << 3, /* use scale as it stands, 0 and infinity included */
  RAPT_FORCE_LANES = 1u << 4,   /* one arithmetic path for every length: slower for few rows
                                   (rapt_plan_info.decode_rows), but a prompt cut into chunks of
                                   any size gives equal bits */
  RAPT_ALIBI = 1u << 5,  /* + alibi_slopes[h] * (j - p); j - p is exact up to 2^24, beyond it is
                                   rounded to float32, as the sum with the score is */
  RAPT_PREFIX = 1u << 6, /* with RAPT_CAUSAL: keys j < prefix_lens[b] count as j <= p */
  RAPT_PARTIAL = 1u << 7 /* o = sum of e^(score - m) * v, with args.m and args.l: not divided
                                   yet, for rapt_attention_merge */
};

/* desc.mask: the kind of args.mask, by element. */
enum {
  RAPT_MASK_NONE = 0,
  RAPT_MASK_BOOL = 1, /* uint8_t: nonzero = the key is visible */
  RAPT_MASK_BITS =
      2, /* uint32_t words of 32 keys, key j is bit j % 32 of word j / 32; 1 = visible */
  RAPT_MASK_F32 = 3, /* added to the score; -inf forbids the key */
  RAPT_MASK_F16 = 4, /* likewise, IEEE half precision */
  RAPT_MASK_BF16 = 5 /* likewise, bfloat16 */
};

/* How a score comes about, in this order, and at which points rapt_scores_out can show it. */
enum {
  RAPT_STAGE_RAW = 0,     /* scale * q.k */
  RAPT_STAGE_SOFTCAP = 1, /* after softcap * tanh(score / softcap) */
  RAPT_STAGE_BIAS = 2,    /* after additive mask and ALiBi; -inf where the key is not visible */
  RAPT_STAGE_WEIGHTS = 3  /* after softmax (with the sink): 0 where the key is not visible */
};

/* What does not change between calls. One plan serves a layer for ever: it holds no batch, length,
 * capacity or thread count. */
typedef struct rapt_attention_desc {
  uint32_t size;
  uint32_t flags;
  int32_t dtype_q, dtype_k, dtype_v, dtype_o; /* RAPT_F32 */
  int32_t heads_q;                            /* query heads, a multiple of heads_kv */
  int32_t heads_kv;                           /* query head h reads KV head h*heads_kv/heads_q */
  int32_t head_dim_qk;                        /* channels of q and k, 1..1024 */
  int32_t head_dim_v;                         /* channels of v and o, 0..1024 */
  int32_t align;                              /* RAPT_ALIGN_* */
  int32_t window_left, window_right;          /* keys, >= 0; read only with their flags */
  /* 0 = 1/sqrt(head_dim_qk); for a softmax temperature T pass 1/(T*sqrt(d)). q is multiplied by scale
   * (and log2 e) before the dot product: |scale| is at most 2.3e38 (or, literally,
   * infinite), q * scale must not overflow. */
  float scale;
  const char *isa;                 /* NULL or "" = RAPT_ISA from the environment, else the best */
  const rapt_allocator *allocator; /* NULL = aligned malloc; copied */
  float softcap;       /* 0 = none, or 1e-20 to 1e20: score = softcap * tanh(score / softcap) */
  int32_t mask;        /* RAPT_MASK_* */
  int32_t window_keep; /* with RAPT_WINDOW_LEFT: the first keys 0..window_keep-1 stay visible */
  int32_t reserved;    /* must be 0 */
} rapt_attention_desc;

/* A tensor [batch][head][token][channel]: the channel is contiguous, the other strides are in
 * bytes. Any order of dimensions (BHSD, BSHD, packed QKV, views of larger buffers) is a choice of
 * strides. Input strides may be zero (broadcast, so a forgotten stride is no error) or negative;
 * the stride of a dimension of size 1 is ignored. Output strides must be positive and rows must not
 * overlap. Data must be aligned to the element size. O must not overlap Q, K or V. */
typedef struct rapt_tensor {
  void *data;
  int64_t stride[3]; /* batch, head, token */
} rapt_tensor;

typedef struct rapt_const_tensor {
  const void *data;
  int64_t stride[3];
} rapt_const_tensor;

/* A mask [batch][head][query][key] in the element type of desc.mask. Each extent is 1 (the dimension
 * is broadcast, its stride ignored) or at least what the call needs: batch, heads_q, the longest
 * q_len, the longest kv_len. A mask shorter than the keys is an error, never a guess about the rest.
 * Strides are in bytes, multiples of the element, zero and negative ones included. Queries and keys
 * are counted from 0 within each sequence, with offsets too. With RAPT_MASK_BITS the words of
 * a row are contiguous, stride[3] is ignored, and extent[3] counts keys: 1 is one key, no broadcast. */
typedef struct rapt_mask {
  const void *data;
  int64_t stride[4];
  int32_t extent[4];
  const float
      *factors; /* NULL, or [heads_q]: the additive mask of head h is multiplied by factors[h]
                           (-inf stays -inf) */
} rapt_mask;

/* A look inside: scores or weights of chosen rows, at the cost of these rows only. Optional output of
 * a run. Arrays and tensors are the caller's. */
typedef struct rapt_scores_out {
  uint32_t size;
  int32_t stage;   /* RAPT_STAGE_* */
  int32_t n_rows;  /* with rows; 0 and rows NULL: all q_len */
  int32_t n_heads; /* with heads; 0 and heads NULL: all heads_q */
  const int32_t
      *rows; /* query numbers, negative ones count from the end of the sequence (-1: last);
                             rows that a sequence does not have come out without keys */
  const int32_t *heads; /* query heads */
  float *data; /* [batch][n_heads][n_rows][kv_len], keys contiguous; NULL = none. Keys beyond a
                             sequence's own kv_len are as keys that are not visible (all stages) */
  int64_t stride[3]; /* batch, head, row, in bytes */
  float *key_sums;   /* NULL, or [batch][n_heads][kv_len], keys contiguous: the sum over the rows of
                             the weights that a key got (whatever the stage), for cache eviction */
  int64_t key_sums_stride[2]; /* batch, head, in bytes */
} rapt_scores_out;

/* One call: prefill, decode, cross attention, or a mixed ragged batch.
 *
 * Sequence b has q_lens[b] queries and kv_lens[b] keys (NULL: q_len, kv_len for all). For packed
 * ragged tensors give q_offsets (batch+1 ascending token offsets): the queries of sequence b are
 * then tokens q_offsets[b] .. q_offsets[b+1]-1, the batch stride is ignored, q_lens must be NULL.
 * Likewise kv_offsets. Rows without a visible key, or whose visible keys all score -inf, give O = 0 and
 * LSE = -inf, never NaN. Bytes beyond the valid lengths are never read, forbidden keys have no
 * influence whatever they hold. Outputs must not overlap each other or anything that is read. */
typedef struct rapt_attention_args {
  uint32_t size;
  uint32_t flags;             /* must be 0 */
  int32_t batch;              /* sequences */
  int32_t q_len;              /* queries per sequence, or the maximum */
  int32_t kv_len;             /* keys per sequence, or the maximum */
  int32_t reserved;           /* must be 0 */
  const int32_t *q_lens;      /* [batch] or NULL */
  const int32_t *kv_lens;     /* [batch] or NULL */
  const int32_t *q_offsets;   /* [batch+1] or NULL */
  const int32_t *kv_offsets;  /* [batch+1] or NULL */
  const int32_t *q_positions; /* [batch], with RAPT_ALIGN_OFFSET: >= 0 */
  rapt_const_tensor q;        /* [batch][heads_q][q_len][head_dim_qk] */
  rapt_const_tensor k;        /* [batch][heads_kv][kv_len][head_dim_qk] */
  rapt_const_tensor v;        /* [batch][heads_kv][kv_len][head_dim_v] */
  rapt_tensor o;              /* [batch][heads_q][q_len][head_dim_v] */
  rapt_tensor lse;            /* [batch][heads_q][q_len] float32, natural log; data NULL = none */
  const int32_t *cancel;      /* NULL, or read between tasks: non-zero stops the run */
  rapt_mask mask;             /* unless desc.mask is RAPT_MASK_NONE */
  const float *alibi_slopes;  /* [heads_q] with RAPT_ALIBI, else NULL (rapt_alibi_slopes) */
  const float *sinks; /* NULL, or [heads_q]: a logit per head that joins maximum and denominator
                                 only. A row without a key then has O = 0 and LSE = sink. NULL with
                                 RAPT_PARTIAL: sinks are applied once, at the merge */
  const int32_t *prefix_lens; /* [batch] with RAPT_PREFIX: 0 to the sequence's kv_len; else NULL */
  rapt_tensor m, l; /* with RAPT_PARTIAL, [batch][heads_q][q_len] float32: the largest score and
                                 the sum of e^(score - m); -inf and 0 for a row without a key */
  const rapt_scores_out *scores; /* NULL = none */
} rapt_attention_args;

/* Bytes of scratch a run needs; monotone in every length and in the number of workers. */
typedef struct rapt_workspace_info {
  uint32_t size;
  uint32_t reserved;
  uint64_t bytes; /* total to pass to the run, at a 64-byte aligned address; a multiple of 64 */
  uint64_t bytes_per_worker; /* independent of lengths */
  uint64_t bytes_shared;     /* sequence table and split joins */
} rapt_workspace_info;

typedef struct rapt_plan_info {
  uint32_t size;
  int32_t panel_queries; /* of the prefill set */
  int32_t key_block;     /* keys per block of the prefill set */
  int32_t split_keys;    /* length of a split, absolute positions */
  char prefill_set[32];  /* kernel set for more than decode_rows rows per KV head */
  char decode_set[32];   /* kernel set for up to decode_rows rows per KV head */
  uint64_t numerics_id;  /* equal id and description: equal bits for equal input */
  int32_t decode_rows;   /* rows are queries times query heads per KV head, of one sequence */
  int32_t reserved;
} rapt_plan_info;

/* Immutable; may be used by any number of threads at once. */
typedef struct rapt_plan rapt_plan;

/* Would this description work here, and with which kernels? Allocates nothing. `info` may be NULL. */
RAPT_API rapt_status rapt_plan_check(const rapt_attention_desc *desc, rapt_plan_info *info,
                                     rapt_error *error);

/* Chooses kernels and freezes the description. *plan is set only on success. */
RAPT_API rapt_status rapt_plan_create(const rapt_attention_desc *desc, rapt_plan **plan,
                                      rapt_error *error);

/* NULL is allowed. */
RAPT_API void rapt_plan_destroy(rapt_plan *plan);

RAPT_API rapt_status rapt_plan_get_info(const rapt_plan *plan, rapt_plan_info *info,
                                        rapt_error *error);

/* Scratch for calls up to args' batch, q_len and kv_len (the pointers in args are not read) with up
 * to `workers` (1..1024) workers. More than 1024 are never used. */
RAPT_API rapt_status rapt_plan_workspace(const rapt_plan *plan, const rapt_attention_args *args,
                                         int32_t workers, rapt_workspace_info *info,
                                         rapt_error *error);

/* Computes. No allocation, lock or environment access. `workspace` is 64-byte aligned and holds
 * workspace_bytes, and must not overlap what args points to; with less than max_workers' worth fewer
 * workers are used. Its content is of no meaning before and after. executor NULL: see
 * rapt_default_workers. */
RAPT_API rapt_status rapt_attention_run(const rapt_plan *plan, const rapt_attention_args *args,
                                        void *workspace, size_t workspace_bytes,
                                        const rapt_executor *executor, rapt_error *error);

/* The same for a team of threads that already runs: every thread ith = 0..nth-1 (nth <= 512) calls
 * with equal arguments and all get the same status. The first RAPT_TEAM_HEADER_BYTES of the workspace
 * must be zero before the first call; every finished call leaves them zero. There is no barrier
 * inside: O is complete when all threads have returned. A thread that enters the next call on the
 * same workspace early waits until the others have left this one. */
#define RAPT_TEAM_HEADER_BYTES 128
RAPT_API rapt_status rapt_attention_run_team(const rapt_plan *plan, const rapt_attention_args *args,
                                             void *workspace, size_t workspace_bytes, int32_t ith,
                                             int32_t nth, rapt_error *error);

/* One shot: plans, allocates (desc->allocator), runs. For experiments and few calls; engines keep a
 * plan and a workspace. */
RAPT_API rapt_status rapt_attention(const rapt_attention_desc *desc,
                                    const rapt_attention_args *args, const rapt_executor *executor,
                                    rapt_error *error);

/* ---- ALiBi ---------------------------------------------------------------------------------- */

/* slopes[i] = slope of head first + i, i < n, of a model with `heads` heads in all (first > 0: this
 * process holds a shard of them), for args.alibi_slopes. The rule is that of Press, Smith and Lewis,
 * "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation" (ICLR
 * 2022, arXiv 2108.12409): 2^(-8 (h + 1) / heads) when heads is a power of two; otherwise the slopes of
 * the next lower power of two p, followed by every second slope of 2p, from the first on. Refused:
 * heads below 1, first or n negative, first + n above heads, slopes NULL with n > 0. */
RAPT_API rapt_status rapt_alibi_slopes(int32_t heads, int32_t first, int32_t n, float *slopes,
                                       rapt_error *error);

/* ---- Partial results ------------------------------------------------------------------------ */

/* What the same queries make of some of their keys, in one of two forms. Normalised: o and lse as a run
 * gives them, m.data and l.data NULL. Unnormalised: o, m and l as RAPT_PARTIAL gives them, lse.data
 * NULL. The second is exact to join; near 1000 a float32 lse has steps of 6e-5. */
typedef struct rapt_merge_part {
  rapt_const_tensor o;   /* [batch][heads][q_len][head_dim] */
  rapt_const_tensor lse; /* [batch][heads][q_len] float32, natural log */
  rapt_const_tensor m;   /* the same shape: the largest score */
  rapt_const_tensor l;   /* the same shape: the sum of e^(score - m) */
} rapt_merge_part;

/* Joins partial results over key ranges that have no key in common. A partial is empty for a row where
 * lse = -inf, m = -inf or l = 0: it adds nothing, and its o is not read. */
typedef struct rapt_merge_args {
  uint32_t size;
  uint32_t flags;                  /* must be 0 */
  int32_t batch, heads, q_len;     /* rows; heads of queries */
  int32_t head_dim;                /* channels of o, 0..1024 */
  int32_t n;                       /* partials: any number, 0 too */
  int32_t reserved;                /* must be 0 */
  const rapt_merge_part *partials; /* [n], of either form each */
  const float *sinks;              /* NULL, or [heads]: applied here, once. NULL with m and l */
  rapt_tensor o;                   /* [batch][heads][q_len][head_dim] */
  rapt_tensor lse;                 /* [batch][heads][q_len]; data NULL = none */
  rapt_tensor m, l; /* both or none: o is not divided but comes out as a partial again, for trees of
                       merges. lse.data and sinks are NULL then */
} rapt_merge_args;

/* o = sum of e^(m_i - m) o_i / sum of e^(m_i - m) l_i, lse = m + ln of the divisor, m the largest m_i
 * (of a normalised partial m_i = lse, l_i = 1). Partials are summed in the order of their numbers, so
 * the bits do not depend on who computed which when, nor on the executor; empty partials do not change
 * them, and a row with one normalised partial that is not empty gets its o and lse as they are. All
 * empty: o = 0, lse = -inf (or the sink), m = -inf, l = 0. A NaN or +inf in an lse, m, l or sink makes its
 * row NaN; one in an o its channel. Strides as in a run; o, lse, m and l may each lie exactly (equal data
 * and strides) where partials[0] has its own, and must not overlap anything else. No allocation.
 * executor as in rapt_attention_run. */
RAPT_API rapt_status rapt_attention_merge(const rapt_merge_args *args,
                                          const rapt_executor *executor, rapt_error *error);

/* ---- Softmax -------------------------------------------------------------------------------- */

/* A tensor of four dimensions, each with a stride in bytes. */
typedef struct rapt_tensor_4d {
  float *data;
  int64_t stride[4];
} rapt_tensor_4d;

typedef struct rapt_const_tensor_4d {
  const float *data;
  int64_t stride[4];
} rapt_const_tensor_4d;

/* rapt_softmax_args.flags */
enum {
  RAPT_SOFTMAX_LITERAL = 1u << 0, /* use scale as it stands: 0 makes all permitted weights equal */
  RAPT_SOFTMAX_LOG = 1u << 1      /* y = the natural logarithm of the weights */
};

typedef struct rapt_softmax_args {
  uint32_t size;
  uint32_t flags;         /* RAPT_SOFTMAX_* */
  int32_t extent[3];      /* rows; 1 for a dimension that is not needed (0 is legal: no rows) */
  int32_t length;         /* elements of a row */
  rapt_const_tensor_4d x; /* [extent[0]][extent[1]][extent[2]][length]: any axis is the last one by
                             its stride. Strides of x may be 0 or negative */
  rapt_tensor_4d y;       /* the same shape; x itself (equal data and strides), or no byte of it */
  float scale;            /* finite; 0 = 1 */
  float temperature;      /* finite, >= 0; 0 = 1 */
  int32_t mask_kind;      /* RAPT_MASK_* */
  int32_t reserved;       /* must be 0 */
  rapt_mask mask;  /* data NULL with RAPT_MASK_NONE. Its extents are 1 or at least extent[0..2]
                             and length; factors: [extent[1]] */
  const char *isa; /* NULL or "" = RAPT_ISA from the environment, else the best */
} rapt_softmax_args;

/* y = softmax(x * scale / temperature + mask) along rows of any length. Masks forbid elements before the
 * maximum is taken; forbidden ones have no influence, whatever they hold, and get 0 (-inf with
 * RAPT_SOFTMAX_LOG). A row without a permitted element, or of -inf alone, is 0 (-inf); a NaN, or a +inf
 * after the mask, at a permitted element makes all of its row NaN (forbidden elements, too) and no other
 * row. Differences are taken before they are scaled, so that large elements keep small differences (one
 * beyond the largest float counts as infinite); with an additive mask the sum is rounded to float32
 * first. |scale / temperature| is at most 2.3e38. Rows are spread over the executor (as in
 * rapt_attention_run); bits do not depend on it, on strides, or on other rows. No allocation. */
RAPT_API rapt_status rapt_softmax(const rapt_softmax_args *args, const rapt_executor *executor,
                                  rapt_error *error);

/* ---- Positions ---------------------------------------------------------------------------- */

/* Attention alone does not see the order of tokens. docs/layer.md says how the three ways below bring it
 * in (the fourth, ALiBi, is a flag of the plan); all angles are computed in double from integer
 * positions, and sines and cosines are rounded to float once.
 *
 * Rotary positions (RoPE; Su et al. 2021, "RoFormer") turn pairs of channels of q and k, so that q.k
 * depends on the distance of the two tokens only:
 *
 *   (a, b) -> attention_factor * (a cos t - b sin t, b cos t + a sin t),  t = position * f[i]
 *   f[i] = base^(-2i / rotary_dims)   for pair i of rotary_dims / 2 */

/* rapt_rope_desc.scaling: what becomes of f when a model reads `factor` times more than it was trained
 * on. r = rotary_dims, L = original_context, turns(i) = L * f[i] / (2 pi). */
enum {
  RAPT_ROPE_PLAIN = 0,
  RAPT_ROPE_LINEAR = 1, /* f / factor (position interpolation, Chen et al. 2023) */
  RAPT_ROPE_NTK = 2,    /* base * factor^(r / (r-2)) takes the place of base ("NTK-aware") */
  RAPT_ROPE_YARN = 3, /* f for pairs of more than beta_fast turns, f / factor below beta_slow turns,
                           a ramp over i between (Peng et al. 2023); with L so short or so long that
                           the ramp would lie beside the pairs, all are f / factor or all are f */
  RAPT_ROPE_LLAMA3 = 4, /* f above high_freq_factor turns, f / factor below low_freq_factor turns, a
                           ramp over turns between */
  RAPT_ROPE_GIVEN = 5   /* f = inv_freq (LongRoPE's factors, for instance) */
};

/* rapt_rope_desc.flags */
enum {
  RAPT_ROPE_INTERLEAVED = 1u << 0, /* pairs are channels (2i, 2i+1), as in GPT-J; without the flag
                                      (i, i + rotary_dims/2), as in GPT-NeoX and Llama files of HF */
  RAPT_ROPE_YARN_EXACT = 1u << 1   /* the ends of YaRN's ramp are not rounded to whole pairs */
};

/* Fields a scaling rule has no use for are not read. */
typedef struct rapt_rope_desc {
  uint32_t size;
  uint32_t flags;
  int32_t head_dim;            /* channels of a row, 2..1024 */
  int32_t rotary_dims;         /* the first channels, an even number, are turned and the others pass
                               unchanged; 0 = head_dim */
  int32_t scaling;             /* RAPT_ROPE_* */
  int32_t original_context;    /* L in tokens: YaRN, Llama-3 */
  double base;                 /* above 1; 0 = 10000 */
  double factor;               /* above 0: all rules but PLAIN and GIVEN */
  double beta_fast, beta_slow; /* YaRN; 0 = 32 and 1 */
  double low_freq_factor, high_freq_factor; /* Llama-3; 0 = 1 and 4 */
  double attention_factor;         /* 0 = 0.1 ln(factor) + 1 for YaRN with factor > 1, else 1 */
  const double *inv_freq;          /* [rotary_dims / 2] with RAPT_ROPE_GIVEN, |f| <= 1e9; copied */
  const char *isa;                 /* as in rapt_attention_desc */
  const rapt_allocator *allocator; /* NULL = aligned malloc; copied */
} rapt_rope_desc;

/* Immutable; may be used by any number of threads at once. One serves all layers of a model. */
typedef struct rapt_rope rapt_rope;

typedef struct rapt_rope_info {
  uint32_t size;
  int32_t head_dim, rotary_dims;
  int32_t reserved;
  double attention_factor;
  char set[32]; /* kernel set */
} rapt_rope_info;

/* *rope is set only on success. */
RAPT_API rapt_status rapt_rope_create(const rapt_rope_desc *desc, rapt_rope **rope,
                                      rapt_error *error);

/* NULL is allowed. */
RAPT_API void rapt_rope_destroy(rapt_rope *rope);

RAPT_API rapt_status rapt_rope_get_info(const rapt_rope *rope, rapt_rope_info *info,
                                        rapt_error *error);

/* f after scaling: inv_freq[rotary_dims / 2]. */
RAPT_API rapt_status rapt_rope_frequencies(const rapt_rope *rope, double *inv_freq,
                                           rapt_error *error);

/* Cosines and sines of positions first .. first + count - 1, rotary_dims / 2 floats each, without the
 * attention factor. From rapt_rope_table_fill, or a model's own. */
typedef struct rapt_rope_table {
  uint32_t size;
  int32_t first, count;
  int32_t reserved;       /* must be 0 */
  const float *cos, *sin; /* of position `first` */
  int64_t stride;         /* bytes from one position to the next, of both */
} rapt_rope_table;

RAPT_API rapt_status rapt_rope_table_bytes(const rapt_rope *rope, int32_t count, uint64_t *bytes,
                                           rapt_error *error);

/* Computes the table into `memory` (aligned to 4 bytes) and describes it in *table, which points there.
 * A pair costs some 10 ns: one table for all layers, heads and calls makes rotating them as quick
 * as copying. executor as in rapt_attention_run. */
RAPT_API rapt_status rapt_rope_table_fill(const rapt_rope *rope, int32_t first, int32_t count,
                                          void *memory, size_t memory_bytes,
                                          const rapt_executor *executor, rapt_rope_table *table,
                                          rapt_error *error);

/* rapt_rope_args.flags */
enum {
  RAPT_ROPE_INVERSE = 1u << 0, /* undoes: angles are negated, the attention factor divides */
  RAPT_ROPE_SHIFT = 1u << 1 /* moves keys that have been rotated before: offsets and positions are
                                  distances, offsets[b] that of every token of the sequence, and the
                                  attention factor is left out. With RAPT_ROPE_INVERSE: backwards */
};

/* q or k of a call; packed ragged tensors are one sequence with positions. Tokens from lens[b] on are
 * neither read nor written. */
typedef struct rapt_rope_args {
  uint32_t size;
  uint32_t flags;
  int32_t batch, heads, tokens;
  int32_t reserved;         /* must be 0 */
  const int32_t *lens;      /* [batch], at most tokens each, or NULL: tokens for all */
  const int32_t *offsets;   /* [batch] position of token 0, or NULL: 0. The others follow by ones */
  const int32_t *positions; /* [batch][tokens] position of each token; then offsets must be NULL */
  rapt_const_tensor x;      /* [batch][heads][tokens][head_dim] */
  rapt_tensor y; /* data and strides of x (in place), or a tensor that shares no byte with x. It
                    shares none with lens, offsets, positions and table */
  const rapt_rope_table *table; /* holds every position; NULL: computed on the way, the same bits */
} rapt_rope_args;

/* No allocation, lock or environment access. Positions are 0 or more. Same bits for any executor. */
RAPT_API rapt_status rapt_rope_rotate(const rapt_rope *rope, const rapt_rope_args *args,
                                      const rapt_executor *executor, rapt_error *error);

/* rapt_sinusoidal_table's flags */
enum {
  RAPT_SINUSOIDAL_HALVES = 1u << 0,   /* all sines, then all cosines, as in Marian */
  RAPT_SINUSOIDAL_INCLUSIVE = 1u << 1 /* the last frequency is 1/10000 itself: the exponent is
                                         i / (dim/2 - 1), as in Tensor2Tensor and (halves) Whisper */
};

/* Sinusoidal positions (Vaswani et al. 2017): row t of `out` is position p = first + t,
 *   out[t][2i] = sin(p / 10000^(2i/dim)),  out[t][2i+1] = cos(p / 10000^(2i/dim))
 * stride in bytes from row to row. An odd dim has one sine more than cosines. */
RAPT_API rapt_status rapt_sinusoidal_table(int32_t tokens, int32_t first, int32_t dim,
                                           uint32_t flags, float *out, int64_t stride,
                                           const rapt_executor *executor, rapt_error *error);

/* x[t] += table[positions[t]] for rows of dim floats: learned positions, or sinusoidal ones. x must not
 * overlap what is read. */
typedef struct rapt_add_positions_args {
  uint32_t size;
  uint32_t flags; /* must be 0 */
  int32_t tokens, dim;
  int32_t table_rows;
  int32_t first;            /* the row of token 0, and so on; 0 with positions */
  const int32_t *positions; /* [tokens], 0 to table_rows - 1 each, or NULL */
  const float *table;
  int64_t table_stride; /* in bytes; 0 and negative ones included */
  float *x;             /* shares no byte with the table */
  int64_t x_stride;     /* in bytes, positive */
} rapt_add_positions_args;

RAPT_API rapt_status rapt_add_positions(const rapt_add_positions_args *args,
                                        const rapt_executor *executor, rapt_error *error);

/* ---- The layer (librapt only) --------------------------------------------------------------- */

/* Attention as models have it: every token's row x of embed_in numbers becomes a query, a key and a value
 * per head by learned matrices, heads attend, and a last matrix mixes their results:
 *
 *   q = x Wq + bq   k = x Wk + bk   v = x Wv + bv   out = attention(q, k, v) Wo + bo
 *
 * docs/layer.md takes it step by step. The matrix products are BLAS calls that never use a thread besides
 * the executor's workers, whichever build of OpenBLAS is loaded. The bits of the result do not depend on
 * the executor, on the number of workers or on the other sequences of the batch. */

/* rapt_blas_info.parallel */
enum {
  RAPT_BLAS_NONE = 0,       /* built without: rapt_mha_create refuses */
  RAPT_BLAS_SEQUENTIAL = 1, /* gets whole tiles of a product */
  RAPT_BLAS_PTHREAD = 2,    /* gets pieces so small that it keeps to the calling thread */
  RAPT_BLAS_OPENMP = 3,     /* gets whole tiles, in OpenMP tasks that may have one thread */
  RAPT_BLAS_UNKNOWN = 4 /* not OpenBLAS, taken for sequential: should it have threads, they come on
                             top of the executor's */
};

typedef struct rapt_blas_info {
  uint32_t size;
  int32_t parallel; /* RAPT_BLAS_* */
  char name[120];   /* e.g. "OpenBLAS 0.3.21, OpenMP build, kernels for Haswell" */
} rapt_blas_info;

RAPT_API rapt_status rapt_get_blas_info(rapt_blas_info *info, rapt_error *error);

/* rapt_mha_desc.layout, of all matrices */
enum {
  RAPT_WEIGHTS_IN_OUT = 0, /* W[in][out], the faster one: y = x W (ONNX, TensorFlow, JAX) */
  RAPT_WEIGHTS_OUT_IN = 1  /* W[out][in]: y = x W^T (PyTorch's Linear, Llama checkpoints) */
};

/* A matrix and its bias. data NULL: none. */
typedef struct rapt_weights {
  const float *data;
  int64_t stride;    /* bytes from row to row; 0 = rows without gaps */
  const float *bias; /* [out], or NULL */
} rapt_weights;

/* rapt_mha_desc.flags */
enum {
  RAPT_MHA_BORROW =
      1u << 0 /* weights and biases stay the caller's and must outlive the layer. Without
                               it they are copied, as [in][out] whatever they were */
};

/* Columns of q are heads_q * head_dim_qk: head after head; of k heads_kv * head_dim_qk, of v heads_kv *
 * head_dim_v; wo has heads_q * head_dim_v rows (in), head after head. */
typedef struct rapt_mha_desc {
  uint32_t size;
  uint32_t flags;
  int32_t layout;       /* RAPT_WEIGHTS_* */
  int32_t embed_in;     /* width of x, 1..2^20 */
  int32_t embed_source; /* width of the second input of cross attention; 0 = embed_in */
  int32_t embed_out;    /* width of out; 0 = embed_in. Without wo it must be 0 */
  rapt_weights wq, wk, wv;
  rapt_weights wqkv; /* instead of the three: their columns side by side, q, k, v */
  rapt_weights wo;   /* without: out is the heads' results side by side, heads_q * head_dim_v */
  const rapt_attention_desc
      *attention;        /* heads, head dims, rules, isa, allocator (for all of the layer;
                                           without RAPT_PARTIAL). With a cache RAPT_ALIGN_BOTTOM_RIGHT
                                           is the alignment of causal self attention */
  const rapt_rope *rope; /* NULL, or turns queries and new keys; must outlive the layer */
} rapt_mha_desc;

/* Immutable; may be used by any number of threads at once. */
typedef struct rapt_mha rapt_mha;

/* Makes a plan and takes the weights. *mha is set only on success. */
RAPT_API rapt_status rapt_mha_create(const rapt_mha_desc *desc, rapt_mha **mha, rapt_error *error);

/* NULL is allowed. */
RAPT_API void rapt_mha_destroy(rapt_mha *mha);

/* rapt_mha_cache.kind. Later versions add paged and quantised ones. */
enum { RAPT_CACHE_DENSE = 0 };

/* Keys and values that stay from call to call, in the caller's memory. The products write straight into
 * it: sequence b's new tokens to lengths[b] and on. The caller then advances lengths. */
typedef struct rapt_mha_cache {
  uint32_t size;
  int32_t kind;           /* RAPT_CACHE_* */
  int32_t capacity;       /* tokens of a sequence that k and v hold */
  int32_t reserved;       /* must be 0 */
  rapt_tensor k, v;       /* [batch][heads_kv][capacity][head_dim_qk or _v] float */
  const int32_t *lengths; /* [batch] tokens there before the call; NULL: none */
} rapt_mha_cache;

/* rapt_mha_args.flags */
enum {
  RAPT_MHA_KEEP_KV = 1u << 0 /* no new keys: attend to the lengths[b] tokens of the cache, such as
                                rapt_mha_project_kv wrote */
};

/* One call. Self attention: source NULL, keys are the cache's tokens and then x's own. Cross attention:
 * keys are the cache's tokens, if any, and then source's. Without a cache K and V are gone after the
 * call. out and new keys in the cache must not overlap what is read later, nor each other, nor lengths,
 * offsets, positions and the rope table; the workspace must not overlap anything. Rows of x, source
 * and out are contiguous; strides are in bytes, batch and token, those of a
 * dimension of size 1 are ignored; token strides are at least a row. */
typedef struct rapt_mha_args {
  uint32_t size;
  uint32_t flags;        /* RAPT_MHA_KEEP_KV */
  int32_t batch;         /* sequences */
  int32_t q_len;         /* tokens of x per sequence, or the maximum */
  int32_t source_len;    /* tokens of source per sequence, or the maximum; 0 without */
  int32_t reserved;      /* must be 0 */
  const int32_t *q_lens; /* [batch], or NULL: q_len for all */
  const int32_t
      *q_offsets; /* [batch+1], or NULL: as in rapt_attention_args, for x and out; the batch
                                 strides are ignored then. */
  const int32_t *source_lens; /* [batch], or NULL: source_len for all */
  const float *x;             /* [batch][q_len][embed_in] */
  const float *source;        /* [batch][source_len][embed_source], or NULL */
  float *out; /* [batch][q_len][embed_out]; with wo it may be x itself (same strides) */
  int64_t x_stride[2], source_stride[2], out_stride[2];
  const rapt_mha_cache *cache; /* or NULL */
  const rapt_attention_args
      *attention; /* NULL, or what the rules and outputs of attention need: its
                                           mask, alibi_slopes, sinks, prefix_lens, q_positions, lse,
                                           scores and cancel; all other fields are not read */
  const int32_t
      *positions; /* with rope, [batch] position of x's first token, also of the keys made from
                               it. NULL: cache->lengths, or 0. Keys of source stand behind the cache's */
  const rapt_rope_table *rope_table; /* NULL, or with rope: holds all these positions */
} rapt_mha_args;

/* Scratch for calls up to args' batch, q_len, source_len and cache->capacity (pointers to data are not
 * read) with up to `workers` (1..1024) workers. bytes_per_worker and bytes_shared are those of the attention
 * in it. */
RAPT_API rapt_status rapt_mha_workspace(const rapt_mha *mha, const rapt_mha_args *args,
                                        int32_t workers, rapt_workspace_info *info,
                                        rapt_error *error);

/* x -> out. As rapt_attention_run, but `parallel` of the executor is called up to four times: for the
 * projections, their rotation, the heads, the output. On RAPT_ERROR_EXECUTOR and RAPT_ERROR_CANCELLED out and the cache's
 * new tokens are unspecified; what the cache held before never changes. */
RAPT_API rapt_status rapt_mha_forward(const rapt_mha *mha, const rapt_mha_args *args,
                                      void *workspace, size_t workspace_bytes,
                                      const rapt_executor *executor, rapt_error *error);

/* Only the keys and values of source (or of x, if source is NULL), into the cache: for cross attention,
 * where the source is the same in every step. Reads no field of outputs and, with a source, none of
 * queries (x, q_len, q_lens, q_offsets, positions). */
RAPT_API rapt_status rapt_mha_project_kv(const rapt_mha *mha, const rapt_mha_args *args,
                                         const rapt_executor *executor, rapt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* RAPT_RAPT_H */
