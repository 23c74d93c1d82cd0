// SPDX-License-Identifier: Apache-2.0
#include "benchmarks.hpp"

#include <exception>

#include <fmt/format.h>
#include <omp.h>

namespace bench {

std::vector<int> teams() {
  const int all = omp_get_max_threads();
  std::vector<int> teams;
  for (int threads = 1; threads < all; threads *= 2) teams.push_back(threads);
  teams.push_back(all);
  return teams;
}

std::vector<Shape> shapes(const std::vector<std::int64_t>& sizes, const std::vector<int>& on) {
  std::vector<Shape> all;
  for (const std::int64_t n : sizes)
    for (const int threads : on) all.push_back({n, threads});
  return all;
}

std::vector<Shape> usual_shapes(const std::vector<int>& on) {
  return shapes({1 << 6, 1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26, 1 << 28}, on);
}

void add(const Name& name, const std::vector<Shape>& shapes, const Body& body) {
  for (const Shape& shape : shapes) {
    std::string text = fmt::format("{}/{}/{}/n:{}/threads:{}", name.what, name.dtype, name.baseline, shape.n, shape.threads);
    if (name.ranks > 0) text += fmt::format("/ranks:{}", name.ranks);
    const auto guarded = [body, shape](benchmark::State& state) {
      try {
        body(state, shape);
      } catch (const Unavailable& e) {
        state.SkipWithMessage(e.what());
      } catch (const std::exception& e) {
        state.SkipWithError(e.what());
      }
    };
    benchmark::RegisterBenchmark(text.c_str(), guarded)->UseManualTime()->Iterations(1);
  }
}

}  // namespace bench
