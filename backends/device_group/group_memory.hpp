// SPDX-License-Identifier: Apache-2.0
// Private to eagle::nccl: the memory of a group.
#pragma once

#include "group.hpp"

namespace eagle::nccl {

/// Planes lie on any device of the group; what eagle makes lies on the first.
class GroupMemory final : public Memory {
 public:
  explicit GroupMemory(const Group& group) : group_(group) {}
  [[nodiscard]] Device device() const override { return group_[0].memory.device(); }
  [[nodiscard]] std::optional<DeviceStream> stream(int device) const override;
  [[nodiscard]] bool reaches(const ArrayView& array) const override;
  [[nodiscard]] Array make(DType dtype, Extents shape) const override { return group_[0].memory.make(dtype, std::move(shape)); }
  void fill(const ArrayView& gapless, const Number& number) const override { at(gapless).fill(gapless, number); }
  void copy(const ArrayView& from, const ArrayView& to) const override;

 private:
  [[nodiscard]] const cuda::DeviceMemory& at(const ArrayView& array) const;
  const Group& group_;
};

}  // namespace eagle::nccl
