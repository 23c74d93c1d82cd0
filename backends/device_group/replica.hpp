// SPDX-License-Identifier: Apache-2.0
// Private to eagle::nccl: one argument on every device of a group.
#pragma once

#include <cstddef>
#include <vector>

#include <eagle/partition.hpp>

#include "group.hpp"

namespace eagle::nccl {

/// Where an argument lies already, and copies elsewhere, zeroed. What one row is differs in rows that are apart.
class Replica {
 public:
  Replica(const Group& group, const ArrayView& array);
  [[nodiscard]] const ArrayView& on(std::size_t d) const { return arrays_[d].view(); }
  [[nodiscard]] const Array& array(std::size_t d) const { return arrays_[d]; }
  /// The member that has the caller's.
  [[nodiscard]] std::size_t owner() const noexcept { return owner_; }
  /// Whether that is still the array.
  [[nodiscard]] bool is_of(const ArrayView& array) const;

  /// Has all devices hold what the owner holds. Inside of Group::together().
  void send(Group& group) const;
  /// Has all devices hold what each has written of a partition. Inside of Group::together().
  void gather(Group& group, const Partition& partition) const;

 private:
  [[nodiscard]] auto row(std::int64_t r, std::int64_t sample) const;
  std::size_t owner_;
  std::vector<Array> arrays_;
};

}  // namespace eagle::nccl
