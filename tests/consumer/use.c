/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program outside of the tree that knows the header and nothing else. Compiles as C and as C++.
 *
 *   use [isa]   compares calls with float64; prints the topology, and for each level (or the one asked
 *               for) a hash of all output bits: "bits avx2 0123456789abcdef" */
#include <math.h>
#include <rapt/rapt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 40, MOST = 4200 * 2 * DIM };

typedef struct shape {
  int heads_q, heads_kv, q_len, kv_len, causal;
} shape;

/* Panels and rows, whole and split keys, grouped heads, causal prompts: each way work is cut. */
static const shape shapes[] = {{2, 2, 1, 60, 0},   {8, 2, 1, 4150, 0}, {8, 1, 1, 2100, 0},
                               {2, 2, 33, 33, 1},  {2, 1, 70, 300, 0}, {1, 1, 150, 150, 1},
                               {2, 2, 3, 4200, 1}, {4, 4, 20, 20, 0}};

/* [token][head][channel] */
static float q[MOST], k[MOST], v[MOST], o[MOST];
static int failures = 0;

static void fill(float *x) {
  static uint32_t state = 7;
  for (int i = 0; i < MOST; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)(int32_t)(state >> 8) / 8388608.0f - 1.0f;
  }
}

/* Softmax of one row in float64; the largest difference of its output. */
static double row_error(const shape *s, int head, int row) {
  static double weight[4200];
  int kv_head = head * s->heads_kv / s->heads_q;
  int seen = s->causal ? s->kv_len - s->q_len + row + 1 : s->kv_len;
  const float *query = q + (row * s->heads_q + head) * DIM;
  const float *output = o + (row * s->heads_q + head) * DIM;
  double top = -INFINITY, sum = 0, worst = 0;
  for (int j = 0; j < seen; j++) {
    weight[j] = 0;
    for (int c = 0; c < DIM; c++)
      weight[j] += (double)query[c] * k[(j * s->heads_kv + kv_head) * DIM + c];
    weight[j] /= sqrt((double)DIM);
    if (weight[j] > top) top = weight[j];
  }
  for (int j = 0; j < seen; j++) sum += weight[j] = exp(weight[j] - top);
  for (int c = 0; c < DIM; c++) {
    double x = 0;
    for (int j = 0; j < seen; j++) x += weight[j] * v[(j * s->heads_kv + kv_head) * DIM + c];
    double off = fabs(output[c] - x / sum);
    if (!(off <= worst)) worst = off;
  }
  return worst;
}

static void set_stride(int64_t stride[3], int heads) {
  stride[0] = 0;
  stride[1] = DIM * (int64_t)sizeof(float);
  stride[2] = heads * stride[1];
}

/* Runs one shape at a level and mixes its output into the hash. */
static uint64_t run(const shape *s, const char *isa, uint64_t hash) {
  rapt_attention_desc desc;
  rapt_attention_args args;
  rapt_error error;
  memset(&desc, 0, sizeof desc), memset(&args, 0, sizeof args), memset(&error, 0, sizeof error);
  desc.size = sizeof desc, args.size = sizeof args, error.size = sizeof error;
  desc.heads_q = s->heads_q, desc.heads_kv = s->heads_kv;
  desc.head_dim_qk = desc.head_dim_v = DIM;
  desc.isa = isa;
  if (s->causal) desc.flags = RAPT_CAUSAL, desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  args.batch = 1, args.q_len = s->q_len, args.kv_len = s->kv_len;
  args.q.data = q, args.k.data = k, args.v.data = v, args.o.data = o;
  set_stride(args.q.stride, s->heads_q), set_stride(args.k.stride, s->heads_kv);
  set_stride(args.v.stride, s->heads_kv), set_stride(args.o.stride, s->heads_q);
  if (rapt_attention(&desc, &args, NULL, &error) != RAPT_OK) {
    printf("%s: %s %s\n", isa, error.field, error.message);
    exit(1);
  }
  for (int head = 0; head < s->heads_q; head++)
    for (int row = 0; row < s->q_len; row++) {
      double off = row_error(s, head, row);
      if (!(off < 2e-6) && failures++ < 5)
        printf("%s, %d x %d, head %d, row %d: off by %g\n", isa, s->q_len, s->kv_len, head, row,
               off);
    }
  for (int i = 0; i < s->q_len * s->heads_q * DIM; i++) {
    uint32_t bits;
    memcpy(&bits, &o[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

static void run_level(const char *isa) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) hash = run(&shapes[i], isa, hash);
  printf("bits %s %016llx\n", isa, (unsigned long long)hash);
}

int main(int argc, char **argv) {
  rapt_cpu_info cpu;
  rapt_kernel_info set;
  memset(&cpu, 0, sizeof cpu), memset(&set, 0, sizeof set);
  cpu.size = sizeof cpu, set.size = sizeof set;
  if (rapt_get_cpu_info(&cpu, NULL) != RAPT_OK) return 1;
  if (rapt_version() != RAPT_VERSION_MAJOR * 10000 + RAPT_VERSION_MINOR * 100 + RAPT_VERSION_PATCH)
    return 1;
  printf("topology %s\n", cpu.topology);
  fill(q), fill(k), fill(v);
  if (argc > 1) run_level(argv[1]);
  for (int i = 0; argc == 1 && i < rapt_kernel_count(); i++)
    if (rapt_kernel_get(i, &set, NULL) == RAPT_OK && set.usable) run_level(set.isa);
  return failures != 0;
}
