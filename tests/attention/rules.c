/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every rule case on every level: as it stands, and with other numbers of queries (row kernels, narrow
 * and wide panels), keys and groups. */
#include "rule_run.h"

static void each_case(int32_t q_len, int32_t kv_len, int32_t group, uint64_t seed) {
  for (size_t n = 0; n < rule_case_count && !rapt_test_failed(); n++) {
    rule_case c = rule_cases[n];
    c.seed = seed + n + 1;
    if (q_len) c.q_len = q_len;
    if (kv_len) c.kv_len = kv_len;
    if (group && !c.heads_q) c.heads_q = 2 * group;
    rule_check(&c);
  }
}

RAPT_TEST(rules_table) { each_case(0, 0, 0, 0); }
RAPT_TEST(rules_one_query) { each_case(1, 0, 1, rapt_test_seed()); }
RAPT_TEST(rules_one_query_one_key) { each_case(1, 1, 1, rapt_test_seed()); }
RAPT_TEST(rules_two_queries) { each_case(2, 97, 1, rapt_test_seed()); }
RAPT_TEST(rules_four_queries_of_groups) { each_case(4, 160, 3, rapt_test_seed()); }
RAPT_TEST(rules_one_query_of_groups) { each_case(1, 33, 8, rapt_test_seed()); }
RAPT_TEST(rules_sixteen_queries) { each_case(16, 145, 1, rapt_test_seed()); }
RAPT_TEST(rules_panel_and_a_bit) {
  each_case(smaller(35, 9), smaller(290, 150), 1, rapt_test_seed());
}
RAPT_TEST(rules_panels) { each_case(smaller(100, 13), smaller(100, 50), 2, rapt_test_seed()); }

/* Across a split of the keys, as few rows and as panels. */
static void across_a_split(int32_t q_len) {
  for (size_t n = 0; n < rule_case_count && !rapt_test_failed(); n++) {
    rule_case c = rule_cases[n];
    if (n % 5 && test_small()) continue;
    c.seed = rapt_test_seed() + n;
    c.heads_q = c.heads_kv = 1;
    c.batch = c.batch > 1 ? 2 : 1;
    c.q_len = q_len;
    c.kv_len = 2050;
    c.workers = (int32_t)(n % 4);
    rule_check(&c);
  }
}

RAPT_TEST(rules_split_row) { across_a_split(1); }
RAPT_TEST(rules_split_panel) { across_a_split(7); }
