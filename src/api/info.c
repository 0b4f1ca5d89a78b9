/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the library says of the machine and of itself. */
#include "api.h"

#include "../attention/call.h"
#include "../dispatch/dispatch.h"
#include "../platform/platform.h"

rapt_status rapt_get_cpu_info(rapt_cpu_info *info, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_cpu_info, "info", size);
  rapt_topology topology;
  rapt_topology_here(&topology);
  rapt_features features = rapt_features_here();
  rapt_cpu_info known = {
      .logical_cpus = topology.logical_cpus,
      .numa_nodes = topology.numa_nodes,
      .cache_line = topology.cache_line,
      .l1d_bytes = topology.l1d_bytes,
      .l2_bytes = topology.l2_bytes,
      .l3_bytes = topology.l3_bytes,
  };
  rapt_set_text(known.isa, sizeof known.isa, rapt_level_best(features));
  rapt_level_list(features, known.isa_list, sizeof known.isa_list);
  rapt_set_text(known.topology, sizeof known.topology, topology.source);
  return rapt_store_struct(&type, &known, info, error);
}

int32_t rapt_kernel_count(void) { return rapt_kernel_sets_count(); }

rapt_status rapt_kernel_get(int32_t index, rapt_kernel_info *info, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_kernel_info, "info", size);
  rapt_status status = rapt_check_range(index, 0, rapt_kernel_sets_count() - 1, "index", error);
  if (status) return status;
  const rapt_kernel_set *set = rapt_kernel_sets_get(index);
  rapt_kernel_info known = {
      .usable = rapt_kernel_set_usable(set, rapt_features_here()),
      .panel_queries = set->n_panels > 0 ? set->panel[0].lanes : 0,
      .key_block = set->key_block,
      .split_keys = RAPT_SPLIT_KEYS,
  };
  rapt_set_text(known.name, sizeof known.name, set->name);
  rapt_set_text(known.isa, sizeof known.isa, set->isa);
  return rapt_store_struct(&type, &known, info, error);
}

int32_t rapt_default_workers(void) {
  rapt_executor executor;
  rapt_default_executor(&executor);
  return executor.max_workers < RAPT_MOST_WORKERS ? executor.max_workers : RAPT_MOST_WORKERS;
}
