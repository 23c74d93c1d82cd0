// SPDX-License-Identifier: Apache-2.0
#include "group.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::nccl {
namespace {

std::vector<int> all_devices() {
  std::vector<int> devices(static_cast<std::size_t>(cuda::Gpu::count()));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

/// Spins at first, so that short waits stay short.
class Patience {
 public:
  void pause() {
    if (++turns_ < 1000) std::this_thread::yield();
    else std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  int turns_ = 0;
};

}  // namespace

Member::Member(const cuda::Gpu& gpu) : memory(gpu, gpu.stream()), gathers(gpu) {}

std::mutex& Group::lock() {
  static std::mutex mutex;
  return mutex;
}

Group& Group::of(std::vector<int> devices) {
  static auto& made = *new std::map<std::vector<int>, std::unique_ptr<Group>>;  // outlives the driver's own end
  if (devices.empty()) devices = all_devices();
  const std::lock_guard alone(lock());
  std::unique_ptr<Group>& group = made[devices];
  if (group == nullptr) group.reset(new Group(devices));
  return *group;
}

Group::Group(const std::vector<int>& devices) {
  for (const int each : devices) members_.emplace_back(cuda::Gpu::at(each));
  for (const Member& each : members_)
    for (const Member& other : members_)
      if (&each != &other) each.memory.gpu().let_in(other.memory.gpu());
  make_communicators();
}

void Group::make_communicators() {
  if (size() < 2) return;
  std::vector<Comm> comms(size());
  std::vector<int> devices;
  for (const Member& each : members_) devices.push_back(each.memory.gpu().ordinal());
  const cuda::Current current(members_[0].memory.gpu());
  check(library().init_all(comms.data(), static_cast<int>(size()), devices.data()), "ncclCommInitAll");
  for (std::size_t d = 0; d < size(); ++d) members_[d].comm = comms[d];
}

std::uint64_t Group::generation() {
  if (generation_ % 2 == 1) {
    make_communicators();
    ++generation_;
  }
  return generation_;
}

std::size_t Group::place_of(int ordinal) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& each) { return each.memory.gpu().ordinal() == ordinal; });
  return static_cast<std::size_t>(found - members_.begin());
}

void Group::require(std::uint64_t generation) const {
  if (generation_ != generation)
    throw Error(Code::unavailable,
                "the group's communicators were aborted after a failure of NCCL or of a device, and what was bound before has "
                "none: bind again");
}

void Group::abandon() noexcept {
  if (generation_ % 2 == 0) ++generation_;
  for (Member& each : members_)
    if (Comm const comm = std::exchange(each.comm, nullptr)) library().abort(comm);
}

void Group::check_health() {
  for (const Member& each : members_)
    if (each.comm != nullptr) nccl::check_health(each.comm, each.memory.gpu().describe());
}

void Group::wait(std::uint64_t generation, const std::function<bool()>& is_done) {
  for (Patience patience;; patience.pause()) {
    const std::lock_guard alone(lock());
    require(generation);
    try {
      if (is_done()) return;
      check_health();
    } catch (...) {
      abandon();
      throw;
    }
  }
}

}  // namespace eagle::nccl
