// SPDX-License-Identifier: Apache-2.0
// Plans with a profile: results keep their bits under every setting, and a profile that is about something else is left aside.
#include <stdlib.h>

#include <set>
#include <thread>

#include <eagle/eagle.hpp>

#include "core/temporary_folder.hpp"
#include "profiles.hpp"
#include "support.hpp"

namespace {

using eagle::Code;
using eagle::Schedule;
using eagle::Setting;
using support::refusal;
using testing::HasSubstr;
using testing::IsEmpty;

eagle::Plugin plugin(const std::string& name) { return eagle::load(support::bundle(name)).only(); }

constexpr Setting settings[] = {{},
                                {.threads = 1},
                                {.threads = 2},
                                {.threads = 512},
                                {.schedule = Schedule::dynamic},
                                {.threads = 2, .schedule = Schedule::dynamic, .tile = 1},
                                {.threads = 2, .schedule = Schedule::dynamic, .tile = 1009},
                                {.threads = 7, .schedule = Schedule::dynamic, .tile = 64},
                                {.threads = 2, .schedule = Schedule::dynamic, .tile = std::int64_t{1} << 40}};

class Profiles : public testing::Test {
 protected:
  std::filesystem::path profile_of(const eagle::Plugin& plugin, std::int64_t samples, const Setting& setting) {
    return support::profile_of(folder_ / "p.json", plugin, samples, setting);
  }
  std::string ignored(const eagle::Plugin& plugin, const std::filesystem::path& profile) {
    const auto observer = std::make_shared<support::Ignored>();
    const auto made = eagle::plan(plugin, {.structure = eagle::host_team(), .profile = profile, .observer = observer});
    if (!observer->text.empty()) {
      EXPECT_THAT(made.describe(), HasSubstr(observer->text));
    }
    return observer->text;
  }
  /// Every output under every setting and cut against one thread, whole, with no profile.
  void expect_one_answer(const std::string& name, std::int64_t n, const eagle::Values& values) {
    const eagle::Plugin body = plugin(name);
    const auto due = eagle::plan(body, {.structure = eagle::host_team({.threads = 1}), .n_samples = n}).run(values);
    for (const Setting& setting : settings)
      for (const std::int64_t parts : {1, 3}) {
        const auto got = eagle::plan(body, {.structure = eagle::host_team(),
                                            .npartitions = parts,
                                            .n_samples = n,
                                            .profile = profile_of(body, n / parts, setting)})
                             .run(values);
        for (const auto& output : due.outputs()) {
          const auto bytes = static_cast<std::size_t>(output.array.bytes());
          ASSERT_EQ(std::memcmp(output.array.data, got.array(output.name).data, bytes), 0)
              << name << " '" << output.name << "' with " << to_string(setting) << ", " << parts << " parts";
        }
      }
  }
  void TearDown() override { ::unsetenv("EAGLE_PROFILE"); }
  TemporaryFolder folder_;
};

TEST_F(Profiles, NeverChangeABit) {
  for (const std::int64_t n : {1, 1000, 300007}) {
    const auto count = static_cast<std::size_t>(n);
    auto x = support::uniforms(count, 1), y = support::uniforms(count, 2), table = support::uniforms(100, 3);
    std::vector<float> xf(x.begin(), x.end());
    std::vector<std::int64_t> k(count);
    for (std::size_t i = 0; i < count; ++i) k[i] = static_cast<std::int64_t>(support::mixed(i) % table.size());
    expect_one_answer("axpy", n, {{"x", eagle::view(x)}, {"a", 2.0}, {"b", -1.5}});
    expect_one_answer("newton", n, {{"x", eagle::view(x)}});
    expect_one_answer("gather", n, {{"k", eagle::view(k)}, {"table", eagle::view(table)}});
    expect_one_answer("root_dot", n, {{"x", eagle::view(x)}, {"y", eagle::view(y)}});
    expect_one_answer("asumf", n, {{"x", eagle::view(xf)}});
    expect_one_answer("maximum", n, {{"x", eagle::view(x)}});
    expect_one_answer("sum_index", n, {});
  }
}

/// How many threads took part in a run whose samples each take a while.
std::size_t threads_of(const eagle::PlanOptions& options) {
  const eagle::Plugin body = eagle::load(std::string(EAGLE_OWN_BUNDLES) + "/who").only();
  std::vector<std::int64_t> who(64);
  eagle::plan(body, options).run({{"who", eagle::view(who)}, {"microseconds", 200}});
  return std::set(who.begin(), who.end()).size();
}

TEST_F(Profiles, SetWhatTheStructureLeavesOpen) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core has one team";
  const eagle::Plugin body = eagle::load(std::string(EAGLE_OWN_BUNDLES) + "/who").only();
  const auto profile = profile_of(body, 64, {.threads = 1});
  EXPECT_GE(threads_of({.structure = eagle::host_team()}), 2U);
  EXPECT_EQ(threads_of({.structure = eagle::host_team(), .profile = profile}), 1U);
  EXPECT_EQ(threads_of({.structure = eagle::host_team({.threads = 2}), .profile = profile}), 2U);
  ::setenv("EAGLE_PROFILE", profile.c_str(), 1);
  EXPECT_EQ(threads_of({.structure = eagle::host_team()}), 1U);
  EXPECT_EQ(threads_of({.structure = eagle::host_team(), .profile = "auto"}), 1U);
  EXPECT_GE(threads_of({.structure = eagle::host_team(), .profile = profile_of(body, 64, {})}), 2U);
}

TEST_F(Profiles, OfSomethingElseAreIgnoredWithALine) {
  const eagle::Plugin axpy = plugin("axpy");
  EXPECT_THAT(ignored(axpy, profile_of(axpy, 64, {.threads = 1})), IsEmpty());
  EXPECT_THAT(ignored(plugin("newton"), folder_ / "p.json"),
              HasSubstr("p.json is ignored: it says nothing of plugin 'newton'"));
  const auto edited = [&](auto edit) {
    eagle::Profile profile = eagle::read_profile(profile_of(axpy, 64, {}));
    edit(profile);
    eagle::write_profile(folder_ / "p.json", profile);
    return folder_ / "p.json";
  };
  EXPECT_THAT(ignored(axpy, edited([](eagle::Profile& p) { p.machine = "another one"; })),
              HasSubstr("it was measured on 'another one', and this machine is '" + eagle::machine() + "'"));
  EXPECT_THAT(ignored(axpy, edited([](eagle::Profile& p) { p.measurements[0].digest = "of another build"; })),
              HasSubstr("it is stale, measured with another build of plugin 'axpy'"));
  write_bytes(folder_ / "p.json", R"({"format": "eagle-profile", "version": 2})");
  EXPECT_THAT(ignored(axpy, folder_ / "p.json"), HasSubstr("it is of version 2"));
}

TEST_F(Profiles, ThatAreNamedMustBeThere) {
  const auto planned = [&](const std::filesystem::path& profile) {
    eagle::plan(plugin("axpy"), {.structure = eagle::host_team(), .profile = profile});
  };
  EXPECT_THAT(refusal(Code::not_found, [&] { planned(folder_ / "none.json"); }), HasSubstr("none.json"));
  write_bytes(folder_ / "p.json", "{");
  EXPECT_THAT(refusal(Code::argument, [&] { planned(folder_ / "p.json"); }), HasSubstr("p.json is no profile"));
  ::setenv("EAGLE_PROFILE", (folder_ / "p.json").c_str(), 1);
  EXPECT_THAT(ignored(plugin("axpy"), "auto"), HasSubstr("is no profile"));
  ::setenv("EAGLE_PROFILE", (folder_ / "none.json").c_str(), 1);
  EXPECT_THAT(ignored(plugin("axpy"), ""), HasSubstr("none.json is ignored"));
}

TEST_F(Profiles, LieWhereTheEnvironmentSays) {
  ::setenv("EAGLE_PROFILE", "/a/file", 1);
  EXPECT_EQ(eagle::profile_path(), "/a/file");
  ::unsetenv("EAGLE_PROFILE");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_THAT(eagle::profile_path().string(), testing::MatchesRegex("/cache/eagle/profiles/[0-9a-f]+\\.json"));
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/me", 1);
  EXPECT_THAT(eagle::profile_path().string(), testing::StartsWith("/home/me/.cache/eagle/profiles/"));
}

}  // namespace
