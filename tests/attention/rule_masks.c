/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensor masks: every type with every broadcast, layout and pattern; bits at every number of keys. */
#include "rule_run.h"

static const char *const type_names[] = {"", "bool", "bits", "f32", "f16", "bf16"};

static rule_case mask_case(int type, uint64_t seed) {
  return (rule_case){.name = type_names[type], .mask = type, .seed = rapt_test_seed() + seed};
}

/* Each of the 81 ways to give four dimensions: full, extent 1, stride 0. */
static void broadcasts(int type, int32_t q_len, int32_t kv_len) {
  for (int way = 0; way < 81 && !rapt_test_failed(); way++) {
    rule_case c = mask_case(type, (uint64_t)way);
    for (int x = 0, rest = way; x < 4; x++, rest /= 3) {
      if (rest % 3 == 1) c.of_mask.one |= 1u << x;
      if (rest % 3 == 2) c.of_mask.still |= 1u << x;
    }
    c.q_len = q_len;
    c.kv_len = kv_len;
    c.wild = way % 2;
    c.place = way / 2 % 2;
    rule_check(&c);
  }
}

RAPT_TEST(mask_broadcasts_bool) {
  broadcasts(RAPT_MASK_BOOL, 13, 37), broadcasts(RAPT_MASK_BOOL, 1, 61);
}
RAPT_TEST(mask_broadcasts_bits) {
  broadcasts(RAPT_MASK_BITS, 13, 37), broadcasts(RAPT_MASK_BITS, 1, 61);
}
RAPT_TEST(mask_broadcasts_f32) {
  broadcasts(RAPT_MASK_F32, 13, 37), broadcasts(RAPT_MASK_F32, 1, 61);
}
RAPT_TEST(mask_broadcasts_f16) {
  broadcasts(RAPT_MASK_F16, 13, 37), broadcasts(RAPT_MASK_F16, 1, 61);
}
RAPT_TEST(mask_broadcasts_bf16) {
  broadcasts(RAPT_MASK_BF16, 13, 37), broadcasts(RAPT_MASK_BF16, 1, 61);
}

RAPT_TEST(mask_layouts) {
  static const int32_t q_lens[] = {1, 3, 17, 40};
  for (int type = RAPT_MASK_BOOL; type <= RAPT_MASK_BF16; type++)
    for (int layout = 0; layout < MASK_LAYOUTS; layout++)
      for (int i = 0; i < smaller(4, 2) && !rapt_test_failed(); i++) {
        rule_case c = mask_case(type, (uint64_t)(layout * 4 + i));
        c.of_mask.layout = (mask_layout)layout;
        c.of_mask.more = i % 2 * 3;
        c.q_len = q_lens[i];
        c.kv_len = smaller(170, 50);
        c.place = i % 2;
        rule_check(&c);
      }
}

RAPT_TEST(mask_patterns) {
  static const int32_t q_lens[] = {1, 4, 14, 45};
  for (int type = RAPT_MASK_BOOL; type <= RAPT_MASK_BF16; type++)
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
      if (type == RAPT_MASK_F16 && pattern == PATTERN_LOWEST_ALL)
        continue; /* 65504 is not that low */
      for (int i = 0; i < 8 && !rapt_test_failed(); i++) {
        rule_case c = mask_case(type, (uint64_t)(pattern * 4 + i));
        c.of_mask.pattern = (mask_pattern)pattern;
        c.q_len = q_lens[i % 4];
        c.kv_len = smaller(150, 40);
        if (i > 3) c.of_mask.one = i % 2 ? 6 : 2; /* for all heads, for all queries */
        if (i % 2) c.flags = RAPT_CAUSAL, c.align = RAPT_ALIGN_BOTTOM_RIGHT;
        rule_check(&c);
      }
    }
}

/* Every number of keys around words, vectors and blocks, for every type. */
static void lengths(int type, int32_t q_len) {
  for (int32_t n = 1; n <= smaller(131, 40) && !rapt_test_failed(); n++) {
    rule_case c = mask_case(type, (uint64_t)n);
    c.heads_q = c.heads_kv = c.batch = 1;
    c.q_len = q_len;
    c.kv_len = n;
    c.place = n / 2 % 2;
    rule_check(&c);
  }
}

RAPT_TEST(mask_every_length_of_bits) { lengths(RAPT_MASK_BITS, 1), lengths(RAPT_MASK_BITS, 14); }
RAPT_TEST(mask_every_length) {
  for (int type = RAPT_MASK_BOOL; type <= RAPT_MASK_BF16; type++)
    lengths(type, 2), lengths(type, 33);
}

/* Rows whose keys all have the lowest number, beside rows that have others; with ALiBi and softcap. */
RAPT_TEST(mask_lowest_rows) {
  for (int i = 0; i < 32 && !rapt_test_failed(); i++) {
    rule_case c = mask_case(i % 2 ? RAPT_MASK_F32 : RAPT_MASK_BF16, (uint64_t)i);
    c.of_mask.pattern = PATTERN_LOWEST_ALL;
    c.q_len = i / 2 % 2 ? 1 : 21;
    if (i & 4) c.flags |= RAPT_ALIBI, c.align = RAPT_ALIGN_BOTTOM_RIGHT;
    if (i & 8) c.softcap = 5;
    if (i & 16) c.sinks = SINKS_MIXED;
    rule_check(&c);
  }
}
