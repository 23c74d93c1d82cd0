// SPDX-License-Identifier: Apache-2.0
// How benchmarks are named and registered.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <eagle/dtype.hpp>

namespace bench {

/// What is timed, on elements of which type, against what; "-" where one of them has no meaning. `ranks` is 0 without any.
struct Name {
  std::string what;
  std::string dtype = "-";
  std::string baseline = "-";
  int ranks = 0;
};
/// "CASE/DTYPE/BASELINE" of elements T.
template <class T>
Name name_of(const std::string& what, const std::string& baseline, int ranks = 0) {
  return {what, std::string(eagle::name(eagle::dtype_of<T>())), baseline, ranks};
}

struct Shape {
  std::int64_t n;
  int threads;
};
/// 1, 2, 4, ... and all threads that OpenMP has.
std::vector<int> teams();
std::vector<Shape> shapes(const std::vector<std::int64_t>& sizes, const std::vector<int>& on);
/// 2^6 to 2^28 samples.
std::vector<Shape> usual_shapes(const std::vector<int>& on = teams());

/// What a body throws where this machine has not what it needs: the benchmark is skipped.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Body = std::function<void(benchmark::State& state, const Shape& shape)>;
/// Registers a body for each shape, as CASE/DTYPE/BASELINE/n:N/threads:T[/ranks:R]. What it throws is the benchmark's error.
void add(const Name& name, const std::vector<Shape>& shapes, const Body& body);

// What eagle_bench has, each in a file of its own: map_bench.cpp, ...
void add_maps();
void add_mapreduces();
void add_fused();
void add_accesses();
void add_overheads();

}  // namespace bench
