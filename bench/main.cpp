// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>

/// Threads stay where they are: OpenMP reads OMP_PROC_BIND once, before main, so the program starts itself again with it.
static void bind_threads(char** argv) {
  if (std::getenv("OMP_PROC_BIND") != nullptr) return;
  setenv("OMP_PROC_BIND", "true", 1);
  execv("/proc/self/exe", argv);
}

int main(int argc, char** argv) {
  bind_threads(argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
