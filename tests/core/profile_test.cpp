// SPDX-License-Identifier: Apache-2.0
// Profiles as files: what is kept, which setting is found, what is refused.
#include <eagle/profile.hpp>

#include "support.hpp"
#include "temporary_folder.hpp"

namespace {

using eagle::Code;
using eagle::Measurement;
using eagle::Profile;
using eagle::Setting;
using support::refusal;
using testing::AllOf;
using testing::HasSubstr;

Measurement measured(std::int64_t samples, Setting setting, const std::string& digest = "d", const std::string& device = "") {
  return {.plugin = "p",
          .digest = digest,
          .structure = device.empty() ? eagle::StructureKind::host_team : eagle::StructureKind::device_kernel,
          .device = device,
          .samples = samples,
          .setting = setting,
          .seconds = 0.25,
          .default_seconds = 1};
}
constexpr Setting dynamic = {.threads = 3, .schedule = eagle::Schedule::dynamic, .tile = std::int64_t{1} << 40};

TEST(Profile, SizeClassesArePowersOfTwo) {
  EXPECT_EQ(eagle::size_class(0), 0);
  EXPECT_EQ(eagle::size_class(1), 0);
  EXPECT_EQ(eagle::size_class(1023), 9);
  EXPECT_EQ(eagle::size_class(1024), 10);
  EXPECT_EQ(eagle::size_class(INT64_MAX), 62);
}

TEST(Profile, KeepsWhatWasWritten) {
  const TemporaryFolder folder;
  const auto file = folder / "new" / "profile.json";
  Profile profile{"a \"machine\"\n", {}};
  profile.put(measured(1000, dynamic));
  profile.put(measured(1000, {.block = 96}, "d", "a device"));
  write_profile(file, profile);
  const Profile read = eagle::read_profile(file);
  EXPECT_EQ(read.machine, profile.machine);
  ASSERT_EQ(read.measurements.size(), 2U);
  EXPECT_EQ(read.measurements[0].setting, dynamic);
  EXPECT_EQ(read.measurements[0].default_seconds, 1);
  EXPECT_EQ(read.measurements[1].setting.block, 96);
  EXPECT_EQ(read.measurements[1].device, "a device");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "new"), {}), 1);
}

TEST(Profile, HoldsOneMeasurementOfASizeClass) {
  Profile profile;
  profile.put(measured(1024, {.threads = 1}));
  profile.put(measured(2047, {.threads = 2}));
  profile.put(measured(2048, {.threads = 3}));
  profile.put(measured(1024, {.threads = 4}, "another build"));
  ASSERT_EQ(profile.measurements.size(), 3U);
  EXPECT_EQ(profile.measurements[0].setting.threads, 2);
  for (int k = 0; k < 2000; ++k) profile.put(measured(1, {.threads = 5}, std::to_string(k)));
  EXPECT_EQ(profile.measurements.size(), 1000U);
  EXPECT_EQ(profile.measurements.back().digest, "1999");
}

TEST(Profile, FindsTheNearestSizeClass) {
  const eagle::detail::Tuning tuning{
      "f", "", {measured(1 << 10, {.threads = 1}), measured(1 << 16, {.threads = 2}), measured(1, {.block = 64}, "d", "gpu")}};
  const auto threads = [&](std::int64_t n) { return tuning.at(eagle::StructureKind::host_team, "", n).threads; };
  EXPECT_EQ(threads(255), 0);
  EXPECT_EQ(threads(256), 1);
  EXPECT_EQ(threads(5000), 1);
  EXPECT_EQ(threads(1 << 13), 0);
  EXPECT_EQ(threads(1 << 14), 2);
  EXPECT_EQ(threads(1 << 19), 0);
  EXPECT_EQ(tuning.at(eagle::StructureKind::device_kernel, "gpu", 2).block, 64);
  EXPECT_EQ(tuning.at(eagle::StructureKind::device_kernel, "other", 2), Setting());
  EXPECT_FALSE(tuning.knows(eagle::StructureKind::device_kernel, "other"));
}

TEST(Profile, SettingsReadWell) {
  EXPECT_EQ(to_string(Setting()), "defaults");
  EXPECT_EQ(to_string(Setting{.threads = 1}), "threads=1, schedule=static");
  EXPECT_EQ(to_string(dynamic), "threads=3, schedule=dynamic, tile=1099511627776");
  EXPECT_EQ(to_string(Setting{.block = 64}), "block=64");
}

constexpr const char* good = R"({"format": "eagle-profile", "version": 1, "machine": "m", "measurements": [
  {"plugin": "p", "digest": "d", "structure": "host_team", "device": "", "samples": 5, "threads": 1, "schedule": "static",
   "tile": 0, "block": 0, "seconds": 0.5, "default_seconds": 0.5}]})";

class Broken : public testing::Test {
 protected:
  std::string refused(const std::string& from, const std::string& to, Code code = Code::argument) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return refusal(code, [&] { eagle::read_profile(write_bytes(folder_ / "p.json", text.replace(at, from.size(), to))); });
  }
  TemporaryFolder folder_;
};

TEST_F(Broken, IsNamedWithWhatIsAccepted) {
  EXPECT_EQ(eagle::read_profile(write_bytes(folder_ / "p.json", good)).measurements.size(), 1U);
  EXPECT_THAT(refused("{\"format\"", "{"), HasSubstr("p.json is no profile: "));
  EXPECT_THAT(refused("eagle-profile", "x"), AllOf(HasSubstr("/format"), HasSubstr("'eagle-profile' is accepted")));
  EXPECT_THAT(refused("\"version\": 1", "\"version\": 2", Code::unsupported), HasSubstr("this eagle reads version 1"));
  EXPECT_THAT(refused("\"version\": 1", "\"version\": \"1\""), HasSubstr("version must be an integer"));
  EXPECT_THAT(refused("\"host_team\"", "\"rank_partition\""), HasSubstr("host_team or device_kernel is accepted"));
  EXPECT_THAT(refused("\"static\"", "\"guided\""), HasSubstr("schedule is 'guided': static or dynamic is accepted"));
  EXPECT_THAT(refused("\"threads\": 1", "\"threads\": -1"), HasSubstr("threads is -1: 0 to 512 is accepted"));
  EXPECT_THAT(refused("\"tile\": 0", "\"tile\": 7"), HasSubstr("tile is 7: 0 to 0 is accepted"));
  EXPECT_THAT(refused("\"block\": 0", "\"block\": 1025"), HasSubstr("block is 1025"));
  EXPECT_THAT(refused("\"samples\": 5, ", ""), HasSubstr("samples is missing"));
  EXPECT_THAT(refused("\"seconds\": 0.5", "\"seconds\": \"0.5\""), HasSubstr("seconds is the string '0.5'"));
  EXPECT_THAT(refused("\"seconds\": 0.5", "\"seconds\": -0.5"), HasSubstr("a number of seconds is due"));
  EXPECT_THAT(refused("\"machine\": \"m\", ", ""), HasSubstr("machine is missing"));
  EXPECT_THAT(refused("[", "[7, "), HasSubstr("/measurements/0"));
}

TEST_F(Broken, FilesAreNamed) {
  EXPECT_THAT(refusal(Code::not_found, [&] { eagle::read_profile(folder_ / "none"); }), HasSubstr("none"));
  EXPECT_THAT(refusal(Code::io, [&] { eagle::read_profile(folder_.path()); }), HasSubstr("is no regular file"));
  EXPECT_THAT(refusal(Code::not_found, [&] { eagle::write_profile("/proc/none/p.json", {}); }), HasSubstr("/proc/none/p.json"));
  EXPECT_THAT(refusal(Code::argument, [&] { eagle::write_profile(folder_.path(), {}); }), HasSubstr("is no regular file"));
}

}  // namespace
