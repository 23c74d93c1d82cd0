// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

#include <algorithm>
#include <limits>

namespace device_check {
namespace {

using eagle::Argument;
using eagle::Role;

constexpr std::int64_t table_length = 1000, bins = 16;

struct Range {
  double low = -1, high = 1;
  [[nodiscard]] double drawn(std::uint64_t x) const { return low + (high - low) * (static_cast<double>(x >> 11) * 0x1p-53); }
};

/// Where the values of an argument have to lie, if not in [-1, 1).
struct Chosen {
  const char* plugin;
  const char* argument;
  Range range;
};
constexpr Chosen chosen[] = {{"newton", "x", {0, 1e6}},        {"root_dot", "x", {0, 1}},   {"interp", "x", {-10, 1010}},
                             {"product", "x", {0.999, 1.001}}, {"histogram", "x", {-2, 2}}, {"histogram", "hi", {1.5, 1.5}},
                             {"histogram", "lo", {-1.5, -1.5}}};

Range range_of(const std::string& plugin, const std::string& argument) {
  for (const Chosen& each : chosen)
    if (plugin == each.plugin && argument == each.argument) return each.range;
  return {};
}

/// An integer that a body can take: a place in a table, a count of bins or of steps.
std::int64_t integer(const Argument& argument, std::uint64_t x) {
  if (argument.role == Role::uniform) return bins;
  if (argument.role == Role::mutable_) return 1 + static_cast<std::int64_t>(x % 3);
  return static_cast<std::int64_t>(x % table_length);
}

eagle::Extents shape_of(const Argument& argument, std::int64_t n) {
  switch (argument.role) {
    case Role::wide_out: return {2 * n};
    case Role::accum_out: return {bins};
    case Role::wide_in:
    case Role::lookup: return {table_length};
    default: break;
  }
  return argument.is_plane ? eagle::Extents{argument.width, n} : eagle::Extents{n};
}

bool starts_at_zero(const Argument& argument) { return argument.role == Role::wide_out || argument.role == Role::accum_out; }

eagle::Array plane_of(const std::string& plugin, const Argument& argument, std::int64_t n, bool exact) {
  eagle::Array array(argument.dtype, shape_of(argument, n));
  const std::int64_t size = array.view().size();
  const std::uint64_t seed = mixed(static_cast<std::uint64_t>(argument.name.front()) + argument.name.size());
  const Range range = range_of(plugin, argument.name);
  if (starts_at_zero(argument)) return array;
  eagle::visit(argument.dtype, [&]<class T>(T) {
    T* const data = static_cast<T*>(array.view().data);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::uint64_t x = mixed(seed + static_cast<std::uint64_t>(i));
      if constexpr (std::is_same_v<T, std::uint8_t>) data[i] = x % 8 == 0;
      else if constexpr (std::is_integral_v<T>) data[i] = static_cast<T>(integer(argument, x));
      else data[i] = static_cast<T>(exact ? static_cast<double>(x % 17) - 8 : range.drawn(x));
    }
    if constexpr (std::is_floating_point_v<T>)
      if (plugin == "all_finite" && n % 2 == 1) data[n / 2] = std::numeric_limits<T>::infinity();
  });
  return array;
}

}  // namespace

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

Given made_for(const eagle::Plugin& plugin, std::int64_t n, bool exact) {
  const eagle::Declaration& declaration = plugin.declaration();
  Given given;
  for (const Argument& argument : declaration.arguments) {
    const bool made_by_eagle = argument.role == Role::out || argument.role == Role::nsamples ||
                               (argument.role == Role::accum_out && declaration.access == eagle::Access::mapreduce);
    if (made_by_eagle) continue;
    if (argument.role != Role::uniform) given.arrays.emplace(argument.name, plane_of(declaration.id, argument, n, exact));
    else if (eagle::is_float(argument.dtype))
      given.numbers.emplace(argument.name,
                            exact ? 3.0 : range_of(declaration.id, argument.name).drawn(mixed(argument.name.size())));
    else given.numbers.emplace(argument.name, integer(argument, 0));
  }
  return given;
}

eagle::Values Given::values() const {
  eagle::Values values = numbers;
  for (const auto& [name, array] : arrays) values.emplace(name, array.view());
  return values;
}

Given Given::in(const eagle::Memory& memory) const {
  Given there{{}, numbers};
  for (const auto& [name, array] : arrays) {
    const auto& made = there.arrays.emplace(name, memory.make(array.view().dtype, array.view().shape)).first->second;
    memory.copy(array.view(), made.view());
  }
  return there;
}

Outputs outputs_of(const eagle::Result& result, const eagle::Memory& memory) {
  Outputs outputs;
  for (const auto& output : result.outputs()) {
    const eagle::Array here(output.array.dtype, output.array.shape);
    const eagle::Memory& from = eagle::on_host(output.array) ? eagle::host_memory() : memory;
    from.copy(output.array, here.view());
    const auto* const bytes = static_cast<const char*>(here.view().data);
    outputs[output.name].assign(bytes, bytes + here.view().bytes());
  }
  return outputs;
}

Outputs run(const eagle::Plan& plan, const eagle::Values& values, const eagle::Memory& memory) {
  return outputs_of(plan.run(values), memory);
}

std::string difference(const Outputs& found, const Outputs& expected) {
  if (found.size() != expected.size())
    return std::to_string(found.size()) + " outputs, and " + std::to_string(expected.size()) + " are due";
  for (const auto& [name, bytes] : expected) {
    const auto other = found.find(name);
    if (other == found.end()) return "no output '" + name + "'";
    if (other->second.size() != bytes.size())
      return "output '" + name + "' has " + std::to_string(other->second.size()) + " bytes, and " +
             std::to_string(bytes.size()) + " are due";
    const auto at = std::mismatch(bytes.begin(), bytes.end(), other->second.begin()).first - bytes.begin();
    if (other->second != bytes) return "output '" + name + "' differs at byte " + std::to_string(at);
  }
  return "";
}

}  // namespace device_check
