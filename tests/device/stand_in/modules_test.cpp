// SPDX-License-Identifier: Apache-2.0
// Images and launches of the stand-in.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "fixture.hpp"

namespace stand_in {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(StandIn, ModulesSayTheirKernelsAndGlobals) {
  CUmodule module = load(increment_ptx);
  CUfunction none = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&none, module, "nothing"), 500);
  const CUfunction sizes = function(module, "sizes");
  std::vector<std::size_t> found;
  std::size_t offset = 0, bytes = 0;
  for (std::size_t k = 0; cuFuncGetParamInfo(sizes, k, &offset, &bytes) == 0; ++k) found.insert(found.end(), {offset, bytes});
  EXPECT_THAT(found, ElementsAre(0, 40, 40, 1, 48, 8, 56, 8));
  int most = 0;
  EXPECT_EQ(cuFuncGetAttribute(&most, 0, sizes), 0);
  EXPECT_EQ(most, 64);
  CUdeviceptr address = 0;
  ASSERT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module, "eagle_layout_sizes"), 0);
  std::uint64_t layout[5] = {};
  ASSERT_EQ(bytes, sizeof layout);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(layout, address, bytes, stream), 0);
  EXPECT_THAT(layout, ElementsAre(40, 32, 32, 4, 24));
  ASSERT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module, "eagle_abi_tag"), 0);
  char tag[13] = {};
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(tag, address, bytes, stream), 0);
  EXPECT_STREQ(tag, "aether-abi/2");
}

TEST_F(StandIn, ImagesAreRefusedAsByTheDriver) {
  const auto refusal = [](const std::string& image) {
    CUmodule module = nullptr;
    char log[200] = "unwritten";
    int options[] = {5, 6};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const int result = cuModuleLoadDataEx(&module, image.c_str(), 2, options, values);
    return std::pair(result, std::string(log));
  };
  const std::string good = increment_ptx;
  EXPECT_EQ(refusal("rubbish").first, 200);
  EXPECT_THAT(refusal(good.substr(good.find(".target"))), testing::Pair(218, HasSubstr("Missing .version")));
  EXPECT_THAT(refusal(good + "{"), testing::Pair(218, HasSubstr("syntax error")));
  EXPECT_EQ(refusal(std::string(good).replace(good.find("8.0"), 3, "9.9")).first, 222);
  EXPECT_EQ(refusal(std::string(good).replace(good.find("sm_75"), 5, "sm_99")).first, 218);
  set_jit_log("as the test says");
  EXPECT_THAT(refusal(good + "{"), testing::Pair(218, "as the test says"));
}

TEST_F(StandIn, CubinsAndFatbinsAreRead) {
  for (const char* name : {"scale.cubin", "scale.fatbin"}) {
    std::ifstream file(std::string(EAGLE_TEST_DATA "/images/") + name, std::ios::binary);
    const std::string image(std::istreambuf_iterator<char>(file), {});
    CUmodule module = load(image.c_str());
    const CUfunction scale = function(module, "scale");
    std::vector<std::size_t> found;
    std::size_t bytes = 0;
    for (std::size_t k = 0; cuFuncGetParamInfo(scale, k, nullptr, &bytes) == 0; ++k) found.push_back(bytes);
    EXPECT_THAT(found, ElementsAre(32, 8, 8, 8, 8));
    CUfunction none = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&none, module, "$scale$scaled"), 500);
    CUdeviceptr address = 0;
    ASSERT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module, "eagle_layout_sizes"), 0);
    EXPECT_EQ(read(address, stream), 40);
    set_attribute(75, 8);
    EXPECT_EQ(cuModuleLoadDataEx(&module, image.c_str(), 0, nullptr, nullptr), 209);
    set_attribute(75, 9);
  }
}

TEST_F(StandIn, LaunchesAreCheckedAndRecorded) {
  const CUfunction kernel = function(load(increment_ptx), "increment");
  CUdeviceptr data = device();
  std::uint32_t count = 3;
  void* params[] = {&data, &count};
  const auto geometry = [&](unsigned grid, unsigned block) {
    return cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 0, stream, params, nullptr);
  };
  EXPECT_EQ(geometry(0, 1), 1);
  EXPECT_EQ(geometry(1, 0), 1);
  EXPECT_EQ(geometry(1, 1025), 1);
  EXPECT_EQ(geometry(0x80000000U, 1), 1);
  EXPECT_EQ(geometry(2, 32), 0);
  count = 4;
  const std::vector<Launch> found = launches();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel, "increment");
  EXPECT_EQ(found[0].threads(), 64U);
  EXPECT_EQ(found[0].stream, stream);
  EXPECT_EQ(static_cast<int>(found[0].params[1][0]), 3);
  EXPECT_EQ(found[0].executions, 0);
  ASSERT_EQ(cuStreamSynchronize(stream), 0);
  EXPECT_EQ(launches()[0].executions, 1);
  EXPECT_EQ(calls("cuLaunchKernel increment 2 x 1 x 1 blocks of 32").size(), 1U);
}

}  // namespace
}  // namespace stand_in
