// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <cstring>

#include <eagle/error.hpp>
#include <eagle/gathering.hpp>
#include <eagle/plane.hpp>

#include "row_gathers.hpp"

namespace eagle::detail {
namespace {

ArrayView part_in(const ArrayView& row, const Partition& part) {
  return {static_cast<std::byte*>(row.data) + part.base * size_of(row.dtype), row.dtype, {part.count}, {1}, row.device};
}

/// Completes one row of a device by way of host memory, where MPI takes no other.
void gather_staged(const Ranks& ranks, const ArrayView& row, std::span<const Partition> partitions, const Memory& memory) {
  const Array here(row.dtype, row.shape);
  RowGathers rows(ranks);
  for (const Partition& partition : partitions) {
    const Partition mine = part_of(partition, ranks.size(), ranks.rank());
    memory.copy(part_in(row, mine), part_in(here.view(), mine));
    rows.add(here.view().data, row.dtype, partition);
  }
  rows.finish();
  memory.copy(here.view(), row);
}

}  // namespace

void gather(const Ranks& ranks, const Call& call, std::span<const Partition> partitions, const Memory& memory) {
  if (ranks.size() == 1) return;
  const bool direct = memory.device().type == Device::cpu || takes_device_memory();
  RowGathers rows(ranks);
  for (std::size_t k = 0; k < call.arrays.size(); ++k) {
    if (!is_gathered(call, k)) continue;
    const ArrayView& plane = call.arrays[k];
    for (std::int64_t row = 0; row < rows_of(plane); ++row) {
      std::byte* const data = row_of(plane, row);
      if (!direct) gather_staged(ranks, {data, plane.dtype, {plane.shape.back()}, {1}, plane.device}, partitions, memory);
      else
        for (const Partition& partition : partitions) rows.add(data, plane.dtype, partition);
    }
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
