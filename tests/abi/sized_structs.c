/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Callers compiled against an older or a newer header. */
#include <stddef.h>
#include <string.h>

#include <rapt/rapt.h>

#include "api/api.h"
#include "support/rapt_test.h"

/* A desc followed by what a later header might add. */
typedef struct newer_desc {
  rapt_attention_desc known;
  unsigned char added[64];
} newer_desc;

static rapt_attention_desc good_desc(void) {
  return (rapt_attention_desc){.size = sizeof(rapt_attention_desc),
                               .heads_q = 2,
                               .heads_kv = 1,
                               .head_dim_qk = 8,
                               .head_dim_v = 8};
}

RAPT_TEST(older_struct_is_read_as_if_zeros_followed) {
  /* Without window_right and what came after; what follows in memory is poison and not the caller's. */
  rapt_attention_desc desc, out;
  memset(&desc, 0xee, sizeof desc);
  rapt_attention_desc good = good_desc();
  enum { OLD = offsetof(rapt_attention_desc, window_right) };
  memcpy(&desc, &good, OLD);
  desc.size = OLD;
  rapt_error error = {.size = sizeof error};
  REQUIRE(rapt_load_desc(&desc, &out, &error) == RAPT_OK, "%s: %s", error.field, error.message);
  CHECK(out.heads_q == 2 && out.head_dim_v == 8, "known fields");
  CHECK(out.window_right == 0 && out.scale == 0.0f && !out.isa && !out.allocator, "not zero");
  rapt_plan_info info = {.size = sizeof info};
  CHECK(rapt_plan_check(&desc, &info, &error) == RAPT_OK, "%s: %s", error.field, error.message);
}

RAPT_TEST(struct_without_its_essentials_is_refused) {
  const uint32_t sizes[] = {0, 1, 4, 8, 32, 40, 41, 71, 73, 70000, UINT32_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    newer_desc desc = {.known = good_desc()};
    rapt_error error = {.size = sizeof error};
    desc.known.size = sizes[i];
    rapt_status status = rapt_plan_check(&desc.known, NULL, &error);
    /* 40 ends with head_dim_v: the shortest that says anything. */
    rapt_status wanted = sizes[i] == 40 ? RAPT_OK : RAPT_ERROR_INVALID_ARGUMENT;
    CHECK(status == wanted, "size %u: status %d", sizes[i], status);
    if (wanted) CHECK(strcmp(error.field, "desc.size") == 0, "size %u: %s", sizes[i], error.field);
  }
}

RAPT_TEST(newer_struct_with_a_zero_tail_is_accepted) {
  newer_desc desc = {.known = good_desc()};
  desc.known.size = sizeof desc;
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_plan_check(&desc.known, NULL, &error) == RAPT_OK, "%s: %s", error.field,
        error.message);
}

RAPT_TEST(newer_struct_with_a_value_is_a_version_error) {
  for (size_t i = 0; i < sizeof((newer_desc *)0)->added; i++) {
    newer_desc desc = {.known = good_desc()};
    rapt_error error = {.size = sizeof error};
    rapt_plan_info info = {.size = sizeof info, .key_block = 77};
    desc.known.size = sizeof desc;
    desc.added[i] = 1;
    CHECK(rapt_plan_check(&desc.known, &info, &error) == RAPT_ERROR_VERSION, "byte %zu", i);
    CHECK(strcmp(error.field, "desc") == 0, "%s", error.field);
    CHECK(info.key_block == 77, "written");
  }
}

RAPT_TEST(older_output_struct_is_filled_as_far_as_it_goes) {
  rapt_cpu_info info;
  for (uint32_t size = 8; size < sizeof info; size += 8) {
    memset(&info, 0xee, sizeof info);
    info.size = size;
    CHECK(rapt_get_cpu_info(&info, NULL) == RAPT_OK, "size %u", size);
    CHECK(info.size == size && info.logical_cpus >= 1, "size %u", size);
    const unsigned char *bytes = (const unsigned char *)&info;
    for (size_t i = size; i < sizeof info; i++)
      CHECK(bytes[i] == 0xee, "size %u: byte %zu written", size, i);
  }
}

RAPT_TEST(newer_output_struct_gets_zeros) {
  struct {
    rapt_cpu_info known;
    unsigned char added[32], beyond[8];
  } info;
  memset(&info, 0xee, sizeof info);
  info.known.size = sizeof info.known + sizeof info.added;
  REQUIRE(rapt_get_cpu_info(&info.known, NULL) == RAPT_OK, "refused");
  CHECK(info.known.size == sizeof info.known + sizeof info.added, "size changed");
  for (size_t i = 0; i < sizeof info.added; i++) CHECK(info.added[i] == 0, "byte %zu", i);
  for (size_t i = 0; i < sizeof info.beyond; i++) CHECK(info.beyond[i] == 0xee, "byte %zu", i);
}

RAPT_TEST(output_struct_must_be_there) {
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_get_cpu_info(NULL, &error) == RAPT_ERROR_INVALID_ARGUMENT, "NULL");
  CHECK(strcmp(error.field, "info") == 0, "%s", error.field);
  rapt_cpu_info info = {.size = 0};
  CHECK(rapt_get_cpu_info(&info, &error) == RAPT_ERROR_INVALID_ARGUMENT, "size 0");
  CHECK(strcmp(error.field, "info.size") == 0, "%s", error.field);
}

/* The caller's rapt_error: each member is written only if all of it is inside. */
RAPT_TEST(error_struct_of_any_size) {
  for (uint32_t size = 0; size <= sizeof(rapt_error) + 8; size++) {
    struct {
      rapt_error error;
      unsigned char beyond[8];
    } box;
    memset(&box, 0xee, sizeof box);
    box.error.size = size;
    CHECK(rapt_plan_check(NULL, NULL, &box.error) == RAPT_ERROR_INVALID_ARGUMENT, "status");
    CHECK(box.error.size == size, "size %u changed", size);
    int usable = size % 4 == 0;
    int code = usable && size >= 8, field = usable && size >= 56, message = usable && size >= 256;
    CHECK((box.error.code == RAPT_ERROR_INVALID_ARGUMENT) == code, "size %u: code", size);
    CHECK((memcmp(box.error.field, "desc", 5) == 0) == field, "size %u: field", size);
    CHECK((memcmp(box.error.message, "is NULL", 8) == 0) == message, "size %u: message", size);
    const unsigned char *bytes = (const unsigned char *)&box;
    size_t end = message ? 256 : field ? 56 : code ? 8 : 4;
    for (size_t i = end; i < sizeof box; i++)
      CHECK(bytes[i] == 0xee, "size %u: byte %zu written", size, i);
  }
}

RAPT_TEST(error_struct_of_a_silly_size) {
  const uint32_t sizes[] = {0x10000, 0x7fffffff, 0xeeeeeeec, UINT32_MAX};
  for (int i = 0; i < 4; i++) {
    rapt_error error;
    memset(&error, 0xee, sizeof error);
    error.size = sizes[i];
    CHECK(rapt_plan_check(NULL, NULL, &error) == RAPT_ERROR_INVALID_ARGUMENT, "status");
    CHECK(error.message[0] == (char)0xee && error.field[0] == (char)0xee, "size %x", sizes[i]);
  }
}

RAPT_TEST(long_messages_are_cut) {
  rapt_error error = {.size = sizeof error};
  char text[400];
  memset(text, 'x', sizeof text);
  text[399] = '\0';
  CHECK(rapt_fail(&error, RAPT_ERROR_UNSUPPORTED, text, "%s", text) == RAPT_ERROR_UNSUPPORTED,
        "status");
  CHECK(strlen(error.field) == sizeof error.field - 1, "field of %zu", strlen(error.field));
  CHECK(strlen(error.message) == sizeof error.message - 1, "%zu", strlen(error.message));
}

RAPT_TEST(success_leaves_the_error_alone) {
  rapt_error error, before;
  memset(&error, 0xee, sizeof error);
  error.size = sizeof error;
  before = error;
  rapt_attention_desc desc = good_desc();
  CHECK(rapt_plan_check(&desc, NULL, &error) == RAPT_OK, "refused");
  CHECK(memcmp(&error, &before, sizeof error) == 0, "written");
}
