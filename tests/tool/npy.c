/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The .npy reader and writer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/npy.h"
#include "tool.h"

typedef struct reading {
  const char *type;
  unsigned char bytes[8];
  double value;
} reading;

/* One number in each type and byte order. */
static const reading readings[] = {
    {"<f4", {0x00, 0x00, 0x80, 0xbf}, -1},
    {">f4", {0xbf, 0x80, 0x00, 0x00}, -1},
    {"<f8", {0, 0, 0, 0, 0, 0, 0x04, 0x40}, 2.5},
    {">f8", {0x40, 0x04, 0, 0, 0, 0, 0, 0}, 2.5},
    {"<f2", {0x01, 0x3c}, 1 + 0x1p-10},
    {">f2", {0x3c, 0x01}, 1 + 0x1p-10},
    {"<f2", {0x01, 0x80}, -0x1p-24},
    {"<f2", {0xff, 0x7b}, 65504},
    {"<f2", {0x00, 0xfc}, -HUGE_VAL},
    {"|i1", {0x80}, -128},
    {"<i2", {0xfe, 0xff}, -2},
    {">i4", {0xff, 0xff, 0xff, 0xfd}, -3},
    {"<i8", {0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -4},
    {"|u1", {0xff}, 255},
    {">u2", {0x01, 0x00}, 256},
    {"|b1", {0x01}, 1},
};

RAPT_TEST(npy_every_type) {
  for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
    for (int version = 1; version <= 2; version++) {
      const reading *r = &readings[i];
      char header[200], why[300] = "";
      npy_array a;
      snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }\n",
               r->type);
      scratch_npy("x.npy", version, header, r->bytes, (size_t)(r->type[2] - '0'));
      REQUIRE(npy_load(scratch("x.npy"), &a, why, sizeof why) == 0, "%s: %s", r->type, why);
      CHECK(npy_at(&a, 0) == r->value, "%s: %g, not %g", r->type, npy_at(&a, 0), r->value);
      CHECK(a.dims == 1 && a.shape[0] == 1 && a.count == 1, "%s: shape", r->type);
      npy_free(&a);
    }
}

RAPT_TEST(npy_header_in_any_order) {
  static const char *const headers[] = {
      "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
      "  {'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '=f4' , }   \n"};
  const float x[6] = {1, 2, 3, 4, 5, 6};
  for (int i = 0; i < 2; i++) {
    npy_array a;
    char why[300] = "";
    scratch_npy("x.npy", 1, headers[i], x, sizeof x);
    REQUIRE(npy_load(scratch("x.npy"), &a, why, sizeof why) == 0, "%s: %s", headers[i], why);
    CHECK(a.dims == 2 && a.shape[0] == 2 && a.shape[1] == 3 && npy_at(&a, 5) == 6, "%s",
          headers[i]);
    npy_free(&a);
  }
}

typedef struct fault {
  const char *header;
  size_t data; /* bytes behind it */
  const char *why;
} fault;

static const fault faults[] = {
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 4, "Fortran order"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4, "neither True nor False"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 4, "type '|O'"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8, "type '<c8'"},
    {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", 16, "type '<f16'"},
    {"{'descr': '!f4', 'fortran_order': False, 'shape': (1,)}", 4, "type '!f4'"},
    {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", 4, "type ''"},
    {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4, "structures"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 3, "truncated"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 5, "goes on after"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", 4, "truncated"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 4, "no memory"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", 0,
     "no memory"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", 4, "shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4, "shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}", 4, "shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 4, "dimensions"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, "dictionary"},
    {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", 4, "dictionary"},
    {"{'descr': '<f4', 'fortran_order': False}", 4, "not descr, fortran_order and shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4, "not descr, fortran_order"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "twice"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", 4, "'more'"},
    {"", 4, "dictionary"},
    {"[]", 4, "dictionary"},
};

static void check_refused(const char *name, const char *expected, const char *what) {
  npy_array a;
  char why[300] = "";
  if (!CHECK(npy_load(scratch(name), &a, why, sizeof why) == -1, "%s was read", what)) npy_free(&a);
  CHECK(strstr(why, expected) != NULL, "%s: '%s' is not in '%s'", what, expected, why);
  CHECK(a.data == NULL && a.count == 0, "%s: the array is not empty", what);
}

RAPT_TEST(npy_refuses) {
  static const char zeros[16];
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    scratch_npy("x.npy", 1, faults[i].header, zeros, faults[i].data);
    check_refused("x.npy", faults[i].why, faults[i].header);
  }
  scratch_npy("x.npy", 3, faults[0].header, zeros, 4);
  check_refused("x.npy", "version 3.0", "version 3");
  scratch_write("x.npy", "", 0);
  check_refused("x.npy", "empty", "an empty file");
  scratch_write("x.npy", "PK\3\4 not this", 13);
  check_refused("x.npy", "no .npy file", "another file");
  scratch_write("x.npy", "\x93NUMPY\1", 7);
  check_refused("x.npy", "truncated", "seven bytes");
  scratch_write("x.npy", "\x93NUMPY\1\0\x80\0{'descr'", 18);
  check_refused("x.npy", "ends in its header", "half a header");
  scratch_write("x.npy", "\x93NUMPY\2\0\xff\xff\xff\xff{'descr'", 20);
  check_refused("x.npy", "header of 4294967295 bytes", "a header without end");
  check_refused("absent.npy", "cannot be opened", "no file");
  check_refused(".", "cannot be read", "a folder");
}

RAPT_TEST(npy_writes_what_it_reads) {
  const float x[6] = {1, -2, 3.5f, 0, 1e-30f, INFINITY};
  static const int64_t shapes[][4] = {{6, 0, 0, 0}, {2, 3, 0, 0}, {1, 3, 2, 0}, {1, 1, 6, 1}};
  for (int32_t dims = 1; dims <= 4; dims++) {
    npy_array a;
    char why[300] = "", start[10];
    REQUIRE(npy_save(scratch("y.npy"), x, shapes[dims - 1], dims, why, sizeof why) == 0, "%s", why);
    FILE *file = fopen(scratch("y.npy"), "rb");
    REQUIRE(file && fread(start, 1, 10, file) == 10, "no header");
    CHECK((10 + start[8] + 256 * start[9]) % 64 == 0, "data are not aligned to 64");
    fclose(file);
    REQUIRE(npy_load(scratch("y.npy"), &a, why, sizeof why) == 0, "%s", why);
    CHECK(a.dims == dims && memcmp(a.shape, shapes[dims - 1], sizeof(int64_t) * (size_t)dims) == 0,
          "%d dimensions: shape", (int)dims);
    CHECK(a.count == 6, "%d dimensions: %zu elements", (int)dims, a.count);
    for (size_t i = 0; i < a.count; i++)
      CHECK(npy_at(&a, i) == (double)x[i], "%d dimensions: element %zu", (int)dims, i);
    npy_free(&a);
  }
  char why[300] = "";
  CHECK(npy_save("/dev/full", x, shapes[0], 1, why, sizeof why) == -1 &&
            strstr(why, "cannot be written"),
        "a full disk: '%s'", why);
  CHECK(npy_save(scratch("no/such"), x, shapes[0], 1, why, sizeof why) == -1 &&
            strstr(why, "cannot be created"),
        "no folder: '%s'", why);
}
