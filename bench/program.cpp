// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bench {
namespace {

/// Leaves out what has Google Benchmark write a file, and all printing.
void be_silent(int& argc, char** argv) {
  char** const end =
      std::remove_if(argv + 1, argv + argc, [](std::string_view arg) { return arg.starts_with("--benchmark_out"); });
  argc = static_cast<int>(end - argv);
  argv[argc] = nullptr;
  unsetenv("BENCHMARK_OUT");
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::abort();
}

}  // namespace

int run(int argc, char** argv, const Facts& facts, bool reports) {
  if (!reports) be_silent(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const auto& [name, value] : facts) benchmark::AddCustomContext(name, value);
  Reporter reporter(facts);
  const bool matched = benchmark::RunSpecifiedBenchmarks(&reporter) > 0;
  benchmark::Shutdown();
  return matched && reporter.errors() == 0 ? 0 : 1;
}

}  // namespace bench
