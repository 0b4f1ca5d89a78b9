/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Masks, sinks, rows and other rules that are wrong: one sentence that names the option and says what is
 * possible, and exit code 2. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"
#include "tool.h"

typedef struct wrong {
  const char *options; /* behind good --q, --k and --v of 2 sequences, 4 heads, 5 queries, 8 keys */
  const char *sentence;
} wrong;

static const wrong wrong_options[] = {
    {"--mask", "--mask needs a value: FILE"},
    {"--mask {}/absent.npy", "--mask {}/absent.npy cannot be opened: No such file"},
    {"--softcap 0", "--softcap 0 is outside 1e-20..1e+20"},
    {"--softcap -1", "--softcap -1 is outside"},
    {"--softcap nan", "--softcap nan is not a finite number"},
    {"--softcap 1e21", "--softcap 1e21 is outside"},
    {"--alibi", "--alibi needs --align top-left or bottom-right, or --causal: there are 5 queries "
                "and 8 keys"},
    {"--alibi=1", "--alibi takes no value"},
    {"--alibi --causal top-left --align top-left", "--align is for a window without --causal"},
    {"--sinks {}/absent.npy", "--sinks {}/absent.npy cannot be opened"},
    {"--prefix 3", "--prefix is for --causal: without it every key is visible already"},
    {"--prefix 3 --window 1,1 --align top-left", "--prefix is for --causal"},
    {"--prefix -1 --causal top-left", "--prefix -1 is outside 0.."},
    {"--prefix 1,2,3 --causal top-left", "--prefix has 3 numbers, but there are 2 sequences"},
    {"--prefix 9 --causal top-left",
     "--prefix: is 9, allowed is 0 to the sequence's key length (8)"},
    {"--prefix 6 --kv-lens 8,5 --causal top-left", "--prefix: is 6, allowed is 0 to"},
    {"--window-keep 2", "--window-keep is for a --window with a limit before the query"},
    {"--window-keep 2 --window -1,3 --align top-left", "--window-keep is for a --window"},
    {"--window-keep -2 --window 3,-1 --align top-left", "--window-keep -2 is outside"},
    {"--rows 0", "--rows is for --weights or --key-sums; neither is given"},
    {"--rows 5 --weights {}/w.npy", "--rows: is 5, allowed is -5 to 4"},
    {"--rows -6 --weights {}/w.npy", "--rows: is -6, allowed is -5 to 4"},
    {"--rows 1,,2 --weights {}/w.npy", "--rows  is not a whole number"},
    {"--rows all --weights {}/w.npy", "--rows all is not a whole number"},
    {"--stage raw", "--stage is for --weights, which is not given"},
    {"--stage raw --key-sums {}/w.npy", "--stage is for --weights, which is not given"},
    {"--stage logits --weights {}/w.npy",
     "--stage logits is not one of: raw, softcap, bias, weights"},
    {"--weights {}/w.npy --key-sums {}/w.npy", "w.npy is the file of --weights too"},
    {"-o {}/w.npy --weights {}/w.npy", "w.npy is the file of -o too, and would replace it"},
    {"--weights {}/w.npy --heatmap 4", "--heatmap 4: the heads of --q"},
};

/* tool_refuses, with {} in the sentence as tool() has it. */
static void refuses(const outcome *o, const char *sentence, const char *what) {
  char text[500];
  const char *hole = strstr(sentence, "{}");
  if (hole)
    snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - sentence), sentence, scratch(""),
             hole + 3);
  else
    snprintf(text, sizeof text, "%s", sentence);
  tool_refuses(o, 2, text, what);
}

RAPT_TEST(wrong_rules_are_named) {
  sample s = sample_make(2, 4, 2, 5, 8, 6, 3);
  sample_save(&s, 0, 4);
  for (size_t i = 0; i < sizeof wrong_options / sizeof *wrong_options; i++) {
    refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy %s", wrong_options[i].options),
            wrong_options[i].sentence, wrong_options[i].options);
    CHECK(access(scratch("w.npy"), F_OK) != 0, "%s: a file was left", wrong_options[i].options);
  }
  sample_free(&s);
}

typedef struct wrong_file {
  const char *type, *order, *shape;
  size_t bytes;
  const char *sentence;
} wrong_file;

static const wrong_file wrong_masks[] = {
    {"<f4", "False", "(8,)", 32,
     "bad.npy has 1 dimensions; needed are 2 (query, key), 3 (head, query, key) or 4 (batch, head, "
     "query, key): save m[None, :] for a mask of keys"},
    {"<f4", "False", "()", 4, "has 0 dimensions"},
    {"<f4", "False", "(1, 2, 4, 5, 8)", 1280, "has 5 dimensions"},
    {"<f4", "False", "(5, 0)", 0, "has a dimension of 0"},
    {"<f4", "False", "(5, 7)", 140,
     "bad.npy has 7 keys, but --k {}/k.npy has 8; a dimension is as long as that, or 1 for all"},
    {"<f4", "False", "(5, 9)", 180, "bad.npy has 9 keys"}, /* longer ones are no guess either */
    {"|b1", "False", "(8, 5)", 40, "queries come before keys: is it transposed?"},
    {"|b1", "False", "(6, 8)", 48, "bad.npy has 6 queries, but --q {}/q.npy has 5"},
    {"|b1", "False", "(3, 5, 8)", 120, "bad.npy has 3 heads, but --q {}/q.npy has 4"},
    {"|b1", "False", "(2, 5, 8)", 80,
     "3 dimensions are head, query, key: save m[:, None] for a mask per sequence"},
    {"|b1", "False", "(3, 1, 5, 8)", 120, "bad.npy has 3 sequences, but --q {}/q.npy has 2"},
    {"<i8", "False", "(5, 8)", 320,
     "numbers of type i8; a mask is bool or uint8 (nonzero: the query sees the key) or float16 or "
     "float32 (added to the scores): save m.astype(bool) or m.astype(numpy.float32)"},
    {"<i4", "False", "(5, 8)", 160, "numbers of type i4"},
    {"|i1", "False", "(5, 8)", 40, "numbers of type i1"},
    {"<u2", "False", "(5, 8)", 80, "numbers of type u2"},
    {"|O", "False", "(5, 8)", 320, "type '|O', which is not read here"},
    {"<f4", "True", "(5, 8)", 160, "Fortran order"},
    {"<f4", "False", "(5, 8)", 159, "is truncated: its shape asks for 160 bytes"},
    {"<f4", "False", "(5, 8)", 161, "goes on after the 160 bytes"},
};

static const wrong_file wrong_sinks[] = {
    {"<f4", "False", "(3,)", 12, "bad.npy has 3 numbers, but --q {}/q.npy has 4 heads"},
    {"<f4", "False", "(4, 1)", 16,
     "bad.npy has 2 dimensions; 1 is needed, a number for each query head"},
    {"<f4", "False", "()", 4, "has 0 dimensions"},
    {"<f4", "False", "(0,)", 0, "has 0 numbers"},
    {"<i4", "False", "(4,)", 16, "numbers of type i4; f2, f4 and f8 are read here"},
    {"<f4", "False", "(4,)", 15, "is truncated"},
};

static void refuse_files(const char *option, const wrong_file *files, size_t n) {
  static const char zeros[4096];
  for (size_t i = 0; i < n; i++) {
    char header[300];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
             files[i].type, files[i].order, files[i].shape);
    scratch_npy("bad.npy", 1, header, zeros, files[i].bytes);
    const outcome *o = tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/left.npy %s "
                            "{}/bad.npy",
                            option);
    refuses(o, files[i].sentence, files[i].sentence);
    CHECK(strstr(o->err, option) != NULL, "%s is not named: %s", option, o->err);
    CHECK(access(scratch("left.npy"), F_OK) != 0, "%s: a file was left", files[i].sentence);
  }
}

RAPT_TEST(wrong_masks_and_sinks_are_named) {
  sample s = sample_make(2, 4, 2, 5, 8, 6, 3);
  sample_save(&s, 0, 4);
  refuse_files("--mask", wrong_masks, sizeof wrong_masks / sizeof *wrong_masks);
  refuse_files("--sinks", wrong_sinks, sizeof wrong_sinks / sizeof *wrong_sinks);
  scratch_write("bad.npy", "PNG", 3);
  refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --mask {}/bad.npy"),
          "--mask {}/bad.npy is no .npy file", "no npy file");
  sample_free(&s);
}

/* What NumPy's float64 holds and float32 does not: the lowest float64 is a common fill. */
RAPT_TEST(masks_too_large_for_float32) {
  sample s = sample_make(1, 1, 1, 1, 1, 1, 1);
  sample_save(&s, 0, 4);
  const double lowest = -1.7976931348623157e308;
  scratch_npy("bad.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", &lowest,
              8);
  refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --mask {}/bad.npy"),
          "holds -1.79769e+308, which is too large for float32; -inf forbids a key", "-1.8e308");
  scratch_npy("bad.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", &lowest, 8);
  refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --sinks {}/bad.npy"),
          "holds -1.79769e+308, which is too large for float32", "-1.8e308");
  sample_free(&s);
}

RAPT_TEST(rules_of_explain_are_named) {
  static const wrong wrongs[] = {
      {"--head 4", "--head 4: the heads of --q {}/q.npy are 0..3"},
      {"--head -1", "--head -1 is outside"},
      {"--head x", "--head x is not a whole number"},
      {"--sequence 2", "--sequence 2: the sequences of --q {}/q.npy are 0..1"},
      {"--token 5", "--token 5: the 5 queries of sequence 0 are 0..4, or -5..-1"},
      {"--token -6", "--token -6: the 5 queries"},
      {"--token 3 --q-lens 2,5", "--token 3: the 2 queries of sequence 0"},
      {"--q-lens 0,5", "--sequence: sequence 0 has 0 queries"},
      {"--top -1", "--top -1 is outside"},
      {"--rows 1", "--rows is for --svg or --png; neither is given"},
      {"--rows 1,9 --svg {}/e.svg", "--rows 9: the 5 queries of sequence 0 are 0..4"},
      {"--svg {}/e.svg --png {}/e.svg", "e.svg is the file of --svg too"},
      {"--mask {}/k.npy", "has 2 heads, but --q {}/q.npy has 4"},
      {"--weights {}/w.npy", "there is no option --weights"},
      {"causal", "--q is for files; the example causal has numbers of its own"},
      {"softmax", "the NAME softmax is not one of: attention, causal"},
      {"causal attention", "one NAME is possible, but 'attention' follows 'causal'"},
  };
  sample s = sample_make(2, 4, 2, 5, 8, 6, 3);
  sample_save(&s, 0, 4);
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
    refuses(tool("explain --q {}/q.npy --k {}/k.npy %s", wrongs[i].options), wrongs[i].sentence,
            wrongs[i].options);
    CHECK(access(scratch("e.svg"), F_OK) != 0, "%s: a file was left", wrongs[i].options);
  }
  refuses(tool("explain"), "--q FILE is missing; q and k are needed", "nothing");
  refuses(tool("explain --q {}/q.npy"), "--k FILE is missing", "no --k");
  refuses(tool("explain --q {}/q.npy --k {}/k.npy --v {}/q.npy"), "has 4 heads, but --k",
          "values that do not fit");
  refuses(tool("explain causal --mask {}/q.npy"), "but example causal has 1", "a mask of others");
  sample_free(&s);
}
