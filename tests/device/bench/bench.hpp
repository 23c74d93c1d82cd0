// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <eagle/eagle.hpp>

namespace device_bench {

/// Throws what a call of the CUDA runtime says, unless it succeeded.
void check(cudaError_t result, const char* call);
#define RUNTIME(function, ...) ::device_bench::check(function(__VA_ARGS__), #function)

using Work = std::function<void()>;

/// Medians of the seconds that each contestant's work takes on the stream. They take turns; the first turns are thrown away.
std::vector<double> seconds_on(cudaStream_t stream, const std::vector<Work>& contestants);

/// Medians of the seconds that the host takes for one call of each, in batches between which the stream is waited for.
std::vector<double> seconds_a_call(cudaStream_t stream, const std::vector<Work>& contestants);

/// The table, a printed line a figure.
class Table {
 public:
  Table();
  /// A baseline's time over eagle's; `asked` is the least that passes, 0 where nothing is asked.
  void ratio(const std::string& figure, const std::string& against, double eagle, double baseline, double asked);
  /// Eagle's time less a baseline's, in microseconds; `asked` is the most that passes.
  void difference(const std::string& figure, const std::string& against, double eagle, double baseline, double asked);
  [[nodiscard]] bool passed() const { return passed_; }

 private:
  bool passed_ = true;
};

inline eagle::Plugin worked(const char* name) { return eagle::load(std::filesystem::path(EAGLE_TEST_BUNDLES) / name).only(); }

void bench_bandwidth(Table& table, cudaStream_t stream, std::int64_t n);
void bench_launches(Table& table, cudaStream_t stream);

}  // namespace device_bench
