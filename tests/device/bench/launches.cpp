// SPDX-License-Identifier: Apache-2.0
// What the host spends on a launch: bound by eagle, and by the driver's own call with the same kernel and parameters.
#include <eagle/abi.h>

#include "bench.hpp"
#include "driver.hpp"

namespace device_bench {

void bench_launches(Table& table, cudaStream_t stream) {
  constexpr std::int64_t n = 64;
  const eagle::Plugin plugin = worked("axpy");
  const auto device = eagle::device_kernel({.stream = stream});
  const eagle::Array x = device->memory().make(eagle::DType::float64, {n});
  const eagle::Array y = device->memory().make(eagle::DType::float64, {n});
  auto bound = eagle::plan(plugin, {.structure = device}).bind({{"x", x.view()}, {"y", y.view()}, {"a", 2.0}, {"b", 1.0}});

  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CALL(cuModuleLoadDataEx, &module, plugin.device_image().c_str(), 0, nullptr, nullptr);
  CALL(cuModuleGetFunction, &function, module, plugin.declaration().kernel.c_str());
  const auto box = [](const eagle::Array& plane) { return ScalarHandle{plane.view().data, n, 1, EAGLE_DEVICE_CUDA, 0}; };
  ScalarHandle to = box(y), from = box(x);
  double a = 2, b = 1;
  long long base = 0, samples = n;
  void* params[] = {&to, &from, &a, &b, &base, &samples, &samples};
  const auto launch = device_check::driver_function("cuLaunchKernel", static_cast<decltype(&cuLaunchKernel)>(nullptr));
  const auto raw = [&] { launch(function, 1, 1, 1, n, 1, 1, 0, stream, params, nullptr); };

  const auto times = seconds_a_call(stream, {[&] { bound.launch(); }, raw});
  table.difference("launch() of a bound plan, 64 samples", "cuLaunchKernel", times[0], times[1], 1);
  CALL(cuModuleUnload, module);
}

}  // namespace device_bench
