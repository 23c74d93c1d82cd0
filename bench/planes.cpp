// SPDX-License-Identifier: Apache-2.0
#include "planes.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>

#include "benchmarks.hpp"

namespace bench {
namespace {

/// What is left to the rest of the machine.
constexpr std::int64_t reserve = std::int64_t{1} << 30;

/// Bytes that Linux can give without swapping.
std::int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Planes& Planes::of(std::int64_t n, int owners) {
  static std::map<std::int64_t, Planes> all;
  const auto found = all.find(n);
  return found != all.end() ? found->second : all.emplace(n, Planes(n, owners)).first->second;
}

void* Planes::array(std::size_t k) {
  auto& memory = arrays_[k].memory;
  if (memory) return memory.get();
  const std::int64_t bytes = (8 * n_ + 63) / 64 * 64;
  const std::int64_t available = available_bytes() - reserve;
  if (bytes * owners_ > available)
    throw Unavailable(fmt::format("an array of {} MiB more is needed, and {} MiB are available", bytes * owners_ >> 20,
                                  std::max<std::int64_t>(available, 0) >> 20));
  void* const made = std::aligned_alloc(64, static_cast<std::size_t>(bytes));
  if (made == nullptr)
    throw Unavailable(fmt::format("{} MiB could not be allocated: is memory limited (ulimit -v)?", bytes >> 20));
  memory.reset(made);
  fill<double>(static_cast<double*>(made), n_, [](std::int64_t) { return 0.0; });
  return made;
}

}  // namespace bench
