// SPDX-License-Identifier: Apache-2.0
// Arguments of any plugin, made from its declaration alone: the same numbers for the same plugin, n and seed.
#pragma once

#include <map>

#include "bed.hpp"

namespace bed {

/// Tables have at least this many elements, and one a sample; integers of samples are below it.
constexpr std::int64_t table_elements = 100;

class Inputs {
 public:
  /// Host arrays; with `all` also what eagle would make otherwise.
  Inputs(const eagle::Plugin& plugin, std::int64_t n, bool all = false, std::uint64_t seed = 1) {
    const bool folds = plugin.declaration().access == eagle::Access::mapreduce;
    for (const eagle::Argument& argument : plugin.declaration().arguments) {
      using eagle::Role;
      const Role role = argument.role;
      const bool made = role == Role::mutable_ || role == Role::out || role == Role::terminated ||
                        argument.name == "finished_count" || argument.name == "fused_steps";
      if (role == Role::nsamples || (made && !all) || (role == Role::accum_out && folds)) continue;
      if (role == Role::uniform) values_.emplace(argument.name, number(argument));
      else add(argument, n, ++seed);
    }
  }
  [[nodiscard]] const eagle::Values& values() const { return values_; }

  /// Has the arrays lie on a device.
  void move_to(int ordinal, Kind kind = Kind::device) {
    for (auto& [name, array] : arrays_) {
      const auto bytes = bytes_of(array.view());
      auto& moved = memories_.emplace_back(std::make_unique<Memory>(bytes, ordinal, kind));
      values_.insert_or_assign(name, moved->view(array.view().dtype, array.view().shape));
    }
  }
  /// The bytes of all arrays as they are now, by name.
  [[nodiscard]] std::map<std::string, std::vector<std::byte>> contents() const {
    std::map<std::string, std::vector<std::byte>> all;
    for (const auto& [name, value] : values_)
      if (value.array() != nullptr) all[name] = bytes_of(*value.array());
    return all;
  }

 private:
  static eagle::Number number(const eagle::Argument& argument) {
    static const std::map<std::string, double> floating = {{"lo", 0.125}, {"hi", 0.75}, {"b", -1.5}};
    const auto found = floating.find(argument.name);
    if (argument.dtype == eagle::DType::float64 || argument.dtype == eagle::DType::float32)
      return found == floating.end() ? 2.5 : found->second;
    return 7;
  }

  void add(const eagle::Argument& argument, std::int64_t n, std::uint64_t seed) {
    using eagle::Role;
    const bool table = argument.role == Role::lookup || argument.role == Role::wide_in;
    eagle::Extents shape = {n};
    if (argument.shape) shape = {(*argument.shape)[0], (*argument.shape)[1], n};
    else if (argument.is_plane) shape = {argument.width, n};
    else if (argument.name == "finished_count" || argument.name == "fused_steps") shape = {1};
    else if (table) shape = {std::max(n, table_elements)};
    else if (argument.role == Role::wide_out) shape = {2 * n};
    else if (argument.role == Role::accum_out) shape = {std::max(n, table_elements)};
    eagle::Array array = eagle::host_memory().make(argument.dtype, shape);
    eagle::visit(argument.dtype, [&]<class T>(T) { fill(static_cast<T*>(array.view().data), array.view().size(), seed); });
    values_.emplace(argument.name, array.view());
    arrays_.emplace(argument.name, std::move(array));
  }

  template <class T>
  static void fill(T* data, std::int64_t size, std::uint64_t seed) {
    for (std::int64_t i = 0; i < size; ++i) {
      const std::uint64_t x = support::mixed(seed * 1000003 + static_cast<std::uint64_t>(i));
      if constexpr (std::is_floating_point_v<T>) data[i] = static_cast<T>(static_cast<double>(x >> 11) * 0x1p-53);
      else if constexpr (sizeof(T) == 1) data[i] = x % 5 == 0;
      else data[i] = static_cast<T>(x % static_cast<std::uint64_t>(table_elements));
    }
  }

  eagle::Values values_;
  std::map<std::string, eagle::Array> arrays_;
  std::vector<std::unique_ptr<Memory>> memories_;
};

/// The bytes of all outputs, by name.
inline std::map<std::string, std::vector<std::byte>> contents(const eagle::Result& result) {
  std::map<std::string, std::vector<std::byte>> all;
  for (const auto& output : result.outputs()) all[output.name] = bytes_of(output.array);
  return all;
}

}  // namespace bed
