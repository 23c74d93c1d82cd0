// SPDX-License-Identifier: Apache-2.0
#include "replica.hpp"

#include <algorithm>

#include <eagle/plane.hpp>

namespace eagle::nccl {

Replica::Replica(const Group& group, const ArrayView& array) {
  const Device found = array.size() == 0 ? group[0].memory.device() : cuda::device_of(array.data);
  owner_ = group.place_of(found.id) % group.size();  // of managed memory that is no member's, the first
  for (std::size_t d = 0; d < group.size(); ++d)
    arrays_.push_back(d == owner_ ? Array(array, nullptr) : group[d].memory.make(array.dtype, array.shape));
}

bool Replica::is_of(const ArrayView& array) const {
  return on(owner_).device == array.device && on(owner_).data == array.data && on(owner_).shape == array.shape &&
         on(owner_).strides == array.strides;
}

/// Where a sample of a row lies on each device.
auto Replica::row(std::int64_t r, std::int64_t sample) const {
  return [this, r, sample](std::size_t d) { return detail::row_of(on(d), r) + sample * size_of(on(d).dtype); };
}

void Replica::send(Group& group) const {
  const ArrayView& owned = on(owner_);
  const std::int64_t rows = owned.is_contiguous() ? 1 : detail::rows_of(owned);
  for (std::int64_t r = 0; owned.size() > 0 && r < rows; ++r)
    group.broadcast(row(r, 0), static_cast<std::size_t>(owned.bytes() / rows), owner_, false);
}

void Replica::gather(Group& group, const Partition& partition) const {
  const auto bytes = [&](std::int64_t samples) { return static_cast<std::size_t>(samples * size_of(on(0).dtype)); };
  for (std::int64_t r = 0; r < detail::rows_of(on(0)); ++r)
    gather_parts(
        partition, static_cast<int>(group.size()),
        [&](std::int64_t each) { group.all_gather(row(r, partition.base), bytes(each)); },
        [&](int d, const Partition& part) {
          group.broadcast(row(r, part.base), bytes(part.count), static_cast<std::size_t>(d), true);
        });
}

}  // namespace eagle::nccl
