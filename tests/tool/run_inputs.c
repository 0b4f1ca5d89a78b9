/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt run refuses wrong input with one sentence that names the argument, and exit code 2. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"
#include "tool.h"

typedef struct wrong {
  const char *options; /* behind good --q, --k and --v */
  const char *sentence;
} wrong;

static const wrong wrong_options[] = {
    {"--frob 1", "no option --frob"},
    {"--scale", "--scale needs a value: X"},
    {"--q {}/q.npy", "--q was given twice"},
    {"--check=yes", "--check takes no value"},
    {"surplus", "'surplus' is no option"},
    {"--layout sbhd", "--layout sbhd is not one of: bhsd, bshd"},
    {"--causal left", "--causal left is not one of: top-left, bottom-right"},
    {"--causal top-left --align top-left", "--align is for a window without --causal"},
    {"--align middle --window 1,1", "--align middle is not one of"},
    {"--scale nan", "--scale nan is not a finite number"},
    {"--scale -inf", "--scale -inf is not a finite number"},
    {"--scale 1e39", "--scale 1e39 is outside"},
    {"--scale 1.5x", "--scale 1.5x is not a number"},
    {"--scale=", "--scale  is not a number"},
    {"--scale 0x10", "--scale 0x10 is not a number"},
    {"--temperature 0", "--temperature 0 is outside"},
    {"--temperature -1", "--temperature -1 is outside"},
    {"--temperature nan", "--temperature nan is not a finite number"},
    {"--scale 1e30 --temperature 1e-30", "--temperature 1e-30 makes the scale 1e+60"},
    {"--window 3", "--window 3 is not two numbers"},
    {"--window 3,4,5", "--window has more than 2 numbers"},
    {"--window 3,x", "--window x is not a whole number"},
    {"--window -2,1", "--window -2 is outside -1..2147483647"},
    {"--window 1,99999999999", "--window 99999999999 is outside"},
    {"--window 3,3", "--window needs --align"},
    {"--q-lens 1,2,3", "--q-lens has 3 numbers, but there are 2 sequences"},
    {"--q-lens 5,6", "--q-lens has 6 for sequence 1, but there are only 5 tokens"},
    {"--kv-lens 8,-1", "--kv-lens -1 is outside"},
    {"--kv-lens ,", "--kv-lens  is not a whole number"},
    {"--kv-lens 100,1", "--kv-lens has 100 for sequence 0"},
    {"--threads 0", "--threads 0 is outside 1..1024"},
    {"--threads 2.5", "--threads 2.5 is not a whole number"},
    {"--threads 1025", "--threads 1025 is outside 1..1024"},
    {"--isa quantum", "--isa: \"quantum\""},
    {"--heatmap 4", "--heatmap 4: the heads of --q"},
    {"--heatmap -1", "--heatmap -1 is outside"},
    {"--heatmap x", "--heatmap x is not a whole number"},
    {"--tolerance 1", "--tolerance is for --expect"},
    {"--expect {}/o.npy --tolerance -1", "--tolerance -1 is outside"},
    {"--expect {}/absent.npy", "absent.npy cannot be opened"},
    {"--expect {}/k.npy", "k.npy has the shape [2, 2, 8, 6], but O has [2, 4, 5, 3]"},
};

RAPT_TEST(wrong_options_are_named) {
  sample s = sample_make(2, 4, 2, 5, 8, 6, 3);
  sample_save(&s, 0, 4);
  for (size_t i = 0; i < sizeof wrong_options / sizeof *wrong_options; i++)
    tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy %s", wrong_options[i].options), 2,
                 wrong_options[i].sentence, wrong_options[i].options);
  tool_refuses(tool_with("RAPT_ISA=quantum", 0, "run --q {}/q.npy --k {}/k.npy --v {}/v.npy"), 2,
               "RAPT_ISA", "an unknown RAPT_ISA");
  tool_refuses(tool("run --k {}/k.npy --v {}/v.npy"), 2, "--q FILE is missing", "no --q");
  tool_refuses(tool("run --q {}/q.npy --v {}/v.npy"), 2, "--k FILE is missing", "no --k");
  tool_refuses(tool("run --q {}/q.npy --k {}/k.npy"), 2, "--v FILE is missing", "no --v");
  tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v"), 2, "--v needs a value", "no value");
  sample_free(&s);
}

/* Replaces one of three good files by a bad one. */
static void refuses_file(const char *option, const char *sentence, const char *what) {
  static const char *const names[] = {"q", "k", "v"};
  const char *file[3] = {"q.npy", "k.npy", "v.npy"};
  for (int i = 0; i < 3; i++)
    if (strcmp(option + 2, names[i]) == 0) file[i] = "bad.npy";
  const outcome *o = tool("run --q {}/%s --k {}/%s --v {}/%s", file[0], file[1], file[2]);
  tool_refuses(o, 2, sentence, what);
  CHECK(strstr(o->err, option) != NULL, "%s: %s is not named: %s", what, option, o->err);
}

/* bad.npy with this type and shape, and as many zero bytes as asked for. */
static void bad(const char *type, const char *order, const char *shape, size_t bytes) {
  static const char zeros[4096];
  char header[300];
  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", type,
           order, shape);
  scratch_npy("bad.npy", 1, header, zeros, bytes);
}

RAPT_TEST(wrong_files_are_named) {
  static const char *const options[] = {"--q", "--k", "--v"};
  sample s = sample_make(1, 2, 2, 4, 4, 4, 4);
  sample_save(&s, 0, 4);
  for (int i = 0; i < 3; i++) {
    const char *option = options[i];
    bad("<f4", "False", "(1, 2, 4, 4)", 127);
    refuses_file(option, "bad.npy is truncated: its shape asks for 128 bytes, 127 are there",
                 "truncated");
    bad("<f4", "False", "(1, 2, 4, 4)", 129);
    refuses_file(option, "goes on after the 128 bytes", "garbage behind");
    bad("<i4", "False", "(1, 2, 4, 4)", 128);
    refuses_file(option, "type i4; f2, f4 and f8 are read here: save x.astype(", "whole numbers");
    bad("|O", "False", "(1, 2, 4, 4)", 128);
    refuses_file(option, "type '|O', which is not read here", "objects");
    bad("<f4", "True", "(1, 2, 4, 4)", 128);
    refuses_file(option, "Fortran order", "Fortran order");
    bad("<f4", "False", "(4,)", 16);
    refuses_file(option, "has 1 dimensions; 2, 3 or 4 are needed", "one dimension");
    bad("<f4", "False", "(1, 1, 1, 4, 4)", 64);
    refuses_file(option, "has 5 dimensions", "five dimensions");
    bad("<f4", "False", "(1, 2, 0, 4)", 0);
    refuses_file(option, "has a dimension of 0", "no tokens");
    bad("<f4", "False", "(2, 4, 4)", 128);
    refuses_file(option, "dimensions, but", "fewer dimensions than the others");
    bad("<f4", "False", "(3, 2, 4, 4)", 384);
    refuses_file(option, "sequences, but", "another batch");
    scratch_write("bad.npy", "PNG", 3);
    refuses_file(option, "bad.npy is no .npy file", "no npy file");
    remove(scratch("bad.npy"));
    refuses_file(option, "bad.npy cannot be opened: No such file", "no file");
  }
  sample_free(&s);
}

RAPT_TEST(mismatched_shapes_are_named) {
  sample s = sample_make(1, 4, 4, 4, 4, 4, 4);
  sample_save(&s, 0, 4);
  bad("<f4", "False", "(1, 4, 4, 5)", 320);
  refuses_file("--q", "k.npy has 4 channels, but --q", "channels of q");
  refuses_file("--k", "bad.npy has 5 channels, but --q", "channels of k");
  bad("<f4", "False", "(1, 4, 7, 4)", 448);
  refuses_file("--k", "v.npy has 4 tokens, but --k", "tokens of k");
  refuses_file("--v", "bad.npy has 7 tokens, but --k", "tokens of v");
  bad("<f4", "False", "(1, 2, 4, 4)", 128);
  refuses_file("--v", "bad.npy has 2 heads, but --k", "heads of v");
  bad("<f4", "False", "(1, 6, 4, 4)", 384);
  refuses_file("--q", "bad.npy has 6 heads, not a multiple of the 4 of --k", "heads of q");
  sample_free(&s);
}

RAPT_TEST(too_many_channels_are_named) {
  sample s = sample_make(1, 1, 1, 2, 2, 1025, 4);
  sample_save(&s, 0, 4);
  tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy"), 2,
               "--q (channels): is 1025, allowed is 1 to 1024", "1025 channels of q");
  sample_free(&s);
  s = sample_make(1, 1, 1, 2, 2, 4, 1025);
  sample_save(&s, 0, 4);
  tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy"), 2, "--v (channels): is 1025",
               "1025 channels of v");
  sample_free(&s);
}

RAPT_TEST(outputs_that_cannot_be_written) {
  sample s = sample_make(1, 1, 1, 2, 2, 4, 4);
  sample_save(&s, 0, 4);
  tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/no/o.npy"), 3, "-o",
               "a folder that is not there");
  tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/o.npy --lse /dev/full"), 3,
               "--lse /dev/full cannot be written", "a full disk");
  tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/one.npy --lse {}/one.npy"), 2,
               "one.npy is the file of -o too", "one file for O and LSE");
  CHECK(access(scratch("one.npy"), F_OK) != 0, "written all the same");
  sample_free(&s);
}

/* A float64 beyond float32's range would silently become infinite. */
RAPT_TEST(numbers_too_large_for_float32) {
  sample s = sample_make(1, 1, 1, 1, 1, 1, 1);
  sample_save(&s, 0, 4);
  const double large = 1e300;
  scratch_npy("bad.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1)}",
              &large, 8);
  refuses_file("--k", "holds 1e+300, which is too large for float32", "1e300");
  sample_free(&s);
}
