// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>

#include <concepts>
#include <optional>
#include <system_error>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/file.hpp>
#include <eagle/json.hpp>
#include <eagle/new_file.hpp>
#include <eagle/profile.hpp>
#include <eagle/profile_reading.hpp>
#include <eagle/reader.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

using detail::Need;
using detail::Reader;
using detail::Report;
namespace json = detail::json;

constexpr const char* format = "eagle-profile";

/// An integer from `least` to `most`; 0 is in the place of one that is not there or not accepted, with a finding.
std::int64_t integer(const Reader& reader, std::string_view key, std::int64_t least, std::int64_t most) {
  const auto* value = reader.get<std::int64_t>(key, Need::required);
  if (value == nullptr) return 0;
  if (*value < least || *value > most)
    reader.refuse("bad-value", key, fmt::format("{} is {}: {} to {} is accepted", key, *value, least, most));
  return *value;
}

std::string text(const Reader& reader, std::string_view key, Need need = Need::required) {
  const std::string* value = reader.text(key, need);
  return value == nullptr ? "" : *value;
}

double seconds(const Reader& reader, std::string_view key) {
  const json::Value* value = reader.find(key);
  const double* number = value == nullptr ? nullptr : value->get<double>();
  if (number == nullptr || !(*number >= 0))
    reader.refuse("bad-value", key,
                  fmt::format("{} is {}: a number of seconds is due, e.g. 0.001", key,
                              value == nullptr ? "not there" : json::describe(*value)));
  return number == nullptr ? 0 : *number;
}

template <class Enum>
Enum word(const Reader& reader, std::string_view key, std::optional<Enum> (*from)(std::string_view), std::string_view names) {
  const std::string given = text(reader, key);
  const std::optional<Enum> found = from(given);
  if (!given.empty() && !found)
    reader.refuse("bad-value", key, fmt::format("{} is {}: {} is accepted", key, detail::in_quotes(given), names));
  return found.value_or(Enum{});
}

std::optional<StructureKind> tuned_structure(std::string_view given) {
  const auto kind = structure_from(given);
  return kind == StructureKind::host_team || kind == StructureKind::device_kernel ? kind : std::nullopt;
}

Measurement read_measurement(const Reader& reader) {
  constexpr std::int64_t most = INT64_MAX;
  Measurement m;
  m.plugin = text(reader, "plugin");
  m.digest = text(reader, "digest");
  m.structure = word<StructureKind>(reader, "structure", tuned_structure, "host_team or device_kernel");
  m.device = text(reader, "device", Need::optional);
  m.samples = integer(reader, "samples", 0, most);
  m.setting.threads = static_cast<int>(integer(reader, "threads", 0, 512));
  m.setting.schedule =
      word<Schedule>(reader, "schedule", [](std::string_view t) { return schedule_from(t); }, schedule_names());
  m.setting.tile = integer(reader, "tile", 0, m.setting.schedule == Schedule::dynamic ? most : 0);
  m.setting.block = static_cast<int>(integer(reader, "block", 0, 1024));
  m.seconds = seconds(reader, "seconds");
  m.default_seconds = seconds(reader, "default_seconds");
  return m;
}

/// Whether what follows is to be read. Error(unsupported) for a newer version.
bool check_header(const Reader& reader, const std::filesystem::path& file) {
  if (const std::string found = text(reader, "format"); found != format) {
    if (!found.empty())
      reader.refuse("bad-value", "format", fmt::format("format is {}: '{}' is accepted", detail::in_quotes(found), format));
    return false;
  }
  const std::int64_t version = integer(reader, "version", 1, INT64_MAX);
  if (version > Profile::version)
    throw Error(Code::unsupported, fmt::format("{}: it is of version {}, and this eagle reads version {}",
                                               detail::printable(file.string()), version, Profile::version));
  return true;
}

json::Value to_json(const Measurement& m) {
  return {json::Object{{"plugin", {m.plugin}},
                       {"digest", {m.digest}},
                       {"structure", {std::string(name(m.structure))}},
                       {"device", {m.device}},
                       {"samples", {m.samples}},
                       {"threads", {std::int64_t{m.setting.threads}}},
                       {"schedule", {std::string(name(m.setting.schedule))}},
                       {"tile", {m.setting.tile}},
                       {"block", {std::int64_t{m.setting.block}}},
                       {"seconds", {m.seconds}},
                       {"default_seconds", {m.default_seconds}}}};
}

}  // namespace

Profile detail::profile_of(std::string_view given, const std::filesystem::path& file) {
  Findings findings;
  Profile profile;
  Report::of(findings, file.filename().string(), [&](Report& report) {
    const auto value = parse_json(given, report);
    if (!value) return;
    const Reader reader(*value, report);
    if (!check_header(reader, file)) return;
    profile.machine = text(reader, "machine");
    for (const Reader& each : reader.objects("measurements", Need::required))
      profile.measurements.push_back(read_measurement(each));
  });
  if (findings.empty()) return profile;
  std::string all;
  for (const Finding& each : findings) all += fmt::format("{}{}", all.empty() ? "" : "; ", to_string(each));
  throw Error(Code::argument, fmt::format("{} is no profile: {}", detail::printable(file.string()), all));
}

std::string detail::text_of(const Profile& profile) {
  json::Array measurements;
  for (const Measurement& each : profile.measurements) measurements.push_back(to_json(each));
  const json::Value value{json::Object{{"format", {std::string(format)}},
                                       {"version", {Profile::version}},
                                       {"machine", {profile.machine}},
                                       {"measurements", {std::move(measurements)}}}};
  return json::write(value, true) + "\n";
}

Profile read_profile(const std::filesystem::path& file) {
  return detail::profile_of(detail::read_file(file, json::most_bytes), file);
}

void write_profile(const std::filesystem::path& file, const Profile& profile) {
  detail::make_folder_of(file);
  detail::NewFile place(file);
  place.write(detail::text_of(profile));
  place.commit();
}

void add_to_profile(const std::filesystem::path& file, Measurement measurement) {
  const detail::Descriptor lock(::open(detail::make_folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.get() < 0) detail::fail_file(file, "its folder cannot be opened");
  static_cast<void>(::flock(lock.get(), LOCK_EX));  // where a file system has no locks, the last one wins
  Profile profile{machine(), {}};
  if (std::filesystem::exists(file)) profile = read_profile(file);
  profile.put(std::move(measurement));
  write_profile(file, profile);
}

}  // namespace eagle
