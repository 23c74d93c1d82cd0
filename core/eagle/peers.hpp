// SPDX-License-Identifier: Apache-2.0
// Private to structures that share a run out among processes: what one that puts parts together needs of one that knows the
// processes, and what that needs of the other, so that neither includes the other.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <eagle/structure.hpp>

namespace eagle::detail {

/// The processes of a run.
class Peers {
 public:
  virtual ~Peers() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// What others keep with this group of processes, for as long as it lives.
  [[nodiscard]] virtual std::shared_ptr<void>& kept() const = 0;

  /// Collective: bytes of the first, on all.
  virtual void share(std::span<std::byte> bytes) const = 0;
  /// Collective: throws on all where any has a refusal.
  virtual void agree(const std::exception_ptr& refusal) const = 0;
  /// Collective: asks until the answer is yes. Where asking throws on one it ends on all, and all throw.
  virtual void wait_until(const std::function<bool()>& is_done) const = 0;
};

/// Completes the output planes of a call on all processes, each of which has run its part of every partition.
class Gatherer {
 public:
  virtual ~Gatherer() = default;
  /// "NCCL".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Error(unavailable) where it cannot be used here.
  virtual void prepare() const = 0;
  /// Collective. What fails on one is thrown on all.
  virtual void gather(const Peers& peers, const Call& call, std::span<const Partition> partitions,
                      const Memory& memory) const = 0;
};

using GathererPtr = std::shared_ptr<const Gatherer>;

}  // namespace eagle::detail
