/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gbench.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <regex>
#include <string>
#include <vector>

struct gbench_state {
  std::string name;
  double seconds = 0;
  std::string error;
  std::string label;
  benchmark::UserCounters counters;
};

namespace {

struct Entry {
  std::string name;
  gbench_function function;
  const void *arg;
};

std::vector<Entry> entries;
int errors = 0;

void run(benchmark::State &state, const Entry &entry) {
  gbench_state own;
  own.name = entry.name;
  entry.function(&own, entry.arg);
  if (!own.error.empty()) {
    errors++;
    state.SkipWithError(own.error.c_str());
    return;
  }
  for (auto _ : state) state.SetIterationTime(own.seconds);
  state.counters = own.counters;
  state.SetLabel(own.label);
}

/* Another reporter, with the suffixes of the names taken off. */
class PlainNames : public benchmark::BenchmarkReporter {
public:
  explicit PlainNames(benchmark::BenchmarkReporter *inner) : inner_(inner) {}

  bool ReportContext(const Context &context) override {
    const size_t suffix = std::strlen("/iterations:1/manual_time");
    Context shorter = context;
    if (shorter.name_field_width > suffix) shorter.name_field_width -= suffix;
    inner_->SetOutputStream(&GetOutputStream());
    inner_->SetErrorStream(&GetErrorStream());
    return inner_->ReportContext(shorter);
  }

  void ReportRuns(const std::vector<Run> &runs) override {
    std::vector<Run> plain = runs;
    for (Run &r : plain) {
      r.run_name.iterations.clear();
      r.run_name.time_type.clear();
    }
    inner_->ReportRuns(plain);
  }

  void Finalize() override { inner_->Finalize(); }

private:
  std::unique_ptr<benchmark::BenchmarkReporter> inner_;
};

bool starts_with(const char *text, const char *prefix) {
  return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

/* As Google Benchmark does it: a leading minus negates. */
bool keep_matching(std::string filter) {
  if (filter.empty() || filter == "all") filter = ".";
  const bool negative = filter[0] == '-';
  if (negative) filter.erase(0, 1);
  try {
    const std::regex pattern(filter, std::regex::extended);
    std::vector<Entry> kept;
    for (const Entry &e : entries)
      if (std::regex_search(e.name, pattern) != negative) kept.push_back(e);
    entries.swap(kept);
  } catch (const std::regex_error &e) {
    std::fprintf(stderr, "rapt-bench: --benchmark_filter: %s\n", e.what());
    return false;
  }
  return true;
}

} // namespace

void gbench_register(const char *name, gbench_function function, const void *arg) {
  entries.push_back({name, function, arg});
}

void gbench_context(const char *key, const char *value) { benchmark::AddCustomContext(key, value); }

int gbench_errors(void) { return errors; }

int gbench_run(int argc, char **argv) {
  bool list = false, to_file = false, file_is_console = false;
  for (int i = 1; i < argc; i++) {
    if (starts_with(argv[i], "--benchmark_list_tests"))
      list = std::strstr(argv[i], "=false") == nullptr && std::strstr(argv[i], "=0") == nullptr;
    if (starts_with(argv[i], "--benchmark_out=")) to_file = true;
    if (std::strcmp(argv[i], "--benchmark_out_format=console") == 0) file_is_console = true;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (!keep_matching(benchmark::GetBenchmarkFilter())) return 2;
  if (list) {
    for (const Entry &e : entries) std::printf("%s\n", e.name.c_str());
    return 0;
  }
  if (entries.empty()) {
    std::fprintf(stderr, "rapt-bench: no benchmark matches the filter\n");
    return 2;
  }
  benchmark::SetBenchmarkFilter("all");
  for (const Entry &e : entries)
    benchmark::RegisterBenchmark(e.name.c_str(), [&e](benchmark::State &s) { run(s, e); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);

  PlainNames display(benchmark::CreateDefaultDisplayReporter());
  std::unique_ptr<PlainNames> file;
  if (to_file) {
    benchmark::BenchmarkReporter *inner;
    if (file_is_console)
      inner = new benchmark::ConsoleReporter(benchmark::ConsoleReporter::OO_None);
    else
      inner = new benchmark::JSONReporter;
    file = std::make_unique<PlainNames>(inner);
  }
  benchmark::RunSpecifiedBenchmarks(&display, file.get());
  benchmark::Shutdown();
  return 0;
}

const char *gbench_name(const gbench_state *state) { return state->name.c_str(); }
void gbench_time(gbench_state *state, double seconds) { state->seconds = seconds; }
void gbench_counter(gbench_state *state, const char *name, double value) {
  state->counters[name] = value;
}
void gbench_label(gbench_state *state, const char *label) { state->label = label; }
void gbench_error(gbench_state *state, const char *message) { state->error = message; }
