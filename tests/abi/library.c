/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Version and names. */
#include <stdio.h>
#include <string.h>

#include <rapt/rapt.h>

#include "support/rapt_test.h"

RAPT_TEST(version_agrees_with_the_header) {
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", RAPT_VERSION_MAJOR, RAPT_VERSION_MINOR,
           RAPT_VERSION_PATCH);
  CHECK(strcmp(rapt_version_string(), text) == 0, "%s", rapt_version_string());
  CHECK(rapt_version() ==
            RAPT_VERSION_MAJOR * 10000 + RAPT_VERSION_MINOR * 100 + RAPT_VERSION_PATCH,
        "%d", rapt_version());
}

RAPT_TEST(status_strings) {
  CHECK(strcmp(rapt_status_string(RAPT_ERROR_OUT_OF_MEMORY), "out of memory") == 0, "%s",
        rapt_status_string(RAPT_ERROR_OUT_OF_MEMORY));
  for (rapt_status s = RAPT_ERROR_CANCELLED; s <= RAPT_OK; s++)
    for (rapt_status other = s + 1; other <= RAPT_OK; other++)
      CHECK(strcmp(rapt_status_string(s), rapt_status_string(other)) != 0, "%d = %d", s, other);
  const rapt_status unknown[] = {1, -8, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; i++)
    CHECK(strcmp(rapt_status_string(unknown[i]), "unknown status") == 0, "%d", unknown[i]);
}

RAPT_TEST(cpu_info) {
  rapt_cpu_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  REQUIRE(rapt_get_cpu_info(&info, &error) == RAPT_OK, "%s", error.message);
  CHECK(info.logical_cpus >= 1, "%d CPUs", info.logical_cpus);
  CHECK(info.numa_nodes >= 0 && info.numa_nodes <= 4096, "%d nodes", info.numa_nodes);
  CHECK(info.cache_line == 0 || (info.cache_line & (info.cache_line - 1)) == 0, "line of %d",
        info.cache_line);
  CHECK(info.l1d_bytes >= 0 && info.l1d_bytes <= 1 << 20, "L1 %lld", (long long)info.l1d_bytes);
  CHECK(info.l2_bytes == 0 || info.l2_bytes >= info.l1d_bytes, "L2 %lld", (long long)info.l2_bytes);
  CHECK(info.l3_bytes >= 0, "L3 %lld", (long long)info.l3_bytes);
  CHECK(strncmp(info.isa_list, info.isa, strlen(info.isa)) == 0, "%s in %s", info.isa,
        info.isa_list);
  CHECK(strstr(info.isa_list, "generic"), "%s", info.isa_list);
  CHECK(strcmp(info.topology, "hwloc") == 0 || strcmp(info.topology, "basic") == 0, "%s",
        info.topology);
  printf("%d CPUs, %d nodes, line %d, L1 %lld, L2 %lld, L3 %lld, %s (%s)\n", info.logical_cpus,
         info.numa_nodes, info.cache_line, (long long)info.l1d_bytes, (long long)info.l2_bytes,
         (long long)info.l3_bytes, info.isa_list, info.topology);
}

RAPT_TEST(default_workers) {
  int32_t workers = rapt_default_workers();
  CHECK(workers >= 1 && workers <= 1024, "%d", (int)workers);
}
