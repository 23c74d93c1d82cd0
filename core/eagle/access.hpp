// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eagle {

/// How a body touches data (`exec_access`).
enum class Access : std::uint8_t {
  sample_local,        ///< reads and writes its own sample only
  cross_sample_read,   ///< reads other samples, e.g. a lookup table
  cross_sample_write,  ///< adds into places that are not its own sample's
  mapreduce,           ///< produces one partial a sample, combined with a declared op
};

/// The reduction operator of a mapreduce (`exec_op`).
enum class Op : std::uint8_t { sum, times, max, land };

/// Where a plugin ships an entry point for (`exec_targets`).
enum class Target : std::uint8_t { device, host };

/// The execution structures that may drive a body.
enum class StructureKind : std::uint8_t { host_team, device_kernel, rank_partition, device_group };

/// How a team shares out a partition: `static_` in one contiguous share a thread, for bodies of even cost; `dynamic` in
/// tiles that threads take as they come, for uneven ones. Results have the same bits.
enum class Schedule : std::uint8_t { static_, dynamic };

/// What an argument is to a body, in the order in which an arg_spec of schema 2 and 3 is sorted.
enum class Role : std::uint8_t {
  mutable_,
  out,
  wide_out,
  accum_out,
  vec_in,
  mat_in,
  wide_in,
  per_sample,
  lookup,
  terminated,
  uniform,
  nsamples,
};

std::string_view name(Access access) noexcept;
std::string_view name(Op op) noexcept;
std::string_view name(Target target) noexcept;
std::string_view name(StructureKind kind) noexcept;
std::string_view name(Schedule schedule) noexcept;
std::string_view name(Role role) noexcept;

std::optional<Access> access_from(std::string_view text) noexcept;
std::optional<Op> op_from(std::string_view text) noexcept;
std::optional<Target> target_from(std::string_view text) noexcept;
std::optional<StructureKind> structure_from(std::string_view text) noexcept;
std::optional<Schedule> schedule_from(std::string_view text) noexcept;
std::optional<Role> role_from(std::string_view text) noexcept;

/// All names of an enumeration for messages, e.g. "sum, times, max or land".
std::string access_names();
std::string op_names();
std::string target_names();
std::string structure_names();
std::string schedule_names();
std::string role_names();

}  // namespace eagle
