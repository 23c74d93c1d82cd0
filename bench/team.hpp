// SPDX-License-Identifier: Apache-2.0
// A team of threads, as eagle, Kokkos and OpenMP know it, and plans for it.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include <eagle/eagle.hpp>
#include <omp.h>

#include "compare.hpp"

namespace bench {

class Team final : public Crew {
 public:
  explicit Team(int size) : threads(size), space(size) {}
  /// An empty parallel region of as many threads, as one of another number has libgomp end or start some; of all where one
  /// thread works, which leaves them as they are.
  void meet() const override {
#pragma omp parallel num_threads(threads == 1 ? omp_get_max_threads() : threads)
    benchmark::ClobberMemory();
  }
  [[nodiscard]] eagle::Plan plan(const eagle::Plugin& plugin, eagle::PlanOptions options = {}) const {
    options.structure = eagle::host_team({.threads = threads});
    return eagle::plan(plugin, std::move(options));
  }

  const int threads;
  const Kokkos::OpenMP space;
};

/// A plugin that is built with the benchmarks.
inline eagle::Plugin built(const std::string& name) {
  return eagle::load(std::string(EAGLE_BENCH_BUNDLES) + "/" + name).only();
}
/// The one of elements T.
template <class T>
eagle::Plugin built_for(const std::string& name) {
  return built(name + "_" + std::string(eagle::name(eagle::dtype_of<T>())));
}
/// A plane of n elements for eagle.
template <class T>
eagle::ArrayView plane(T* data, std::int64_t n) {
  return eagle::view(data, eagle::dtype_of<std::remove_const_t<T>>(), {n});
}

}  // namespace bench
