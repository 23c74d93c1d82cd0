// SPDX-License-Identifier: Apache-2.0
#include <eagle/gathering.hpp>

#include <cstring>

namespace eagle::detail {

bool is_gathered(const Call& call, std::size_t argument) {
  const Declaration& plugin = call.plugin.declaration();
  if (!is_output(plugin.arguments[argument], plugin)) return false;
  switch (plugin.arguments[argument].role) {
    case Role::mutable_:
    case Role::out:
    case Role::terminated: return true;
    case Role::accum_out: return call.reductions.empty();
    default: return false;
  }
}

std::vector<std::size_t> counters_of(const Plugin& plugin) {
  const Declaration& declaration = plugin.declaration();
  std::vector<std::size_t> counters;
  for (std::size_t k = 0; k < declaration.arguments.size(); ++k)
    if (declaration.arguments[k].role == Role::lookup && is_output(declaration.arguments[k], declaration))
      counters.push_back(k);
  return counters;
}

std::vector<std::uint64_t> read_counter(const Memory& memory, const ArrayView& counter) {
  const Array here(counter.dtype, counter.shape);
  memory.copy(counter, here.view());
  const auto size = static_cast<std::size_t>(size_of(counter.dtype));
  std::vector<std::uint64_t> values(static_cast<std::size_t>(counter.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&values[i], static_cast<const std::byte*>(here.view().data) + i * size, size);  // little-endian
  return values;
}

void write_counter(const Memory& memory, const ArrayView& counter, std::span<const std::uint64_t> values) {
  const Array here(counter.dtype, counter.shape);
  const auto size = static_cast<std::size_t>(size_of(counter.dtype));
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(static_cast<std::byte*>(here.view().data) + i * size, &values[i], size);
  memory.copy(here.view(), counter);
}

}  // namespace eagle::detail
