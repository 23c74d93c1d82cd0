// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "agreement.hpp"

namespace eagle::detail {
namespace {

/// Empty messages to all others, from a rank that has failed while they may still be asking.
class Alarm {
 public:
  explicit Alarm(const Ranks& ranks) : ranks_(ranks) {}

  void raise() {
    for (int r = 0; r < ranks_.size(); ++r)
      if (r != ranks_.rank())
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, r, tag, ranks_.comm(), &sent_.emplace_back(MPI_REQUEST_NULL)), "MPI_Isend");
  }
  [[nodiscard]] bool is_heard() const {
    int found = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, ranks_.comm(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    return found != 0;
  }
  /// Collective: takes in what was sent, so that the next message is another. Whether anyone has raised the alarm.
  bool end() {
    const char mine = sent_.empty() ? 0 : 1;
    std::vector<char> raised(static_cast<std::size_t>(ranks_.size()));
    ranks_.gather_one(&mine, 1, raised.data());
    for (int r = 0; r < ranks_.size(); ++r)
      if (r != ranks_.rank() && raised[static_cast<std::size_t>(r)] != 0)
        check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, r, tag, ranks_.comm(), MPI_STATUS_IGNORE), "MPI_Recv");
    check_mpi(MPI_Waitall(static_cast<int>(sent_.size()), sent_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    return std::find(raised.begin(), raised.end(), 1) != raised.end();
  }

 private:
  static constexpr int tag = 9;
  const Ranks& ranks_;
  std::vector<MPI_Request> sent_;
};

}  // namespace

void RankPeers::agree(const std::exception_ptr& refusal) const { detail::agree(ranks_, refusal, Claims()); }

void RankPeers::wait_until(const std::function<bool()>& is_done) const {
  Alarm alarm(ranks_);
  std::exception_ptr refusal;
  try {
    while (!is_done() && !alarm.is_heard()) std::this_thread::yield();
  } catch (...) {
    refusal = std::current_exception();
    alarm.raise();
  }
  if (alarm.end()) agree(refusal);
}

}  // namespace eagle::detail
