/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ranking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/reference.h"
#include "look.h"

/* A NaN counts as less than any number, so that the order is one. */
static int compare_numbers(float a, float b) {
  int a_nan = isnan(a) != 0, b_nan = isnan(b) != 0;
  if (a_nan || b_nan) return a_nan - b_nan;
  return a > b ? -1 : a < b;
}

static int compare(const void *x, const void *y) {
  const ranked_key *a = x, *b = y;
  int order = compare_numbers(a->weight, b->weight);
  if (!order) order = compare_numbers(a->score[RAPT_STAGE_BIAS], b->score[RAPT_STAGE_BIAS]);
  return order ? order : (a->key > b->key) - (a->key < b->key);
}

static void rank(ranking *r, const float *const stage[4]) {
  const float *bias = stage[RAPT_STAGE_BIAS];
  for (int32_t j = 0; j < r->keys; j++) {
    if (bias[j] == -INFINITY) continue;
    ranked_key *k = &r->ranked[r->visible++];
    *k = (ranked_key){j,
                      {stage[RAPT_STAGE_RAW][j], stage[RAPT_STAGE_SOFTCAP][j], bias[j]},
                      stage[RAPT_STAGE_WEIGHTS][j]};
    if (r->poisoned < 0 && (isnan(bias[j]) || bias[j] == INFINITY)) r->poisoned = j;
    r->sum += (double)k->weight;
  }
  qsort(r->ranked, (size_t)r->visible, sizeof *r->ranked, compare);
}

int ranking_make(ranking *r, const call *c, int32_t sequence, int32_t head, int32_t query,
                 failure *why) {
  const size_t keys = (size_t)c->k.tokens;
  *r = (ranking){.sequence = sequence,
                 .head = head,
                 .query = query,
                 .keys = (int32_t)reference_kv_len(&c->args, sequence),
                 .poisoned = -1};
  float *scores = calloc(4 * keys, sizeof *scores);
  r->ranked = calloc(keys, sizeof *r->ranked);
  int status = 0;
  if (!scores || !r->ranked)
    status = fail(why, EXIT_RUN_FAILED, "out of memory for the scores of %zu keys", keys);
  const float *stage[4] = {NULL};
  for (int32_t s = 0; !status && s < 4; s++) {
    stage[s] = scores + (size_t)s * keys;
    status = look_at_rows(c, sequence, head, s, &query, 1, scores + (size_t)s * keys, why);
  }
  if (!status) rank(r, stage);
  free(scores);
  return status;
}

void ranking_free(ranking *r) {
  free(r->ranked);
  r->ranked = NULL;
}

/* How many of the heaviest keys hold this share of all weight. */
static int32_t keys_with(const ranking *r, double share) {
  double sum = 0;
  int32_t n = 0;
  while (n < r->visible && sum < share * r->sum) sum += (double)r->ranked[n++].weight;
  return n;
}

static void print_sums(const ranking *r, const call *c, int32_t top) {
  double sum = 0;
  for (int32_t n = 0; n < top; n++) sum += (double)r->ranked[n].weight;
  printf("\nweights   sum %.7f over %d visible keys", r->sum, (int)r->visible);
  if (c->sinks) printf("; the sink (%g) took %.7f", (double)c->sinks[r->head], 1 - r->sum);
  printf("\n");
  if (r->sum > 0) {
    if (top > 0 && top < r->visible)
      printf("shares    the keys above hold %.2f %%, the other %d hold %.2f %%\n",
             100 * sum / r->sum, (int)(r->visible - top), 100 * (1 - sum / r->sum));
    printf("half of the weight is on %d, nine tenths on %d, 99 %% on %d\n", (int)keys_with(r, 0.5),
           (int)keys_with(r, 0.9), (int)keys_with(r, 0.99));
  }
}

void ranking_print(const ranking *r, const call *c, int32_t top) {
  if (top > r->visible) top = r->visible;
  printf("query %d of head %d (KV head %d), sequence %d: %d keys, %d visible\n", (int)r->query,
         (int)r->head, (int)(r->head / (c->q.heads / c->k.heads)), (int)r->sequence, (int)r->keys,
         (int)r->visible);
  if (r->visible == 0) {
    printf("\nno key is visible: the output of this query is 0\n");
    return;
  }
  if (top)
    printf("\n%5s %7s %12s %12s %12s %11s %9s\n", "rank", "key", "raw", "softcap", "bias", "weight",
           "sum");
  double sum = 0;
  for (int32_t n = 0; n < top; n++) {
    const ranked_key *k = &r->ranked[n];
    sum += (double)k->weight;
    printf("%5d %7d %12.6g %12.6g %12.6g %11.4g %9.6f\n", (int)n + 1, (int)k->key,
           (double)k->score[0], (double)k->score[1], (double)k->score[2], (double)k->weight, sum);
  }
  if (r->poisoned >= 0)
    printf("\nthe weights are no numbers, because the score of key %d is %s\n", (int)r->poisoned,
           "NaN or infinite");
  else
    print_sums(r, c, top);
}
