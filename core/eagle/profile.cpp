// SPDX-License-Identifier: Apache-2.0
#include <eagle/profile.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <tuple>
#include <utility>

#include <eagle/digest.hpp>
#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace fs = std::filesystem;

std::string to_string(const Setting& setting) {
  if (setting == Setting()) return "defaults";
  if (setting.block > 0) return fmt::format("block={}", setting.block);
  std::string text = setting.threads > 0 ? fmt::format("threads={}, ", setting.threads) : "";
  text += fmt::format("schedule={}", name(setting.schedule));
  return setting.tile > 0 ? fmt::format("{}, tile={}", text, setting.tile) : text;
}

int size_class(std::int64_t samples) noexcept {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(samples, 1))) - 1;
}

void Profile::put(Measurement measurement) {
  const auto key = [](const Measurement& m) { return std::tuple(m.digest, m.structure, m.device, size_class(m.samples)); };
  std::erase_if(measurements, [&](const Measurement& each) { return key(each) == key(measurement); });
  measurements.push_back(std::move(measurement));
  if (measurements.size() > 1000) measurements.erase(measurements.begin());
}

namespace {

/// The processor as Linux names it (proc(5)): its model, or on Arm what identifies it.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string implementer, part;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (line.starts_with("CPU part")) part = value;
  }
  return part.empty() ? "an unnamed processor" : fmt::format("CPU implementer {} part {}", implementer, part);
}

const char* variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? nullptr : text;
}

}  // namespace

std::string machine() {
  static const std::string text = processor();
  const unsigned threads = std::thread::hardware_concurrency();
  return fmt::format("{}, {} thread{}", text, threads, threads == 1 ? "" : "s");
}

fs::path profile_path() {
  if (const char* named = variable("EAGLE_PROFILE")) return named;
  const fs::path file = fs::path("eagle") / "profiles" / fmt::format("{:016x}.json", detail::fnv1a(machine()));
  if (const char* cache = variable("XDG_CACHE_HOME"); cache != nullptr && fs::path(cache).is_absolute()) return cache / file;
  if (const char* home = variable("HOME")) return fs::path(home) / ".cache" / file;
  throw Error(Code::argument, "no profile can be looked for: EAGLE_PROFILE, XDG_CACHE_HOME and HOME are not set");
}

namespace detail {

bool Tuning::knows(StructureKind structure, std::string_view device) const noexcept {
  return std::ranges::any_of(measurements,
                             [&](const Measurement& m) { return m.structure == structure && m.device == device; });
}

Setting Tuning::at(StructureKind structure, std::string_view device, std::int64_t samples) const noexcept {
  int nearest = 3;
  Setting found;
  for (const Measurement& each : measurements) {
    const int away = std::abs(size_class(each.samples) - size_class(samples));
    if (each.structure != structure || each.device != device || away >= nearest) continue;
    nearest = away;
    found = each.setting;
  }
  return found;
}

std::string to_string(const Tuning& tuning) {
  if (!tuning.ignored.empty()) return tuning.ignored;
  std::string text = printable(tuning.file.string());
  for (const Measurement& each : tuning.measurements)
    text += fmt::format("\n    {}{}{}, about {} samples: {}", name(each.structure), each.device.empty() ? "" : " on ",
                        printable(each.device), each.samples, eagle::to_string(each.setting));
  return text;
}

namespace {

/// Why nothing that a profile says is about this machine and plugin; empty where something is.
std::string why_not(const Profile& profile, const Plugin& plugin, std::vector<Measurement>& measurements) {
  const std::string here = machine();
  if (profile.machine != here)
    return fmt::format("it was measured on {}, and this machine is '{}': run 'eagle tune' here", in_quotes(profile.machine),
                       here);
  if (plugin.declaration().manifest.empty()) return fmt::format("plugin '{}' was given loaded, and has no digest", plugin.id());
  const std::string digest = plugin.digest();
  bool other = false;
  for (const Measurement& each : profile.measurements) {
    if (each.digest == digest) measurements.push_back(each);
    other = other || each.plugin == plugin.id();
  }
  if (!measurements.empty()) return "";
  return fmt::format("{} plugin '{}': run 'eagle tune'",
                     other ? "it is stale, measured with another build of" : "it says nothing of", plugin.id());
}

}  // namespace

std::shared_ptr<const Tuning> tuning_of(const Plugin& plugin, const fs::path& asked) {
  const bool named = !asked.empty() && asked != "auto";
  if (asked == "none" || (asked.empty() && variable("EAGLE_PROFILE") == nullptr)) return nullptr;
  auto tuning = std::make_shared<Tuning>();
  std::string why;
  try {
    tuning->file = named ? asked : profile_path();
    why = why_not(read_profile(tuning->file), plugin, tuning->measurements);
  } catch (const Error& e) {
    if (named && e.code() != Code::unsupported) throw;
    why = e.what();
  }
  if (!why.empty()) tuning->ignored = printable_lines(fmt::format("the profile {} is ignored: {}", tuning->file.string(), why));
  return tuning;
}

}  // namespace detail
}  // namespace eagle
