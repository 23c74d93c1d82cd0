// SPDX-License-Identifier: Apache-2.0
// Private to eagle::mpi: ranks as those see them who do not know MPI.
#pragma once

#include <eagle/peers.hpp>

#include "ranks.hpp"

namespace eagle::detail {

class RankPeers final : public Peers {
 public:
  explicit RankPeers(const Ranks& ranks) : ranks_(ranks) {}
  [[nodiscard]] int rank() const noexcept override { return ranks_.rank(); }
  [[nodiscard]] int size() const noexcept override { return ranks_.size(); }
  [[nodiscard]] std::shared_ptr<void>& kept() const override { return ranks_.kept(); }
  void share(std::span<std::byte> bytes) const override { ranks_.copy_from_first(bytes); }
  void agree(const std::exception_ptr& refusal) const override;
  void wait_until(const std::function<bool()>& is_done) const override;

 private:
  const Ranks& ranks_;
};

}  // namespace eagle::detail
