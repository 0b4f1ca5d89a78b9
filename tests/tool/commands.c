/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What all commands share: help, man page, exit codes; and rapt info. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

#include "rapt/commands.h"
#include "rapt/help.h"
#include "support/json.h"
#include "tool.h"

static int says(const outcome *o, const char *part) {
  return CHECK(strstr(o->out, part) != NULL, "'%s' is not in:\n%s", part, o->out);
}

RAPT_TEST(help_lists_commands_and_exit_codes) {
  static const char *const ways[] = {"--help", "-h", "help"};
  for (int way = 0; way < 3; way++) {
    const outcome *o = tool("%s", ways[way]);
    CHECK(o->code == 0 && !o->err[0], "%s: %d %s", ways[way], o->code, o->err);
    for (int32_t i = 0; i < n_commands; i++) says(o, commands[i].page->summary);
    for (int i = 0; i < N_EXIT_MEANINGS; i++) says(o, exit_meanings[i].meaning);
  }
}

RAPT_TEST(help_of_a_command_names_every_option) {
  for (int32_t i = 0; i < n_commands; i++) {
    const page *p = commands[i].page;
    const outcome *o = tool("%s --help", p->name);
    CHECK(o->code == 0 && !o->err[0], "%s: %d %s", p->name, o->code, o->err);
    for (int32_t x = 0; x < p->n_options; x++) {
      char name[60];
      snprintf(name, sizeof name, "--%s%s%s\n", p->options[x].name,
               p->options[x].argument ? " " : "",
               p->options[x].argument ? p->options[x].argument : "");
      says(o, name);
    }
    CHECK(p->n_examples > 0, "%s has no example", p->name);
    for (int32_t x = 0; x < p->n_examples; x++) says(o, p->examples[x].line);
    says(o, "Exit codes:");
    const char *at = o->out;
    for (size_t length; *at; at += length + (at[length] == '\n')) {
      length = strcspn(at, "\n");
      CHECK(length <= 100, "%s: a line of %zu columns: %.*s", p->name, length, (int)length, at);
    }
    char first[OUTCOME_BYTES];
    memcpy(first, o->out, sizeof first);
    CHECK(strcmp(tool("help %s", p->name)->out, first) == 0, "help %s differs", p->name);
  }
}

/* Requests a reader's troff may meet, in an order that makes a page. */
RAPT_TEST(man_page_has_its_parts) {
  static const char *const parts[] = {
      ".TH RAPT 1",          ".SH \"NAME\"",     "rapt \\- ",           ".SH \"SYNOPSIS\"",
      ".SH \"DESCRIPTION\"", ".SH \"COMMANDS\"", ".SH \"EXIT STATUS\"", ".SH \"EXAMPLES\""};
  static char text[OUTCOME_BYTES];
  FILE *file = fopen(RAPT_MAN, "r");
  REQUIRE(file != NULL, "%s is not there", RAPT_MAN);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  CHECK(strcmp(tool("--man")->out, text) == 0, "the built page is not what the tool says");
  const char *at = text;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const char *found = strstr(at, parts[i]);
    REQUIRE(found != NULL, "%s is missing, or out of order", parts[i]);
    at = found;
  }
  for (int32_t i = 0; i < n_commands; i++) {
    const page *p = commands[i].page;
    for (int32_t x = 0; x < p->n_options; x++) {
      char entry[60] = ".TP\n", *end = entry + 4;
      if (p->options[x].letter) end += sprintf(end, "\\fB\\-%c\\fR, ", p->options[x].letter);
      end += sprintf(end, "\\fB\\-\\-");
      for (const char *c = p->options[x].name; *c; c++)
        end += sprintf(end, *c == '-' ? "\\-" : "%c", *c);
      CHECK(strstr(text, entry) != NULL, "%s: no entry %s", p->name, entry);
    }
  }
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    if (*line == '.' || *line == '\'')
      CHECK(strchr(".TH .SH .SS .TP .PP .B .I .br ", *line) && strncmp(line, "..", 2) != 0 &&
                strcspn(line, " \n") <= 3,
            "an unknown request: %.20s", line);
  CHECK(!strstr(text, "\n\n"), "an empty line");
}

RAPT_TEST(version_is_the_library_s) {
  const outcome *o = tool("--version");
  CHECK(o->code == 0 && strncmp(o->out, "rapt ", 5) == 0, "%d %s", o->code, o->out);
  CHECK(strncmp(o->out + 5, rapt_version_string(), strlen(rapt_version_string())) == 0, "%s",
        o->out);
}

RAPT_TEST(wrong_words) {
  tool_refuses(tool("frobnicate"), 2, "no command 'frobnicate'", "unknown command");
  tool_refuses(tool("help frobnicate"), 2, "no command 'frobnicate'", "help of an unknown command");
  tool_refuses(tool("info --frob"), 2, "no option --frob", "unknown option");
  tool_refuses(tool("info -x"), 2, "no option -x", "unknown letter");
  tool_refuses(tool("info -"), 2, "'-' is no option", "a dash");
  tool_refuses(tool("info word"), 2, "'word' is no option", "a word");
  tool_refuses(tool("info --json=1"), 2, "--json takes no value", "a value for a flag");
  tool_refuses(tool("info --json --json"), 2, "--json was given twice", "twice");
  tool_refuses(tool("info --jsonx"), 2, "no option --jsonx", "too long a name");
  tool_refuses(tool("info --jso"), 2, "no option --jso", "an abbreviation");
  tool_refuses(tool("info bad\nline"), 2, "'bad?line'", "a line break in a word");
  const outcome *o = tool("%s", "");
  CHECK(o->code == 2 && strstr(o->err, "no command ''"), "an empty word: %d %s", o->code, o->err);
}

RAPT_TEST(a_full_disk_is_a_failure) {
  const outcome *o = tool_with("", 0, "info --help");
  CHECK(o->code == 0, "%d", o->code);
  char line[1024];
  snprintf(line, sizeof line, "%s info > /dev/full 2> '%s'", RAPT_TOOL, scratch("full.txt"));
  int status = system(line);
  CHECK(status / 256 == 3, "exit status %d", status / 256);
}

RAPT_TEST(info_text) {
  rapt_cpu_info cpu = {.size = sizeof cpu};
  REQUIRE(rapt_get_cpu_info(&cpu, NULL) == RAPT_OK, "cpu info");
  const outcome *o = tool("info");
  CHECK(o->code == 0 && !o->err[0], "%d %s", o->code, o->err);
  static const char *const lines[] = {"rapt  ",    "\nCPU ",     "\nISA ",       "\nprefill ",
                                      "\ndecode ", "\ncaches ",  "\nNUMA nodes", "\nthreads ",
                                      "OpenMP",    "\ntopology "};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) says(o, lines[i]);
  says(o, cpu.isa_list);
  o = tool_with("RAPT_ISA=generic OMP_NUM_THREADS=3", 0, "info");
  says(o, "prefill     generic_f32");
  says(o, "decode      generic_f32 (up to 4 rows per KV head)");
  says(o, "generic limits both");
  says(o, "threads     3 ");
  says(tool_with("OMP_NUM_THREADS=5000", 0, "info"), "threads     1024 "); /* what a run accepts */
  tool_refuses(tool_with("RAPT_ISA=quantum", 0, "info"), 2, "quantum", "an unknown RAPT_ISA");
}

RAPT_TEST(info_json) {
  rapt_cpu_info cpu = {.size = sizeof cpu};
  rapt_attention_desc desc = {
      .size = sizeof desc, .heads_q = 1, .heads_kv = 1, .head_dim_qk = 64, .head_dim_v = 64};
  rapt_plan_info plan = {.size = sizeof plan};
  REQUIRE(rapt_get_cpu_info(&cpu, NULL) == RAPT_OK, "cpu info");
  REQUIRE(rapt_plan_check(&desc, &plan, NULL) == RAPT_OK, "plan");
  const outcome *o = tool("info --json");
  char why[200] = "";
  json *doc = json_parse(o->out, why, sizeof why);
  REQUIRE(o->code == 0 && doc, "%d %s", o->code, why);
  static const char *const texts[] = {"version",  "cpu",         "isa",
                                      "isa_list", "prefill_set", "decode_set",
                                      "executor", "topology",    "numerics_id"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    CHECK(json_string(json_get(doc, texts[i]), "")[0] != '\0', "no %s", texts[i]);
  CHECK(strcmp(json_string(json_get(doc, "isa_list"), ""), cpu.isa_list) == 0, "isa_list");
  CHECK(strcmp(json_string(json_get(doc, "prefill_set"), ""), plan.prefill_set) == 0,
        "prefill_set");
  CHECK(strcmp(json_string(json_get(doc, "decode_set"), ""), plan.decode_set) == 0, "decode_set");
  CHECK(json_integer(json_get(doc, "decode_rows"), -1) == plan.decode_rows, "decode_rows");
  CHECK(json_integer(json_get(doc, "l2_bytes"), -1) == cpu.l2_bytes, "l2_bytes");
  CHECK(json_integer(json_get(doc, "logical_cpus"), -1) == cpu.logical_cpus, "logical_cpus");
  CHECK(json_integer(json_get(doc, "threads"), 0) >= 1, "threads");
  CHECK((int32_t)json_count(json_get(doc, "kernel_sets")) == rapt_kernel_count(), "kernel_sets");
  json_free(doc);
}
