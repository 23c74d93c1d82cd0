// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <cstring>

#include <eagle/error.hpp>
#include <eagle/plane.hpp>

#include "row_gathers.hpp"

namespace eagle::detail {
namespace {

/// Whether every rank writes its own samples of an argument, so that parts have to be put together.
bool is_gathered(const Argument& argument, const Declaration& plugin, const Call& call) {
  if (!is_output(argument, plugin)) return false;
  switch (argument.role) {
    case Role::mutable_:
    case Role::out:
    case Role::terminated: return true;
    case Role::accum_out: return call.reductions.empty();
    default: return false;
  }
}

}  // namespace

void gather(const Ranks& ranks, const Call& call, std::span<const Partition> partitions) {
  if (ranks.size() == 1) return;
  const Declaration& plugin = call.plugin.declaration();
  RowGathers rows(ranks);
  for (const Partition& partition : partitions)
    for (std::size_t k = 0; k < plugin.arguments.size(); ++k) {
      if (!is_gathered(plugin.arguments[k], plugin, call)) continue;
      const ArrayView& plane = call.arrays[k];
      for (std::int64_t row = 0; row < rows_of(plane); ++row) rows.add(row_of(plane, row), plane.dtype, partition);
    }
  rows.finish();
}

std::vector<std::byte> pack(std::span<const AnySpan> spans) {
  std::vector<std::byte> bytes;
  for (const AnySpan& span : spans) {
    const std::vector<std::byte> one = span.serialise();
    const std::uint64_t size = one.size();
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof size + one.size());
    std::memcpy(bytes.data() + at, &size, sizeof size);
    std::memcpy(bytes.data() + at + sizeof size, one.data(), one.size());
  }
  return bytes;
}

void unpack(std::span<const std::byte> bytes, std::span<AnySpan> spans) {
  const auto next = [&bytes](std::uint64_t size) {
    if (bytes.size() < size) throw Error(Code::internal, "a message of spans is too short");
    const auto taken = bytes.first(size);
    bytes = bytes.subspan(size);
    return taken;
  };
  for (AnySpan& span : spans) {
    std::uint64_t size = 0;
    std::memcpy(&size, next(sizeof size).data(), sizeof size);
    span.assign(next(size));
  }
}

}  // namespace eagle::detail
