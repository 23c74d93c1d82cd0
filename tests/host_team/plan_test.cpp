// SPDX-License-Identifier: Apache-2.0
// What plan() refuses, in which order, and how a plan explains itself.
#include <eagle/eagle.hpp>

#include "support.hpp"

namespace {

using eagle::Code;
using support::refusal;
using testing::HasSubstr;

eagle::Plugin plugin(const std::string& name) { return eagle::load(support::bundle(name)).only(); }

TEST(Plan, NeedsAStructure) {
  EXPECT_THAT(refusal(Code::placement, [] { eagle::plan(plugin("axpy"), {}); }), HasSubstr("no structure is given"));
}

TEST(Plan, RefusesByLegalityBeforeAnythingElse) {
  EXPECT_THAT(refusal(Code::placement,
                      [] { eagle::plan(plugin("histogram"), {.structure = eagle::device_group(), .npartitions = 2}); }),
              HasSubstr("single-device structures only"));
  EXPECT_THAT(
      refusal(Code::placement, [] { eagle::plan(plugin("histogram"), {.structure = eagle::host_team(), .npartitions = 2}); }),
      HasSubstr("'cross_sample_write'"));
  const auto missing = eagle::not_built(eagle::StructureKind::device_group, "configure eagle with -DEAGLE_NCCL=ON");
  EXPECT_THAT(refusal(Code::placement, [&] { eagle::plan(plugin("histogram"), {.structure = missing}); }),
              HasSubstr("single-device structures only"));
  EXPECT_THAT(refusal(Code::not_built, [&] { eagle::plan(plugin("axpy"), {.structure = missing}); }),
              HasSubstr("device_group was not built into this eagle: configure eagle with -DEAGLE_NCCL=ON"));
}

TEST(Plan, RefusesPartitionsThatDoNotTile) {
  const auto with = [](eagle::PlanOptions options) {
    options.structure = eagle::host_team();
    return refusal(Code::partition, [&] { eagle::plan(plugin("axpy"), options); });
  };
  EXPECT_THAT(with({.partitions = {{0, 3, 10}, {4, 6, 10}}}), HasSubstr("plugin 'axpy': partition 1 is (4, 6, 10)"));
  EXPECT_THAT(with({.npartitions = 0}), HasSubstr("npartitions is 0"));
  EXPECT_THAT(with({.npartitions = -1}), HasSubstr("npartitions is -1"));
  EXPECT_THAT(with({.npartitions = std::int64_t{1} << 60}), HasSubstr("1 to 16777216 are accepted"));
  EXPECT_THAT(with({.partitions = {{0, 10, 10}}, .npartitions = 2}), HasSubstr("give one"));
  EXPECT_THAT(with({.partitions = {{0, 10, 10}}, .n_samples = 11}), HasSubstr("n_samples is 11"));
  EXPECT_THAT(with({.n_samples = -1}), HasSubstr("n_samples is -1"));
}

TEST(Plan, CombineBelongsToMapreduce) {
  EXPECT_THAT(refusal(Code::placement, [] { eagle::plan(plugin("axpy"), {.structure = eagle::host_team(), .combine = true}); }),
              HasSubstr("only a mapreduce combines"));
}

TEST(Plan, LayoutsNameArguments) {
  EXPECT_THAT(
      refusal(Code::argument,
              [] { eagle::plan(plugin("axpy"), {.structure = eagle::host_team(), .layout = {{"z", eagle::Layout::sample}}}); }),
      HasSubstr("layout names 'z'"));
}

TEST(Plan, TeamsRefuseWhatCannotBe) {
  EXPECT_THAT(refusal(Code::argument, [] { eagle::host_team({.threads = -1}); }), HasSubstr("threads is -1"));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::host_team({.threads = 1 << 20}); }), HasSubstr("threads is 1048576"));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::host_team({.threads = 513}); }), HasSubstr("1 to 512"));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::host_team({.schedule = eagle::Schedule::dynamic, .tile = -5}); }),
              HasSubstr("tile is -5"));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::host_team({.tile = 64}); }), HasSubstr("needs schedule=dynamic"));
}

TEST(Plan, LayoutsAreForPlanes) {
  EXPECT_THAT(
      refusal(Code::argument,
              [] { eagle::plan(plugin("axpy"), {.structure = eagle::host_team(), .layout = {{"a", eagle::Layout::sample}}}); }),
      HasSubstr("no vector or matrix argument"));
}

TEST(Plan, ExplainsItself) {
  const auto plan = eagle::plan(plugin("axpy"), {.structure = eagle::host_team({.threads = 2}), .npartitions = 7});
  EXPECT_THAT(plan.describe(), HasSubstr("host_team(threads=2, schedule=static)"));
  EXPECT_THAT(plan.describe(), HasSubstr("7 even parts"));
  EXPECT_THAT(plan.describe(), HasSubstr("'sample_local' is legal on every structure"));
}

TEST(Plan, ShowsTheFirstOfManyPartitions) {
  std::vector<eagle::Partition> parts;
  for (std::int64_t k = 0; k < 2000; ++k) parts.push_back({k, 1, 2000});
  const auto plan = eagle::plan(plugin("axpy"), {.structure = eagle::host_team(), .partitions = parts});
  EXPECT_THAT(plan.describe(), HasSubstr("2000 given (0, 1, 2000) (1, 1, 2000) "));
  EXPECT_THAT(plan.describe(), HasSubstr("(15, 1, 2000) and 1984 more\n"));
}

TEST(Plan, OneBundleOnePlugin) {
  const eagle::Bundle bundle = eagle::load(support::bundle("axpy"));
  EXPECT_THAT(refusal(Code::argument, [&] { static_cast<void>(bundle.at("axpi")); }), HasSubstr("it holds 'axpy'"));
  EXPECT_THAT(refusal(Code::not_found, [] { eagle::load("/nonexistent/bundle"); }), HasSubstr("/nonexistent/bundle"));
}

}  // namespace
