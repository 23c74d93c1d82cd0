// SPDX-License-Identifier: Apache-2.0
// RankPartition over a device, with the one rank that a process without a launcher is.
#include "inputs.hpp"

namespace {

using namespace bed;

class OneRank : public Device {
 protected:
  void SetUp() override {
    Device::SetUp();
    if (IsSkipped()) return;
    for (const auto& info : eagle::structures())
      if (info.kind == eagle::StructureKind::rank_partition && !info.built) GTEST_SKIP() << info.detail;
  }
  static eagle::Plan on_rank(const eagle::Plugin& body, eagle::PlanOptions options, bool staging = true) {
    options.structure = eagle::rank_partition(eagle::device_kernel({.staging = staging}));
    return eagle::plan(body, std::move(options));
  }
};

TEST_F(OneRank, GivesTheHostsBits) {
  for (const char* name : {"axpy", "matvec3", "outer3", "countdown", "dot", "maximum", "product", "sum_index", "gather"})
    for (const std::int64_t n : {0, 1, 1021}) {
      const eagle::Plugin body = plugin(name);
      const Inputs inputs(body, n);
      const auto expected = contents(on_host(body, {.n_samples = n}).run(inputs.values()));
      for (auto& cut : support::cuts(n))
        EXPECT_EQ(contents(on_rank(body, {.partitions = cut, .n_samples = n}).run(inputs.values())), expected)
            << name << ", n " << n << ", " << cut.size() << " parts";
    }
}

TEST_F(OneRank, OfDeviceArraysOnAStream) {
  const Stream stream;
  const OnDevice<double> x(std::vector<double>(3000, 1.0));
  auto bound = on_rank(plugin("dot"), {.npartitions = 2}, false).bind({{"x", x}, {"y", x}});
  bound.launch(stream);
  EXPECT_EQ(bound.result().value<double>("total"), 3000.0);
  EXPECT_EQ(stand_in::launches("dot")[0].stream, stream.handle());
}

TEST_F(OneRank, SumsCounters) {
  std::vector<std::int64_t> left = {1, 2, 1, 1};
  std::vector<std::uint32_t> count = {5};
  on_rank(eagle::load(std::filesystem::path(EAGLE_OWN_BUNDLES) / "retire").only(), {.npartitions = 2})
      .run({{"left", view(left)}, {"finished_count", view(count)}});
  EXPECT_THAT(count, testing::ElementsAre(8));
}

TEST_F(OneRank, FaultsNameEverything) {
  const OnDevice<double> x(std::vector<double>(10, 1.0));
  stand_in::fail("dot", 1, 700);
  EXPECT_THAT(refusal(Code::body,
                      [&] { static_cast<void>(on_rank(plugin("dot"), {.npartitions = 2}, false).run({{"x", x}, {"y", x}})); }),
              AllOf(HasSubstr("plugin 'dot'"), HasSubstr("cuda:0"), HasSubstr("cuStreamSynchronize")));
  fresh();
}

}  // namespace
