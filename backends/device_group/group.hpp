// SPDX-License-Identifier: Apache-2.0
// Private to eagle::nccl: devices that work together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "device_kernel/memory.hpp"
#include "nccl.hpp"

namespace eagle::nccl {

/// One device of a group. Bodies and the copies of inputs are queued on the memory's stream, gathers on their own.
struct Member {
  explicit Member(const cuda::Gpu& gpu);
  cuda::DeviceMemory memory;
  cuda::OwnStream gathers;
  Comm comm = nullptr;  ///< none where the group has one device
};

/// Devices, each with a place in one communicator. Kept until the process ends. One device needs no NCCL.
class Group {
 public:
  /// Made once, as making communicators takes long. All devices of the driver where none are named. Error(unavailable) where a
  /// device or NCCL is not there.
  static Group& of(std::vector<int> devices);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] Member& operator[](std::size_t d) { return members_[d]; }
  [[nodiscard]] const Member& operator[](std::size_t d) const { return members_[d]; }
  /// The member whose device that is; size() where none.
  [[nodiscard]] std::size_t place_of(int ordinal) const;
  /// What queueing needs, on any group: NCCL wants the operations of all communicators in one order on all devices.
  static std::mutex& lock();

  /// The communicators that there are, made anew after they were aborted. The caller holds the lock.
  std::uint64_t generation();
  /// Error(unavailable) where those were aborted meanwhile.
  void require(std::uint64_t generation) const;

  /// Runs f, whose calls of NCCL begin together. Aborts the communicators where one fails.
  template <class F>
  void together(F&& f) {
    const cuda::Current current(members_[0].memory.gpu());  // NCCL makes others current in its place
    try {
      grouped(f);
    } catch (...) {
      abandon();
      throw;
    }
  }
  /// Has every device receive bytes that lie at address(d), from the root's.
  template <class Address>
  void broadcast(Address&& address, std::size_t bytes, std::size_t root, bool is_gather) {
    for (std::size_t d = 0; d < size(); ++d) {
      const cuda::Current current(members_[d].memory.gpu());
      void* const data = address(d);
      check(library().broadcast(data, data, bytes, nccl::bytes, static_cast<int>(root), members_[d].comm, stream(d, is_gather)),
            "ncclBroadcast");
    }
  }
  /// The same of equal parts, of which device d has the d-th, for all.
  template <class Address>
  void all_gather(Address&& address, std::size_t bytes_each) {
    for (std::size_t d = 0; d < size(); ++d) {
      const cuda::Current current(members_[d].memory.gpu());
      std::byte* const data = address(d);
      check(library().all_gather(data + d * bytes_each, data, bytes_each, nccl::bytes, members_[d].comm, stream(d, true)),
            "ncclAllGather");
    }
  }

  /// Returns when the answer is yes. Aborts the communicators where asking throws or NCCL has failed, so that no device waits
  /// for another for ever. Takes the lock whenever it asks.
  void wait(std::uint64_t generation, const std::function<bool()>& is_done);

 private:
  explicit Group(const std::vector<int>& devices);
  [[nodiscard]] cuda::Stream stream(std::size_t d, bool is_gather) const {
    return is_gather ? members_[d].gathers.get() : members_[d].memory.stream();
  }
  void make_communicators();
  void check_health();
  void abandon() noexcept;

  std::deque<Member> members_;
  std::atomic<std::uint64_t> generation_ = 0;  ///< odd where the communicators were aborted
};

}  // namespace eagle::nccl
