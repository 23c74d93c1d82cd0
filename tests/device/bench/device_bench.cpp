// SPDX-License-Identifier: Apache-2.0
// device_bench [LOG2_SAMPLES]: DeviceKernel on the first CUDA device against what CUDA itself gives, as ratios within one run.
// 1 where one is below what is asked.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "bench.hpp"

namespace device_bench {

void check(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}

namespace {

constexpr int warm_up = 5, turns = 31, batch = 256;

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

template <class Seconds>
std::vector<double> medians(const std::vector<Work>& contestants, Seconds&& seconds) {
  std::vector<std::vector<double>> times(contestants.size());
  for (int turn = 0; turn < warm_up + turns; ++turn)
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      const double taken = seconds(contestants[k]);
      if (turn >= warm_up) times[k].push_back(taken);
    }
  std::vector<double> result;
  for (const auto& each : times) result.push_back(median(each));
  return result;
}

}  // namespace

std::vector<double> seconds_on(cudaStream_t stream, const std::vector<Work>& contestants) {
  cudaEvent_t start = nullptr, end = nullptr;
  RUNTIME(cudaEventCreate, &start);
  RUNTIME(cudaEventCreate, &end);
  auto result = medians(contestants, [&](const Work& work) {
    float milliseconds = 0;
    RUNTIME(cudaEventRecord, start, stream);
    work();
    RUNTIME(cudaEventRecord, end, stream);
    RUNTIME(cudaEventSynchronize, end);
    RUNTIME(cudaEventElapsedTime, &milliseconds, start, end);
    return milliseconds * 1e-3;
  });
  RUNTIME(cudaEventDestroy, start);
  RUNTIME(cudaEventDestroy, end);
  return result;
}

std::vector<double> seconds_a_call(cudaStream_t stream, const std::vector<Work>& contestants) {
  return medians(contestants, [&](const Work& work) {
    const auto before = std::chrono::steady_clock::now();
    for (int k = 0; k < batch; ++k) work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
    RUNTIME(cudaStreamSynchronize, stream);
    return taken.count() / batch;
  });
}

Table::Table() {
  std::printf("%-8s %-38s %-28s %10s %10s %8s %8s\n", "", "figure", "against", "eagle", "it", "ratio", "asked");
}

void Table::ratio(const std::string& figure, const std::string& against, double eagle, double baseline, double asked) {
  const double found = baseline / eagle;
  passed_ = passed_ && found >= asked;
  std::printf("%-8s %-38s %-28s %7.3f ms %7.3f ms %8.3f ", found >= asked ? "ok" : "FAILED", figure.c_str(), against.c_str(),
              eagle * 1e3, baseline * 1e3, found);
  std::printf(asked > 0 ? ">= %.2f\n" : "-\n", asked);
}

void Table::difference(const std::string& figure, const std::string& against, double eagle, double baseline, double asked) {
  const double more = (eagle - baseline) * 1e6;
  passed_ = passed_ && more <= asked;
  std::printf("%-8s %-38s %-28s %7.3f us %7.3f us %+8.3f <= %.2f us\n", more <= asked ? "ok" : "FAILED", figure.c_str(),
              against.c_str(), eagle * 1e6, baseline * 1e6, more, asked);
}

}  // namespace device_bench

int main(int count, char** words) {
  const int power = count > 1 ? std::atoi(words[1]) : 28;
  if (count > 2 || power < 10 || power > 30) {
    std::fprintf(stderr, "usage: device_bench [LOG2_SAMPLES], 10 to 30\n");
    return 2;
  }
  try {
    cudaStream_t stream = nullptr;
    RUNTIME(cudaSetDevice, 0);
    RUNTIME(cudaStreamCreate, &stream);
    device_bench::Table table;
    device_bench::bench_bandwidth(table, stream, std::int64_t{1} << power);
    device_bench::bench_launches(table, stream);
    return table.passed() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("FAILED   speed: %s\n", error.what());
    return 1;
  }
}
