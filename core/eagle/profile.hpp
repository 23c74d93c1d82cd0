// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/plugin.hpp>

/// Profiles: what `eagle tune` has measured on a machine. They say how fast a run is and never what it gives: every setting
/// has the same bits.
namespace eagle {

/// What a structure leaves open and a profile may fill in; 0 stays open.
struct Setting {
  int threads = 0;                        ///< of a host team
  Schedule schedule = Schedule::static_;  ///< of a host team
  std::int64_t tile = 0;                  ///< samples a tile of a dynamic schedule
  int block = 0;                          ///< threads a block of a device
  friend bool operator==(const Setting&, const Setting&) noexcept = default;
};

/// "threads=2, schedule=dynamic, tile=64", "block=128"; "defaults" where all is open.
std::string to_string(const Setting& setting);

/// The setting found best for one plugin, structure and size class.
struct Measurement {
  std::string plugin;                                  ///< its id
  std::string digest;                                  ///< Plugin::digest()
  StructureKind structure = StructureKind::host_team;  ///< host_team or device_kernel
  std::string device;                                  ///< the name of the CUDA device; empty for a host team
  std::int64_t samples = 1;                            ///< of a launch that was measured
  Setting setting;
  double seconds = 0;          ///< of a launch with the setting
  double default_seconds = 0;  ///< and with everything left open, in the same run
};

/// Runs of about as many samples share settings: the power of two at or below.
int size_class(std::int64_t samples) noexcept;

/// A profile's file holds it as JSON: {"format": "eagle-profile", "version": 1, "machine": ..., "measurements": [...]}.
struct Profile {
  static constexpr std::int64_t version = 1;
  std::string machine;
  std::vector<Measurement> measurements;

  /// Adds a measurement in the place of one of the same digest, structure, device and size class. Of more than a thousand the
  /// oldest goes.
  void put(Measurement measurement);
};

/// What tells this machine from others as far as speed goes: "Intel(R) Xeon(R) ..., 8 threads"; threads are those that this
/// process may use.
std::string machine();

/// Where a profile is looked for that is asked for as "auto", and where `eagle tune` writes: $EAGLE_PROFILE, or a file for
/// this machine in eagle/profiles below $XDG_CACHE_HOME or ~/.cache. Error(argument) where none of these variables is set.
std::filesystem::path profile_path();

/// Error(not_found) or Error(io) where it cannot be read, Error(unsupported) where it is of a newer version,
/// Error(argument) with every finding where it is no profile.
Profile read_profile(const std::filesystem::path& file);

/// Writes it whole or not at all, and makes the folder. Error(io).
void write_profile(const std::filesystem::path& file, const Profile& profile);

/// Adds a measurement of this machine to a profile, which is made where there is none. Processes that add at the same time wait
/// for each other. Errors as of read_profile() and write_profile().
void add_to_profile(const std::filesystem::path& file, Measurement measurement);

namespace detail {

/// What the profile of a plan says of its plugin.
struct Tuning {
  std::filesystem::path file;
  std::string ignored;  ///< why nothing of the file is used, in a line; empty where it is
  std::vector<Measurement> measurements;

  /// Whether anything was measured for a structure and device.
  [[nodiscard]] bool knows(StructureKind structure, std::string_view device) const noexcept;
  /// The setting measured at the nearest size class, at most two away; all open where there is none.
  [[nodiscard]] Setting at(StructureKind structure, std::string_view device, std::int64_t samples) const noexcept;
};

/// The file and what it says at which numbers of samples, or why it is ignored.
std::string to_string(const Tuning& tuning);

/// `asked` is a file, "auto", "none", or empty, which is "auto" where $EAGLE_PROFILE is set and else none: null. A file that is
/// asked for by name must be one: Error as of read_profile().
std::shared_ptr<const Tuning> tuning_of(const Plugin& plugin, const std::filesystem::path& asked);

}  // namespace detail
}  // namespace eagle
