// SPDX-License-Identifier: Apache-2.0
#include "group_memory.hpp"

namespace eagle::nccl {

const cuda::DeviceMemory& GroupMemory::at(const ArrayView& array) const {
  const std::size_t d = array.device.type == Device::cuda ? group_.place_of(array.device.id) : 0;
  return group_[d < group_.size() ? d : 0].memory;
}

std::optional<DeviceStream> GroupMemory::stream(int device) const {
  const std::size_t d = group_.place_of(device);
  return d < group_.size() ? group_[d].memory.stream(device) : std::nullopt;
}

bool GroupMemory::reaches(const ArrayView& array) const {
  const std::size_t d = group_.place_of(array.device.id);
  return group_[array.device.type == Device::cuda && d < group_.size() ? d : 0].memory.reaches(array);
}

void GroupMemory::copy(const ArrayView& from, const ArrayView& to) const {
  const cuda::DeviceMemory &source = at(from), &target = at(to);
  if (&source == &target || on_host(from) || on_host(to)) return (on_host(from) ? target : source).copy(from, to);
  // From device to device only gapless bytes travel.
  const Array sent = source.make(to.dtype, to.shape), received = target.make(to.dtype, to.shape);
  source.copy(from, sent.view());
  cuda::copy_between(source, sent.view(), target, received.view());
  target.copy(received.view(), to);
}

}  // namespace eagle::nccl
