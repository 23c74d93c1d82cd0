// SPDX-License-Identifier: Apache-2.0
// Communicators across processes: bytes travel as files of a temporary folder, which the unique id names.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>

#include "driver_api.hpp"

namespace stand_in_nccl {

class Processes : public std::enable_shared_from_this<Processes> {
 public:
  /// Waits for all ranks, each of which has another device; null where one of them does not come in time.
  static std::shared_ptr<Processes> join(const std::filesystem::path& folder, int rank, int size, int device);
  ~Processes() { leave(); }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  /// Queues a collective on a stream: of the root's bytes, or, with root -1, of everyone's.
  void queue(const void* from, void* to, std::size_t bytes, int root, CUstream stream);
  /// What is queued does nothing any more.
  void leave();

 private:
  struct Collective {
    std::size_t number;
    const void* from;
    void* to;
    std::size_t bytes;
    int root;
    bool is_published = false;
  };
  Processes(std::filesystem::path folder, int rank, int size) : folder_(std::move(folder)), rank_(rank), size_(size) {}
  [[nodiscard]] std::filesystem::path file(std::size_t number, int rank) const;
  void publish(std::size_t number, const void* from, std::size_t bytes) const;
  [[nodiscard]] bool all_published(std::size_t number) const;
  /// Goes on with the first that is queued. Whether it is done.
  bool advance();
  /// The host function, one for each that is queued.
  static void run(void* turn);

  std::filesystem::path folder_;
  int rank_, size_;
  std::size_t last_ = 0;  ///< number; file 0 tells of the rank itself
  std::deque<Collective> queue_;
  bool has_left_ = false;
};

}  // namespace stand_in_nccl
