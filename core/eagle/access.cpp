// SPDX-License-Identifier: Apache-2.0
#include <eagle/access.hpp>

#include <eagle/names.hpp>

namespace eagle {
namespace {
constexpr std::string_view accesses[] = {"sample_local", "cross_sample_read", "cross_sample_write", "mapreduce"};
constexpr std::string_view ops[] = {"sum", "times", "max", "land"};
constexpr std::string_view targets[] = {"device", "host"};
constexpr std::string_view structures[] = {"host_team", "device_kernel", "rank_partition", "device_group"};
constexpr std::string_view schedules[] = {"static", "dynamic"};
constexpr std::string_view roles[] = {"mutable", "out",        "wide_out", "accum_out",  "vec_in",  "mat_in",
                                      "wide_in", "per_sample", "lookup",   "terminated", "uniform", "nsamples"};
}  // namespace

std::string_view name(Access access) noexcept { return detail::name_of(accesses, access); }
std::string_view name(Op op) noexcept { return detail::name_of(ops, op); }
std::string_view name(Target target) noexcept { return detail::name_of(targets, target); }
std::string_view name(StructureKind kind) noexcept { return detail::name_of(structures, kind); }
std::string_view name(Schedule schedule) noexcept { return detail::name_of(schedules, schedule); }
std::string_view name(Role role) noexcept { return detail::name_of(roles, role); }

std::optional<Access> access_from(std::string_view text) noexcept { return detail::find_name<Access>(accesses, text); }
std::optional<Op> op_from(std::string_view text) noexcept { return detail::find_name<Op>(ops, text); }
std::optional<Target> target_from(std::string_view text) noexcept { return detail::find_name<Target>(targets, text); }
std::optional<StructureKind> structure_from(std::string_view text) noexcept {
  return detail::find_name<StructureKind>(structures, text);
}
std::optional<Schedule> schedule_from(std::string_view text) noexcept { return detail::find_name<Schedule>(schedules, text); }
std::optional<Role> role_from(std::string_view text) noexcept { return detail::find_name<Role>(roles, text); }

std::string access_names() { return detail::one_of(accesses); }
std::string op_names() { return detail::one_of(ops); }
std::string target_names() { return detail::one_of(targets); }
std::string structure_names() { return detail::one_of(structures); }
std::string schedule_names() { return detail::one_of(schedules); }
std::string role_names() { return detail::one_of(roles); }

}  // namespace eagle
