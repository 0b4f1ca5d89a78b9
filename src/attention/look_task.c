/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * args.scores: scores or weights of chosen rows. Their keys are walked again, by panels that hold the
 * chosen rows of one head and nothing else: once for scores, twice for weights (maximum and sum, then the
 * weights). Nothing of it passes through the tasks that compute O.
 *
 * A task is one panel or, where weights are summed per key, all panels of a head, so that the sum has one
 * order. */
#include <string.h>

#include "drivers.h"
#include "partials.h"
#include "rules.h"

typedef struct look {
  const rapt_call *call;
  const rapt_scratch *scratch;
  const rapt_sequence *s;
  const rapt_panel_ops *ops;
  int32_t place, head;          /* place: index in the caller's list of heads */
  int32_t count;                /* rows of the panel */
  rapt_row row[RAPT_MAX_LANES]; /* ascending */
  float *out[RAPT_MAX_LANES];   /* where each row goes, or NULL */
  rapt_rows_view view;
  rapt_rules rules;
  rapt_keys_view k; /* key 0 */
  float *sums;      /* per key, or NULL */
  _Alignas(64) float m[RAPT_MAX_LANES], l[RAPT_MAX_LANES], sink[RAPT_MAX_LANES];
} look;

static int32_t rows_asked(const rapt_call *call) {
  return call->scores.rows ? call->scores.n_rows : call->args.q_len;
}

static int32_t heads_asked(const rapt_call *call) {
  return call->scores.heads ? call->scores.n_heads : call->plan->desc.heads_q;
}

/* Tasks per head of a sequence. */
static int64_t tasks_per_head(const rapt_call *call) {
  const int64_t lanes = call->plan->prefill->panel[0].lanes;
  return call->scores.key_sums ? 1 : (rows_asked(call) + lanes - 1) / lanes;
}

int64_t rapt_count_looks(const rapt_call *call) {
  if (!call->scores.data && !call->scores.key_sums) return 0;
  return tasks_per_head(call) * heads_asked(call) * call->args.batch;
}

/* ---- Rows ------------------------------------------------------------------------------------- */

static float *row_out(const look *w, int32_t i) {
  const rapt_scores_out *o = &w->call->scores;
  if (!o->data) return 0;
  return (float *)(void *)((char *)o->data + w->s->index * o->stride[0] + w->place * o->stride[1] +
                           i * o->stride[2]);
}

/* A row as if no key were visible: what is seen is written over it. */
static void clear_row(const look *w, float *row) {
  const float none = w->call->scores.stage == RAPT_STAGE_WEIGHTS ? 0.0f : -__builtin_inff();
  if (row)
    for (int32_t j = 0; j < w->call->args.kv_len; j++) row[j] = none;
}

/* Rows [from, to) of the list that the sequence has, in the order of their tokens. */
static void take_rows(look *w, int32_t from, int32_t to) {
  const int32_t *rows = w->call->scores.rows;
  w->count = 0;
  for (int32_t i = from; i < to; i++) {
    int64_t token = rows ? rows[i] : i;
    float *out = row_out(w, i);
    clear_row(w, out);
    if (token < 0) token += w->s->q_len;
    if (token < 0 || token >= w->s->q_len) continue;
    int32_t at = w->count++;
    for (; at > 0 && w->row[at - 1].token > token; at--) {
      w->row[at] = w->row[at - 1];
      w->out[at] = w->out[at - 1];
    }
    w->row[at] = (rapt_row){token, w->head};
    w->out[at] = out;
  }
}

/* Queries and rules of the panel. */
static void begin_panel(look *w) {
  const rapt_plan *plan = w->call->plan;
  const float *q[RAPT_MAX_LANES];
  w->ops = rapt_panel_for(plan->prefill, w->count);
  for (int32_t i = 0; i < w->count; i++)
    q[i] = (const float *)(const void *)rapt_query_at(w->call, w->s, w->head, w->row[i].token);
  if (rapt_has_rules(plan))
    rapt_rules_begin(w->call, w->s, w->row, w->count, w->ops->lanes, &w->rules);
  w->ops->pack_q(q, w->count, plan->desc.head_dim_qk, plan->natural_scale, w->scratch->q[0]);
  for (int32_t i = 0; i < RAPT_MAX_LANES; i++) {
    w->m[i] = -__builtin_inff();
    w->l[i] = 0.0f;
    w->sink[i] = w->call->args.sinks ? w->call->args.sinks[w->head] : 0.0f;
  }
}

/* What the rows see, or (no permission asked) all keys. Vectors do not end early: every lane is read. */
static void begin_view(look *w, int32_t permitted) {
  const rapt_range all = {0, w->s->kv_len};
  for (int32_t i = 0; i < w->count; i++)
    w->view.range[i] = permitted ? rapt_visible(w->call->plan, w->s, w->row[i].token) : all;
  rapt_view_ranges(w->call->plan, w->count, w->ops->lanes, 0, &w->view);
}

static const rapt_keys_view no_values = {0, 0};

/* ---- Blocks ----------------------------------------------------------------------------------- */

/* Scores of a block before the rules, softcap apart. */
static int32_t plain_block(look *w, int32_t from, int32_t to, rapt_key_block *kb) {
  const rapt_plan *plan = w->call->plan;
  const rapt_scratch *sc = w->scratch;
  if (!rapt_key_block_ranges(&w->view, sc, from, to, rapt_keys_from(w->k, from), no_values, kb))
    return 0;
  w->ops->scores(sc->q[0], plan->desc.head_dim_qk, kb->k.at, kb->k.stride, &kb->block, sc->s,
                 sc->m_raw, 0);
  if (w->call->scores.stage >= RAPT_STAGE_SOFTCAP && plan->desc.softcap != 0)
    plan->prefill->softcap(sc->s, kb->block.keys * w->ops->lanes, plan->desc.softcap);
  return 1;
}

/* Scores after all rules, -inf where a key is not visible, and the maximum. */
static int32_t ruled_block(look *w, int32_t from, int32_t to, rapt_key_block *kb) {
  const rapt_scratch *sc = w->scratch;
  if (!rapt_key_block_begin(w->call, &w->view, &w->rules, sc, 0, from, to,
                            rapt_keys_from(w->k, from), no_values, kb))
    return 0;
  for (int32_t i = 0; i < w->ops->lanes; i++) sc->m_new[i] = w->m[i];
  rapt_panel_scores(w->call, w->ops, 1, sc->q[0], &w->rules, kb, sc, 0);
  return 1;
}

/* s[n][lane] to row[lane][n]: weights are divided by their sum as O would be. */
static void turn_block(const look *w, int32_t keys, int32_t weights,
                       float turned[RAPT_MAX_LANES][RAPT_MOST_KEY_BLOCK]) {
  static const _Alignas(64) float zeros[RAPT_MAX_LANES] = {0};
  _Alignas(64) float ones[RAPT_MAX_LANES];
  float *rows[RAPT_MAX_LANES];
  for (int32_t i = 0; i < RAPT_MAX_LANES; i++) {
    rows[i] = turned[i];
    ones[i] = 1.0f;
  }
  if (weights)
    w->ops->finish(1, w->m, w->l, w->scratch->s, w->call->args.sinks ? w->sink : 0, keys, w->count,
                   rows, 0);
  else
    w->ops->copy_out(zeros, ones, w->scratch->s, keys, w->count, rows);
}

static void write_block(const look *w, const rapt_key_block *kb, int32_t weights) {
  _Alignas(64) float turned[RAPT_MAX_LANES][RAPT_MOST_KEY_BLOCK];
  turn_block(w, kb->block.keys, weights, turned);
  for (int32_t i = 0; i < w->count; i++) {
    if (weights && w->sums)
      for (int32_t n = 0; n < kb->block.keys; n++)
        w->sums[kb->first + (int32_t)kb->key[n]] += turned[i][n];
    if (w->out[i] && (!weights || w->call->scores.stage == RAPT_STAGE_WEIGHTS))
      for (int32_t n = 0; n < kb->block.keys; n++)
        w->out[i][kb->first + (int32_t)kb->key[n]] = turned[i][n];
  }
}

/* ---- Passes over the keys ---------------------------------------------------------------------- */

/* Runs BODY for each key block [from, to) that a row sees. */
#define EACH_BLOCK(w, BODY)                                                                     \
  do {                                                                                          \
    const int32_t step_ = (w)->call->plan->prefill->key_block;                                  \
    const int32_t hi_ = (w)->view.range[(w)->view.lanes - 1].hi;                                \
    for (int64_t at_ = 0; (at_ = rapt_view_skip(&(w)->view, at_, step_)) < hi_; at_ += step_) { \
      const int32_t from = (int32_t)at_, to = (int32_t)(at_ + step_ < hi_ ? at_ + step_ : hi_); \
      rapt_key_block kb;                                                                        \
      BODY;                                                                                     \
    }                                                                                           \
  } while (0)

static void pass_scores(look *w, int32_t ruled) {
  begin_view(w, ruled);
  EACH_BLOCK(w, if (ruled ? ruled_block(w, from, to, &kb) : plain_block(w, from, to, &kb))
                    write_block(w, &kb, 0));
}

static void pass_weights(look *w) {
  const rapt_scratch *sc = w->scratch;
  _Alignas(64) float ignored[RAPT_MAX_LANES];
  begin_view(w, 1);
  EACH_BLOCK(w, if (ruled_block(w, from, to, &kb))
                    w->ops->softmax(&kb.block, 1, sc->s, sc->m_new, w->m, w->l, sc->alpha));
  memcpy(ignored, w->l, sizeof ignored);
  EACH_BLOCK(
      w, if (ruled_block(w, from, to, &kb)) {
        w->ops->softmax(&kb.block, 1, sc->s, sc->m_new, w->m, ignored, sc->alpha);
        write_block(w, &kb, 1);
      });
}

static void look_panel(look *w, int32_t from, int32_t to) {
  const int32_t stage = w->call->scores.stage;
  take_rows(w, from, to);
  if (w->count == 0) return;
  begin_panel(w);
  if (w->call->scores.data && stage != RAPT_STAGE_WEIGHTS) pass_scores(w, stage == RAPT_STAGE_BIAS);
  if (stage == RAPT_STAGE_WEIGHTS || w->sums) pass_weights(w);
}

void rapt_look_task(const rapt_call *call, int64_t index, const rapt_scratch *scratch) {
  const rapt_attention_args *a = &call->args;
  const rapt_scores_out *o = &call->scores;
  const int64_t per_head = tasks_per_head(call), head = index / per_head;
  const int32_t heads = heads_asked(call), rows = rows_asked(call);
  const int32_t lanes = call->plan->prefill->panel[0].lanes;
  look w;
  w.call = call;
  w.scratch = scratch;
  w.s = &call->sequence[head / heads];
  w.place = (int32_t)(head % heads);
  w.head = o->heads ? o->heads[w.place] : w.place;
  const char *k = rapt_key_at(call, w.s, w.head / call->plan->group, 0);
  w.k = rapt_keys_view_of(k, a->k.stride[2], w.s->kv_len);
  w.sums = 0;
  if (!o->key_sums) {
    const int64_t from = index % per_head * lanes;
    look_panel(&w, (int32_t)from, (int32_t)(from + lanes < rows ? from + lanes : rows));
    return;
  }
  w.sums = (float *)(void *)((char *)o->key_sums + w.s->index * o->key_sums_stride[0] +
                             w.place * o->key_sums_stride[1]);
  memset(w.sums, 0, (size_t)a->kv_len * sizeof *w.sums);
  for (int64_t from = 0; from < rows; from += lanes)
    look_panel(&w, (int32_t)from, (int32_t)(from + lanes < rows ? from + lanes : rows));
}
