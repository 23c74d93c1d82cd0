// SPDX-License-Identifier: Apache-2.0
// What it costs to take a bundle in, from a warm page cache.
#include <benchmark/benchmark.h>

#include <string>

#include <eagle/bundle.hpp>

namespace {

const std::string axpy = std::string(EAGLE_BUNDLES) + "/axpy";

void check_bundle(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(eagle::check(axpy));
}
BENCHMARK(check_bundle)->Unit(benchmark::kMicrosecond);

void load_bundle(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(eagle::load(axpy));
}
BENCHMARK(load_bundle)->Unit(benchmark::kMicrosecond);

void load_and_open(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(eagle::load(axpy).only().host_entry());
}
BENCHMARK(load_and_open)->Unit(benchmark::kMicrosecond);

}  // namespace
