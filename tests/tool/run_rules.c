/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt run with masks, cap, slopes, sinks, prefixes: O and LSE beside float64, and --check agrees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rapt/check.h"
#include "stored_mask.h"
#include "tool.h"

RAPT_TEST(mask_types_and_shapes) {
  static const char *const types[] = {"|b1", "|u1", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"};
  sample s = sample_make(2, 4, 2, 5, 9, 8, 3);
  sample_save(&s, 0, 4);
  for (int t = 0; t < 8; t++)
    for (int broadcast = 0; broadcast < 16; broadcast++) {
      const int32_t full[4] = {2, 4, 5, 9};
      int32_t extent[4], least = 4;
      if (t > 1 && broadcast % 7) continue; /* every shape for bytes, some for all */
      for (int i = 0; i < 4; i++) extent[i] = broadcast >> i & 1 ? 1 : full[i];
      if (extent[0] == 1) least = extent[1] == 1 ? 2 : 3;
      for (int32_t dims = least; dims <= 4; dims++) {
        if (t > 0 && dims > least) continue;
        void *data = stored_mask(&s, types[t], dims, extent);
        sample_run(&s, 0, 4, "--mask {}/m.npy --check --threads 1");
        stored_mask_free(&s, data);
      }
    }
  sample_free(&s);
}

/* Batch, head, query, key in either layout of Q, K and V. */
RAPT_TEST(mask_with_lengths_causal_and_bshd) {
  static const int32_t q_lens[] = {4, 5}, kv_lens[] = {9, 6}, extent[] = {2, 4, 5, 9};
  sample s = sample_make(2, 4, 2, 5, 9, 8, 3);
  sample_save(&s, 1, 4);
  void *data = stored_mask(&s, "<f4", 4, extent);
  s.args.q_lens = q_lens;
  s.args.kv_lens = kv_lens;
  s.desc.flags = RAPT_CAUSAL;
  s.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  sample_run(&s, 1, 4,
             "--mask {}/m.npy --layout bshd --q-lens 4,5 --kv-lens 9,6 --causal bottom-right "
             "--check");
  stored_mask_free(&s, data);
  sample_free(&s);
}

RAPT_TEST(softcap) {
  sample s = sample_make(1, 2, 2, 6, 11, 8, 8);
  sample_save(&s, 0, 4);
  s.desc.softcap = 0.5f;
  sample_run(&s, 0, 4, "--softcap 0.5 --check");
  s.desc.softcap = 30;
  sample_run(&s, 0, 4, "--softcap=30 --check");
  sample_free(&s);
}

/* Slopes by hand: of 4 heads, a power of two, and of 6. */
RAPT_TEST(alibi) {
  static const float of_4[] = {0.25f, 0.0625f, 0.015625f, 0.00390625f},
                     of_6[] = {0.25f, 0.0625f, 0.015625f, 0.00390625f, 0.5f, 0.125f};
  sample s = sample_make(1, 4, 2, 9, 9, 8, 8);
  sample_save(&s, 0, 4);
  s.desc.flags = RAPT_ALIBI;
  s.desc.align = RAPT_ALIGN_TOP_LEFT;
  s.args.alibi_slopes = of_4;
  sample_run(&s, 0, 4, "--alibi --check"); /* as many keys as queries: both corners are one */
  sample_free(&s);
  s = sample_make(1, 6, 2, 5, 9, 8, 8);
  sample_save(&s, 0, 4);
  s.desc.flags = RAPT_ALIBI;
  s.args.alibi_slopes = of_6;
  s.desc.align = RAPT_ALIGN_TOP_LEFT;
  sample_run(&s, 0, 4, "--alibi --align top-left --check");
  s.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  sample_run(&s, 0, 4, "--alibi --align bottom-right --check");
  s.desc.flags |= RAPT_CAUSAL;
  sample_run(&s, 0, 4, "--alibi --causal bottom-right --check");
  sample_free(&s);
}

RAPT_TEST(sinks) {
  static const float sinks[] = {0.5f, -2, 30, -INFINITY};
  sample s = sample_make(2, 4, 2, 5, 7, 8, 8);
  sample_save(&s, 0, 4);
  stored_floats("s.npy", sinks, 4);
  s.args.sinks = sinks;
  sample_run(&s, 0, 4, "--sinks {}/s.npy --check");
  sample_free(&s);
}

RAPT_TEST(prefixes_and_kept_keys) {
  static const int32_t same[] = {4, 4}, different[] = {2, 8};
  sample s = sample_make(2, 2, 2, 8, 10, 8, 8);
  sample_save(&s, 0, 4);
  s.desc.flags = RAPT_CAUSAL | RAPT_PREFIX;
  s.desc.align = RAPT_ALIGN_TOP_LEFT;
  s.args.prefix_lens = same;
  sample_run(&s, 0, 4, "--causal top-left --prefix 4 --check");
  s.args.prefix_lens = different;
  sample_run(&s, 0, 4, "--causal top-left --prefix 2,8 --check");
  s.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT;
  s.args.prefix_lens = NULL;
  s.desc.window_left = 2;
  s.desc.window_keep = 3;
  sample_run(&s, 0, 4, "--causal top-left --window 2,-1 --window-keep 3 --check");
  sample_free(&s);
}

RAPT_TEST(all_rules_together) {
  static const float sinks[] = {0.5f, -2, 3, 1},
                     slopes[] = {0.25f, 0.0625f, 0.015625f, 0.00390625f};
  static const int32_t prefix[] = {2, 8}, extent[] = {1, 4, 8, 10};
  sample s = sample_make(2, 4, 2, 8, 10, 8, 8);
  sample_save(&s, 0, 4);
  stored_floats("s.npy", sinks, 4);
  void *data = stored_mask(&s, "<f2", 3, extent);
  s.desc.flags = RAPT_CAUSAL | RAPT_PREFIX | RAPT_ALIBI | RAPT_WINDOW_LEFT | RAPT_SCALE_LITERAL;
  s.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  s.desc.window_left = 5;
  s.desc.window_keep = 1;
  s.desc.softcap = 2;
  s.desc.scale = 0.75f;
  s.args.sinks = sinks;
  s.args.alibi_slopes = slopes;
  s.args.prefix_lens = prefix;
  sample_run(&s, 0, 4,
             "--mask {}/m.npy --sinks {}/s.npy --causal bottom-right --prefix 2,8 --window 5,-1 "
             "--window-keep 1 --alibi --softcap 2 --scale 0.75 --check");
  const outcome *o = tool(
      "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --mask {}/m.npy --sinks {}/s.npy --causal "
      "bottom-right --prefix 2,8 --window 5,-1 --window-keep 1 --alibi --softcap 2 --scale 0.75");
  static const char *const lines[] = {
      "mask      causal, prefixes of 2 to 8, window of 5 keys before, the first 1 always (bott",
      "tensor    float16 [4, 8, 10], added to the scores\n",
      "scores    softcap 2, ALiBi slopes 0.003906 to 0.25 (bottom-right), sinks -2 to 3\n"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    CHECK(strstr(o->out, lines[i]) != NULL, "'%s' is not in:\n%s%s", lines[i], o->out, o->err);
  stored_mask_free(&s, data);
  sample_free(&s);
}

/* A mask of -1e9, as many models write it, must not loosen the bounds to where all passes. */
RAPT_TEST(check_notices_in_spite_of_large_masks) {
  static request r; /* large */
  sample s = sample_make(1, 1, 1, 3, 4, 8, 8);
  sample_save(&s, 0, 4);
  static const float mask[] = {0, -1e9f, 0, -1e9f, 0, 0, -3.4e38f, 0, 0, 0, 0, 0};
  scratch_npy("m.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", mask,
              sizeof mask);
  r = (request){.q = scratch("q.npy"),
                .k = scratch("k.npy"),
                .v = scratch("v.npy"),
                .mask = scratch("m.npy"),
                .check = 1,
                .temperature = 1,
                .left = -1,
                .right = -1,
                .threads = 1};
  call c;
  failure why;
  REQUIRE(call_make(&c, &r, &why) == 0 && call_make_outputs(&c, &r, &why) == 0 &&
              call_run(&c, &why) == 0,
          "%s", why.sentence);
  CHECK(check_reference(&c, &why) == 0, "the right result: %s", why.sentence);
  for (int i = 0; i < 24; i += 5) {
    float right = c.o.data[i];
    c.o.data[i] += 1e-5f;
    CHECK(check_reference(&c, &why) == EXIT_CHECK_FAILED, "O[%d] off by 1e-5 passed", i);
    c.o.data[i] = right;
  }
  call_free(&c);
  sample_free(&s);
}
