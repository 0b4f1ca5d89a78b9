/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One run in work: the checked arguments, the tasks they make, and where things lie in the
 * workspace.
 *
 * A task is up to plan->panels panels (or the few rows of the row kernel) of one KV head of one sequence against its
 * keys. When there are too few tasks for the workers, a task is one panel against one split of the
 * keys, and the last split of a panel to finish joins them. Workers pull tasks from one counter; they
 * never wait for each other. */
#ifndef RAPT_ATTENTION_CALL_H
#define RAPT_ATTENTION_CALL_H

#include <stdatomic.h>

#include "plan.h"

enum { RAPT_MOST_WORKERS = 1024, RAPT_MOST_TEAM = 512 }; /* promised in rapt.h */

/* Starts the workspace. Zero between team calls. */
typedef struct rapt_header {
  _Atomic int64_t next; /* next task; at least RAPT_CANCELLED_AT once cancelled */
  _Atomic int64_t done; /* tasks finished */
  int64_t total;        /* tasks, as the team's first cut them */
  int32_t split, panels;
  _Atomic int32_t entered, left, ready;
  _Atomic uint64_t inside[RAPT_MOST_TEAM / 64]; /* bit ith: has entered this run */
} rapt_header;

#define RAPT_CANCELLED_AT (INT64_MAX / 2)

_Static_assert(sizeof(rapt_header) <= RAPT_TEAM_HEADER_BYTES, "the header promised in rapt.h");

/* One sequence of the batch; the table is ordered dearest first. */
typedef struct rapt_sequence {
  int32_t index; /* in the batch */
  int32_t q_len, kv_len;
  int32_t row_kernel;
  int64_t position;    /* key position of query 0 */
  int32_t prefix;      /* causal rows see keys before it */
  int64_t rows;        /* q_len * group */
  int64_t row_tasks;   /* per KV head */
  int32_t split_from;  /* splits [split_from, split_from + splits) hold keys of some row */
  int32_t splits;      /* tasks per row task: 1 unless the call runs split */
  int64_t first_task;  /* tasks of the sequences before */
  int64_t first_group; /* row tasks of the sequences before */
  double cost;         /* of its dearest task */
} rapt_sequence;

/* Offsets in the workspace. */
typedef struct rapt_layout {
  int64_t sequences, groups, tiles, slots, workers; /* from the start of the workspace */
  int64_t tile_rows, tile_blocks;                   /* mask tiles of a sequence, see masks.h */
  int64_t slot_bytes;                               /* one partial result */
  int64_t worker_bytes;
  int64_t bytes; /* all */
} rapt_layout;

typedef struct rapt_call {
  const rapt_plan *plan;
  rapt_attention_args args;
  rapt_layout layout;
  char *workspace;
  rapt_header *header;
  rapt_sequence *sequence;
  int32_t workers;        /* slices in the workspace */
  int32_t panels;         /* panels per task */
  int32_t split;          /* tasks are single splits */
  int64_t total;          /* tasks */
  int64_t looks;          /* the last of them are for args.scores */
  rapt_scores_out scores; /* loaded; stage and arrays only if `looks` */
  uint8_t *tiles;         /* NULL, or classes of mask tiles that all heads share */
} rapt_call;

typedef struct rapt_task {
  const rapt_sequence *sequence;
  int32_t kv_head;
  int64_t row; /* first row: token * group + head in group */
  int32_t rows;
  int32_t split_from, split_end; /* splits of the keys in work */
  int64_t group;                 /* number of the row task, when split */
  int64_t first_slot;            /* partial result of split_from of the sequence, when split */
} rapt_task;

/* A row in work: query `token` of the sequence, in query head `head`. */
typedef struct rapt_row {
  int64_t token;
  int32_t head;
} rapt_row;

/* workspace.c: where things lie for such a call. */
void rapt_layout_for(const rapt_plan *plan, int64_t batch, int32_t q_len, int32_t kv_len,
                     int32_t workers, rapt_layout *layout);
/* Floats of a partial result of `rows` rows: m, l, o in the shape of its kernel. */
int64_t rapt_slot_floats(const rapt_plan *plan, int64_t rows, int32_t row_kernel);

/* prepare.c: fills the sequence table and decides how the work is cut. */
void rapt_prepare(rapt_call *call);

/* tasks.c: what task number `index` is; not for the last call->looks, which are numbered by
 * look_task.c. */
void rapt_task_get(const rapt_call *call, int64_t index, rapt_task *task);
int64_t rapt_count_looks(const rapt_call *call);

/* worker.c: tasks until there are none. */
void rapt_work(rapt_call *call, int32_t worker);
/* OK, or CANCELLED. */
rapt_status rapt_outcome(const rapt_call *call);

/* tensors.c: addresses. Token i of the sequence, head of q/o or of k/v. */
const char *rapt_query_at(const rapt_call *call, const rapt_sequence *s, int32_t head, int64_t i);
char *rapt_output_at(const rapt_call *call, const rapt_sequence *s, int32_t head, int64_t i);
/* LSE, m or l. */
float *rapt_sum_at(const rapt_call *call, const rapt_sequence *s, const rapt_tensor *tensor,
                   int32_t head, int64_t i);
const char *rapt_key_at(const rapt_call *call, const rapt_sequence *s, int32_t kv_head, int64_t i);
const char *rapt_value_at(const rapt_call *call, const rapt_sequence *s, int32_t kv_head,
                          int64_t i);

#endif
