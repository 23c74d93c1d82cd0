// SPDX-License-Identifier: Apache-2.0
// Every bundle with a device artifact gives HostTeam's bits: in any partitions, with host arrays that are staged and with
// arrays that lie on the device, given or made.
#include "identity.hpp"
#include "folder.hpp"

namespace {

using namespace bed;

/// On the second device, so that what takes the first by mistake shows.
void expect_hosts_bits(const eagle::Plugin& plugin, std::int64_t n, bool all) {
  const Run expected = run(on_host(plugin, {.n_samples = n}), Inputs(plugin, n, all));
  ASSERT_FALSE(expected.outputs.empty() && expected.arrays.empty());
  for (const auto& cut : cuts_of(plugin, n)) {
    const std::string what = plugin.id() + ", n " + std::to_string(n) + ", " + std::to_string(cut.size()) + " parts";
    const auto plan = [&](bool staging) { return on_device(plugin, {.partitions = cut}, {.device = 1, .staging = staging}); };
    expect_same(run(plan(true), Inputs(plugin, n, all)), expected, what + ", staged");
    Inputs there(plugin, n, all);
    there.move_to(1);
    expect_same(run(plan(false), std::move(there)), expected, what + ", on the device");
  }
}

class Identity : public Device {};

TEST_F(Identity, OfEveryWorkedBundle) {
  const auto plugins = plugins_below(EAGLE_TEST_BUNDLES);
  ASSERT_GE(plugins.size(), 24U);
  for (const eagle::Plugin& plugin : plugins)
    for (const std::int64_t n : {0, 1, 67, 1021})
      for (const bool all : {false, true})
        if (all || n != 67) expect_hosts_bits(plugin, n, all);
}

TEST_F(Identity, OfBundlesOfOthers) {
  stand_in::twins(EAGLE_TEST_DATA "/bundles");
  const auto plugins = plugins_below(EAGLE_TEST_DATA "/bundles");
  ASSERT_EQ(plugins.size(), 2U);
  for (const eagle::Plugin& plugin : plugins)
    for (const std::int64_t n : {0, 1, 67, 1021}) expect_hosts_bits(plugin, n, true);
}

/// Cubins and fatbins, other types, counters and two accumulate outputs.
TEST_F(Identity, OfOtherFormatsAndKinds) {
  auto plugins = plugins_below(EAGLE_OWN_BUNDLES);
  ASSERT_EQ(plugins.size(), 3U);
  for (const char* name : {"axpy_cubin", "axpy_fatbin"})
    plugins.push_back(eagle::load(std::filesystem::path(EAGLE_VARIANTS) / name).only());
  for (const eagle::Plugin& plugin : plugins)
    for (const std::int64_t n : {1, 1021})
      for (const bool all : {false, true}) expect_hosts_bits(plugin, n, all);
}

TEST_F(Identity, ACounterAndAMaskAreWrittenBack) {
  std::vector<std::int64_t> left = {1, 2, 1, 3};
  std::vector<std::uint8_t> done = {0, 0, 1, 0};
  std::vector<std::uint32_t> count = {10};
  on_device(eagle::load(std::filesystem::path(EAGLE_OWN_BUNDLES) / "retire").only(), {.npartitions = 3}, {.staging = true})
      .run({{"left", view(left)}, {"done", view(done)}, {"finished_count", view(count)}});
  EXPECT_THAT(left, testing::ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(done, testing::ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(count, testing::ElementsAre(11));
}

/// An artifact of the first ABI: one whole view, and no partition triple.
TEST_F(Identity, OfTheFirstAbi) {
  const Folder folder;
  write_file(folder.path() / "scale.ptx",
             ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry scale(.param .align 8 .b8 x[32], "
             ".param .align 8 .b8 y[32], .param .f64 factor) { ret; }\n");
  write_file(folder.path() / "scale.json",
             R"({"format": "ptx", "schema_version": 1, "pattern": "pure", "aether_abi": "aether-abi/1",
                 "scalar_type": "float64", "kernel": "scale", "per_sample": ["x"], "vector_inputs": [], "params": ["factor"],
                 "mutables": [{"name": "y", "dtype": "float", "width": 1}],
                 "arg_spec": [["per_sample", "x"], ["mutable", "y"], ["uniform", "factor"]]})");
  write_file(folder.path() / "manifest.json",
             R"({"schema_version": 1, "pattern": "pure", "aether_abi": "aether-abi/1", "plugins": [{"id": "scale", "order": 0,
                 "enabled": true, "artifact": "scale.ptx", "sidecar": "scale.json", "format": "ptx"}]})");
  stand_in::twin("scale", [](void* const* params, const stand_in::Launch&) {
    const auto& x = *static_cast<const ScalarHandle*>(params[0]);
    const auto& y = *static_cast<const ScalarHandle*>(params[1]);
    for (std::uint64_t i = 0; i < x.samples; ++i)
      static_cast<double*>(y.data)[i] = *static_cast<const double*>(params[2]) * static_cast<const double*>(x.data)[i];
  });
  const eagle::Plugin scale = eagle::load(folder.path()).only();
  std::vector<double> x = {1, 2, 3}, y(3);
  on_device(scale, {}, {.staging = true}).run({{"x", view(x)}, {"y", view(y)}, {"factor", 2.0}});
  EXPECT_THAT(y, testing::ElementsAre(2, 4, 6));
  ASSERT_EQ(stand_in::launches("scale").size(), 1U);
  EXPECT_EQ(stand_in::launches("scale")[0].params.size(), 3U);
  EXPECT_THAT(refusal(Code::placement, [&] { on_device(scale, {.npartitions = 2}); }), HasSubstr("whole view"));
  const Memory two(x);
  eagle::ArrayView huge = two.view(eagle::DType::float64, {2});
  huge.shape = {std::int64_t{1} << 31};
  EXPECT_THAT(refusal(Code::limit, [&] { static_cast<void>(on_device(scale).bind({{"x", huge}, {"factor", 1.0}})); }),
              HasSubstr("int32"));
}

}  // namespace
