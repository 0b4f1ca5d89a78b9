/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every report of the list is a test here, a test of another suite, or left for a reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "support/rapt_test.h"

/* Reports without a test named bug_<number>_* in this suite. */
static const struct {
  int number;
  int elsewhere; /* 1: tested in the named suites; 0: left, and why */
  const char *text;
} others[] = {
    {9, 0, "rotary embedding"},
    {25, 0, "cache of past and present buffers"},
    {27, 0, "paged cache"},
    {29, 0, "paged cache"},
    {31, 1, "threads (foreign.c: thread counts that change, fork)"},
    {34, 1, "dispatch (recorded_cpus.c, forced_isa.c)"},
    {36, 1, "memory (allocator.c)"},
    {37, 1, "memory (resident.c)"},
    {39, 1, "build (presets of two compilers; sets a compiler lacks are absent)"},
};

enum { OTHERS = sizeof others / sizeof *others };

RAPT_TEST(bug_reports_accounted_for) {
  char path[800], line[1000], name[40];
  int here = 0, elsewhere = 0, left = 0;
  if (!data_root()) SKIP("NO CONFORMANCE DATA: set RAPT_CONFORMANCE to its folder");
  snprintf(path, sizeof path, "%s/bug-reports.md", data_root());
  FILE *file = fopen(path, "r");
  REQUIRE(file, "%s cannot be read", path);
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "### ", 4) != 0) continue;
    int number = atoi(line + 4), x = 0;
    snprintf(name, sizeof name, "bug_%d_", number);
    while (x < OTHERS && others[x].number != number) x++;
    int tests = rapt_test_count(name);
    CHECK((tests > 0) != (x < OTHERS), "report %d: %d tests here, and %slisted", number, tests,
          x < OTHERS ? "" : "not ");
    here += tests > 0;
    if (x == OTHERS) continue;
    elsewhere += others[x].elsewhere;
    left += !others[x].elsewhere;
    printf("  report %d: %s %s\n", number,
           others[x].elsewhere ? "in suite" : "left:", others[x].text);
  }
  fclose(file);
  printf("  %d reports here, %d in other suites, %d left; and %d reports without a number\n", here,
         elsewhere, left, rapt_test_count("bug_spare_"));
  CHECK(here + elsewhere + left >= 30, "only %d reports were found", here + elsewhere + left);
}
