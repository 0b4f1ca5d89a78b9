/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * use_dlopen LIBRARY: a program that is linked with no rapt at all loads one and calls it. */
#include <dlfcn.h>
#include <rapt/rapt.h>
#include <stdio.h>
#include <string.h>

typedef rapt_status attention_fn(const rapt_attention_desc *, const rapt_attention_args *,
                                 const rapt_executor *, rapt_error *);

int main(int argc, char **argv) {
  static const float query[3] = {1, 0, 1}, keys[9] = {1, 0, 4, 0, 1, 2, 1, 1, 0};
  static const float values[6] = {10, 0, 0, 10, 5, 5};
  float output[2] = {0, 0};
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = library ? dlsym(library, "rapt_attention") : NULL;
  attention_fn *attention;
  if (!symbol) {
    printf("%s\n", argc == 2 ? dlerror() : "use_dlopen LIBRARY");
    return 1;
  }
  memcpy(&attention, &symbol, sizeof symbol);
  rapt_attention_desc desc = {
      .size = sizeof desc, .heads_q = 1, .heads_kv = 1, .head_dim_qk = 3, .head_dim_v = 2};
  rapt_attention_args args = {.size = sizeof args, .batch = 1, .q_len = 1, .kv_len = 3};
  args.q.data = query, args.k.data = keys, args.v.data = values, args.o.data = output;
  args.k.stride[2] = 3 * sizeof(float), args.v.stride[2] = 2 * sizeof(float);
  if (attention(&desc, &args, NULL, NULL) != RAPT_OK) return 1;
  printf("%.3f %.3f\n", (double)output[0], (double)output[1]);
  dlclose(library);
  return 0;
}
