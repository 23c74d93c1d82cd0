// SPDX-License-Identifier: Apache-2.0
// A collective is a host function of a stream that publishes this rank's bytes, and comes again until all have: who asks
// whether the stream is done hears "not yet", and can go on asking or give up, as with NCCL's kernels.
#include "processes.hpp"

#include <unistd.h>

#include <chrono>
#include <format>
#include <fstream>
#include <set>
#include <thread>

namespace stand_in_nccl {

namespace fs = std::filesystem;

namespace {

struct Turn {
  std::shared_ptr<Processes> all;
  CUstream stream;
};

}  // namespace

std::shared_ptr<Processes> Processes::join(const fs::path& folder, int rank, int size, int device) {
  constexpr auto patience = std::chrono::seconds(5);
  fs::create_directories(folder);
  std::shared_ptr<Processes> all(new Processes(folder, rank, size));
  all->publish(0, &device, sizeof device);
  for (const auto end = std::chrono::steady_clock::now() + patience; !all->all_published(0);) {
    if (std::chrono::steady_clock::now() > end) return nullptr;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::set<int> devices;
  for (int r = 0; r < size; ++r) {
    std::ifstream(all->file(0, r), std::ios::binary).read(reinterpret_cast<char*>(&device), sizeof device);
    devices.insert(device);
  }
  return devices.size() == static_cast<std::size_t>(size) ? all : nullptr;
}

void Processes::leave() {
  has_left_ = true;
  std::error_code ignored;
  for (std::size_t number = 0; number <= last_; ++number) fs::remove(file(number, rank_), ignored);
  fs::remove(folder_, ignored);  // the last one does
}

fs::path Processes::file(std::size_t number, int rank) const { return folder_ / std::format("{}.{}", number, rank); }

void Processes::publish(std::size_t number, const void* from, std::size_t bytes) const {
  const fs::path made = folder_ / std::format("{}.making", rank_);
  std::ofstream(made, std::ios::binary).write(static_cast<const char*>(from), static_cast<std::streamsize>(bytes));
  fs::rename(made, file(number, rank_));
}

bool Processes::all_published(std::size_t number) const {
  for (int r = 0; r < size_; ++r)
    if (!fs::exists(file(number, r))) return false;
  return true;
}

void Processes::queue(const void* from, void* to, std::size_t bytes, int root, CUstream stream) {
  queue_.push_back({++last_, from, to, bytes, root});
  cuLaunchHostFunc(stream, run, new Turn{shared_from_this(), stream});
}

void Processes::run(void* data) {
  std::unique_ptr<Turn> turn(static_cast<Turn*>(data));
  if (turn->all->has_left_ || turn->all->advance()) return;
  CUstream const stream = turn->stream;
  cuLaunchHostFunc(stream, run, turn.release());
}

bool Processes::advance() {
  Collective& first = queue_.front();
  if (!first.is_published) publish(first.number, first.from, first.root < 0 || first.root == rank_ ? first.bytes : 0);
  first.is_published = true;
  if (!all_published(first.number)) return false;
  for (int r = 0; r < size_; ++r) {
    if (first.root >= 0 && r != first.root) continue;
    auto* const to = static_cast<char*>(first.to) + (first.root < 0 ? static_cast<std::size_t>(r) * first.bytes : 0);
    std::ifstream(file(first.number, r), std::ios::binary).read(to, static_cast<std::streamsize>(first.bytes));
  }
  fs::remove(file(first.number - 1, rank_));  // which all have read who have published the next
  queue_.pop_front();
  return true;
}

}  // namespace stand_in_nccl
