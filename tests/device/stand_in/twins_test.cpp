// SPDX-License-Identifier: Apache-2.0
// Plugins and eagle's own kernels, run by the stand-in as their host twins. Values are arithmetic.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "fixture.hpp"

namespace stand_in {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Bundles : public StandIn {
 protected:
  struct Box {
    CUdeviceptr data;
    std::uint64_t samples, stride;
    std::int32_t type, device;
  };

  void SetUp() override {
    StandIn::SetUp();
    twins(EAGLE_TEST_BUNDLES);
    std::ifstream file(EAGLE_TEST_BUNDLES "/axpy/axpy.ptx");
    if (!file) GTEST_SKIP() << "the worked plugins were built without nvcc";
    axpy = function(load(std::string(std::istreambuf_iterator<char>(file), {}).c_str()), "axpy");
  }
  /// Launches y = 2.5 x - 1.5 on the samples from base on.
  int run(Box y, Box x, std::int64_t base, std::int64_t count, unsigned blocks) {
    double a = 2.5, b = -1.5;
    std::int64_t n = static_cast<std::int64_t>(x.samples);
    void* params[] = {&y, &x, &a, &b, &base, &count, &n};
    return cuLaunchKernel(axpy, blocks, 1, 1, 4, 1, 1, 0, stream, params, nullptr);
  }

  CUfunction axpy = nullptr;
};

TEST_F(Bundles, APluginRunsAsItsHostTwin) {
  constexpr std::size_t n = 10;
  double x[n], y[n];
  for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<double>(k);
  const Box in{device(sizeof x), n, 1, 2, 0}, out{device(sizeof y), n, 1, 2, 0};
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(in.data, x, sizeof x, stream), 0);
  ASSERT_EQ(run(out, in, 3, 6, 2), 0);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(y, out.data, sizeof y, stream), 0);
  for (std::size_t k = 0; k < n; ++k)
    if (k >= 3 && k < 9) EXPECT_EQ(y[k], 2.5 * static_cast<double>(k) - 1.5);
    else EXPECT_TRUE(std::isnan(y[k])) << k;

  ASSERT_EQ(run(out, in, 0, 10, 2), 0);  // 8 threads
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(y, out.data, sizeof y, stream), 0);
  EXPECT_EQ(y[0], -1.5);
  EXPECT_TRUE(std::isnan(y[9]));
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("8 threads for 10 samples")));
}

TEST_F(Bundles, HostMemoryInABoxIsAFault) {
  double x[8] = {};
  const Box in{reinterpret_cast<CUdeviceptr>(x), 8, 1, 2, 0}, out{device(sizeof x), 8, 1, 2, 0};
  ASSERT_EQ(run(out, in, 0, 8, 2), 0);
  EXPECT_EQ(cuStreamSynchronize(stream), 700);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("which a device cannot reach")));
}

TEST_F(Bundles, ABoxMayStandBeforeItsMemory) {
  constexpr std::int64_t base = 1 << 20;
  const double x[] = {1.0, 2.0};
  double y[2] = {};
  const Box in{device(sizeof x), base + 2, 1, 2, 0}, out{device(sizeof y), base + 2, 1, 2, 0};
  const auto before = [](Box box) {
    box.data -= base * sizeof(double);
    return box;
  };
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(in.data, x, sizeof x, stream), 0);
  ASSERT_EQ(run(before(out), before(in), base, 2, 1), 0);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(y, out.data, sizeof y, stream), 0);
  EXPECT_THAT(y, ElementsAre(1.0, 3.5));
}

TEST_F(StandIn, EaglesOwnKernelsRun) {
  const CUfunction fill = function(load(".version 8.0 .target sm_80 .address_size 64 .visible .entry eagle_fill_8("
                                        ".param .u64 data, .param .u64 count, .param .u64 pattern) { ret; }"),
                                   "eagle_fill_8");
  CUdeviceptr data = device(24);
  std::uint64_t count = 2, pattern = 7, values[3] = {};
  void* params[] = {&data, &count, &pattern};
  ASSERT_EQ(cuLaunchKernel(fill, 2, 1, 1, 256, 1, 1, 0, stream, params, nullptr), 0);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(values, data, sizeof values, stream), 0);
  EXPECT_THAT(values, ElementsAre(7, 7, ~std::uint64_t{0}));
  ASSERT_EQ(cuLaunchKernel(fill, 2, 1, 1, 128, 1, 1, 0, stream, params, nullptr), 0);
  ASSERT_EQ(cuStreamSynchronize(stream), 0);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("other blocks than 256 threads")));
}

TEST_F(StandIn, AKernelWithoutATwinFails) {
  const CUfunction sizes = function(load(".version 8.0 .target sm_80 .entry unheard_of() { ret; }"), "unheard_of");
  ASSERT_EQ(cuLaunchKernel(sizes, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr), 0);
  EXPECT_EQ(cuStreamSynchronize(stream), 719);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("no host twin was found for unheard_of")));
}

}  // namespace
}  // namespace stand_in
