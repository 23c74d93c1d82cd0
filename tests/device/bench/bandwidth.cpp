// SPDX-License-Identifier: Apache-2.0
// What is bound by the device's memory: a map, folds of a plane, a mapreduce.
#include <algorithm>
#include <stdexcept>

#include <eagle/cuda_fold.hpp>

#include "bench.hpp"
#include "cub_sum.hpp"

namespace device_bench {
namespace {

std::string of_size(const std::string& what, std::int64_t n) {
  int power = 0;
  while ((std::int64_t{1} << power) < n) ++power;
  return what + ", 2^" + std::to_string(power);
}

/// An array on the device, all of one number.
eagle::Array filled(const eagle::Memory& memory, eagle::DType dtype, std::int64_t n, double number) {
  eagle::Array array = memory.make(dtype, {n});
  memory.fill(array.view(), number);
  return array;
}

void same(double found, double expected) {
  if (found != expected)
    throw std::runtime_error("a sum is " + std::to_string(found) + ", and " + std::to_string(expected) + " is due");
}

void bench_map(Table& table, const eagle::StructurePtr& device, cudaStream_t stream, std::int64_t n) {
  const eagle::Array x = filled(device->memory(), eagle::DType::float64, n, 1.5);
  const eagle::Array y = filled(device->memory(), eagle::DType::float64, n, 0);
  auto bound =
      eagle::plan(worked("axpy"), {.structure = device}).bind({{"x", x.view()}, {"y", y.view()}, {"a", 2.0}, {"b", 1.0}});
  const auto copy = [&] {
    RUNTIME(cudaMemcpyAsync, y.view().data, x.view().data, static_cast<std::size_t>(x.view().bytes()), cudaMemcpyDeviceToDevice,
            stream);
  };
  const auto times = seconds_on(stream, {[&] { bound.launch(); }, copy});
  table.ratio(of_size("map y = a x + b, float64", n), "a device-to-device copy", times[0], times[1], 0.95);
}

template <class T>
void bench_fold(Table& table, const eagle::StructurePtr& device, cudaStream_t stream, std::int64_t n) {
  using Fold = eagle::detail::CudaFold<T>;
  const eagle::Array x = filled(device->memory(), eagle::dtype_of<T>(), n, 0.5);
  const auto* const samples = x.data<T>();
  Fold fold(0, stream, eagle::Op::sum, eagle::Precision::working, 0, n);
  Fold careful(0, stream, eagle::Op::sum, eagle::Precision::compensated, 0, n);
  CubSum<T> cub(n);
  const auto queue = [&](Fold& which) {
    for (std::int64_t first = 0; first < n; first += Fold::tile_samples)
      which.queue(samples + first, first, std::min(Fold::tile_samples, n - first));
  };
  const auto times = seconds_on(stream, {[&] { queue(fold); }, [&] { queue(careful); }, [&] { cub.queue(samples, stream); }});
  same(fold.finish().finish(n), 0.5 * static_cast<double>(n));
  same(cub.value(), 0.5 * static_cast<double>(n));
  const std::string type(name(eagle::dtype_of<T>()));
  table.ratio(of_size("fold of a plane, " + type, n), "cub::DeviceReduce::Sum", times[0], times[2], 0.95);
  table.ratio(of_size("the same, compensated", n), "cub::DeviceReduce::Sum", times[1], times[2], 0);
}

void bench_mapreduce(Table& table, const eagle::StructurePtr& device, cudaStream_t stream, std::int64_t n) {
  const eagle::Array x = filled(device->memory(), eagle::DType::float64, n, 0.5);
  const eagle::Array y = filled(device->memory(), eagle::DType::float64, n, 2);
  const eagle::Array plane = device->memory().make(eagle::DType::float64, {n});
  const eagle::Plugin dot = worked("dot");
  auto folded = eagle::plan(dot, {.structure = device}).bind({{"x", x.view()}, {"y", y.view()}});
  auto body = eagle::plan(dot, {.structure = device, .combine = false})
                  .bind({{"x", x.view()}, {"y", y.view()}, {"total", plane.view()}});
  CubSum<double> cub(n);
  const auto body_and_cub = [&] {
    body.launch();
    cub.queue(plane.data<double>(), stream);
  };
  const auto times = seconds_on(stream, {[&] { folded.launch(); }, body_and_cub});
  same(folded.result().value<double>("total"), static_cast<double>(n));
  same(cub.value(), static_cast<double>(n));
  table.ratio(of_size("mapreduce of a plugin, sum of x y", n), "the body, then cub", times[0], times[1], 0);
}

}  // namespace

void bench_bandwidth(Table& table, cudaStream_t stream, std::int64_t n) {
  const auto device = eagle::device_kernel({.stream = stream});
  bench_map(table, device, stream, n);
  bench_fold<double>(table, device, stream, n);
  bench_fold<float>(table, device, stream, n);
  bench_mapreduce(table, device, stream, n);
}

}  // namespace device_bench
