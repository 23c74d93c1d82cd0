// SPDX-License-Identifier: Apache-2.0
#include "group.hpp"

#include <algorithm>
#include <chrono>
#include <map>
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

std::shared_ptr<Group> Group::of(std::vector<int> devices) {
  static std::mutex mutex;
  static auto& made = *new std::map<std::vector<int>, std::shared_ptr<Group>>;  // outlives the driver's own end
  if (devices.empty()) devices = all_devices();
  const std::lock_guard lock(mutex);
  std::shared_ptr<Group>& group = made[devices];
  if (group == nullptr || group->abandoned_) group.reset(new Group(devices));
  return group;
}

Group::Group(const std::vector<int>& devices) {
  for (const int each : devices) members_.emplace_back(cuda::Gpu::at(each));
  if (size() < 2) return;
  std::vector<Comm> comms(size());
  check(library().init_all(comms.data(), static_cast<int>(size()), devices.data()), "ncclCommInitAll");
  for (std::size_t d = 0; d < size(); ++d) members_[d].comm = comms[d];
}

std::size_t Group::place_of(int ordinal) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& each) { return each.memory.gpu().ordinal() == ordinal; });
  return static_cast<std::size_t>(found - members_.begin());
}

void Group::require_alive() const {
  if (abandoned_)
    throw Error(Code::unavailable,
                "the group's communicators were aborted after a failure that was reported: make a new group, i.e. plan again");
}

void Group::abandon() noexcept {
  abandoned_ = true;
  for (Member& each : members_)
    if (Comm const comm = std::exchange(each.comm, nullptr)) library().abort(comm);
}

void Group::check_health() {
  for (const Member& each : members_) {
    int result = success;
    if (each.comm == nullptr) continue;
    check(library().async_error(each.comm, &result), "ncclCommGetAsyncError");
    if (result != success && result != in_progress)
      check(result, fmt::format("what NCCL was doing on {}", each.memory.gpu().describe()));
  }
}

void Group::wait_for(cuda::Stream stream) {
  for (Patience patience;; patience.pause()) {
    const int result = cuda::driver().query(stream);
    if (result == cuda::success) return;
    if (result != cuda::not_ready) cuda::check(result, "cuStreamQuery");
    check_health();
  }
}

void Group::wait() {
  try {
    for (Member& each : members_) {
      const cuda::Current current(each.memory.gpu());
      wait_for(each.gathers.get());
      wait_for(each.memory.stream());
    }
  } catch (...) {
    abandon();
    throw;
  }
}

}  // namespace eagle::nccl
