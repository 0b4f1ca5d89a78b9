/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The workspace: header, sequence table, arrival counters and partial results of split work, then one
 * slice per worker. Sizes grow with every length and never need the data. */
#include "call.h"
#include "scratch.h"

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

const rapt_panel_ops *rapt_panel_for(const rapt_kernel_set *set, int64_t rows) {
  const rapt_panel_ops *best = &set->panel[0];
  for (int32_t i = 1; i < set->n_panels; i++)
    if (set->panel[i].lanes >= rows) best = &set->panel[i];
  return best;
}

int64_t rapt_slot_floats(const rapt_plan *plan, int64_t rows, int32_t row_kernel) {
  if (row_kernel) return rows * rapt_row_stride(plan->desc.head_dim_v) + (int64_t)2 * RAPT_MAX_ROWS;
  return ((int64_t)plan->desc.head_dim_v + 2) * rapt_panel_for(plan->prefill, rows)->lanes;
}

/* Largest partial result of any sequence of up to q_len queries. */
static int64_t largest_slot_bytes(const rapt_plan *plan, int32_t q_len) {
  int64_t rows = rapt_rows_of(plan, q_len), floats = 0, most = plan->decode->row.most_rows;
  if (!rapt_takes_row_kernel(plan, rows)) floats = rapt_slot_floats(plan, rows, 0);
  int64_t few = rows < most ? rows : most;
  int64_t of_row_kernel = rapt_slot_floats(plan, few, 1);
  if (of_row_kernel > floats) floats = of_row_kernel;
  return round_up(floats * (int64_t)sizeof(float), 64);
}

void rapt_layout_for(const rapt_plan *plan, int64_t batch, int32_t q_len, int32_t kv_len,
                     int32_t workers, rapt_layout *layout) {
  int64_t at = RAPT_TEAM_HEADER_BYTES;
  layout->sequences = at;
  at = round_up(at + batch * (int64_t)sizeof(rapt_sequence), 64);

  /* Work is split only when whole-panel tasks are fewer than RAPT_TASKS_PER_WORKER a worker. */
  int64_t rows = rapt_rows_of(plan, q_len), groups = 0;
  int64_t splits = ((int64_t)kv_len + RAPT_SPLIT_KEYS - 1) / RAPT_SPLIT_KEYS;
  if (workers > 1 && splits > 1) {
    int64_t lanes = plan->prefill->panel[0].lanes, most = (int64_t)workers * RAPT_TASKS_PER_WORKER;
    int64_t per_sequence = (rows + lanes - 1) / lanes * plan->desc.heads_kv;
    groups = batch > 0 && per_sequence > most / batch ? most : per_sequence * batch;
  }
  layout->groups = at;
  at = round_up(at + groups * (int64_t)sizeof(int32_t), 64);
  layout->tile_rows = layout->tile_blocks = 0;
  if (plan->desc.mask) {
    const int64_t lanes = plan->prefill->panel[0].lanes, block = plan->prefill->key_block;
    layout->tile_rows = (rows + lanes - 1) / lanes;
    layout->tile_blocks = (kv_len + block - 1) / block;
  }
  layout->tiles = at;
  at = round_up(at + batch * layout->tile_rows * layout->tile_blocks, 64);
  layout->slots = at;
  layout->slot_bytes = largest_slot_bytes(plan, q_len);
  at += groups * splits * layout->slot_bytes;

  layout->workers = at;
  layout->worker_bytes = rapt_scratch_bytes(plan);
  layout->bytes = at + layout->worker_bytes * workers;
}
