// SPDX-License-Identifier: Apache-2.0
#include <eagle/partition.hpp>

#include <algorithm>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle {

std::string to_string(const Partition& p) { return fmt::format("({}, {}, {})", p.base, p.count, p.n_samples); }

Partition part_of(const Partition& whole, std::int64_t parts, std::int64_t r) {
  if (parts < 1 || parts > most_parts)
    throw Error(Code::partition, fmt::format("npartitions is {}: 1 to {} are accepted", parts, most_parts));
  if (r < 0 || r >= parts) throw Error(Code::partition, fmt::format("part {} of {} does not exist", r, parts));
  const std::int64_t share = whole.count / parts;
  const std::int64_t larger = whole.count % parts;
  return {whole.base + r * share + std::min(r, larger), share + (r < larger ? 1 : 0), whole.n_samples};
}

std::vector<Partition> split_evenly(std::int64_t n, std::int64_t parts) {
  if (n < 0) throw Error(Code::partition, fmt::format("n_samples is {}: at least 0 is needed", n));
  std::vector<Partition> result;
  for (std::int64_t r = 0; r < std::max<std::int64_t>(parts, 1); ++r) result.push_back(part_of(Partition::whole(n), parts, r));
  return result;
}

void check_cover(std::span<const Partition> partitions) {
  if (partitions.empty())
    throw Error(Code::partition, "partitions is an empty list: give at least one (base, count, n_samples), or leave it out");
  const std::int64_t n = partitions.front().n_samples;
  std::int64_t next = 0;
  for (std::size_t k = 0; k < partitions.size(); ++k) {
    const Partition& p = partitions[k];
    const auto refuse = [&](const std::string& why) {
      throw Error(Code::partition, fmt::format("partition {} is {}: {}", k, to_string(p), why));
    };
    if (p.n_samples != n) refuse(fmt::format("its n_samples differs from partition 0's, {}", n));
    if (n < 0) refuse("n_samples must be at least 0");
    if (p.count < 0) refuse("count must be at least 0");
    if (p.base != next) refuse(fmt::format("it must start where the one before ends, at {}", next));
    if (p.count > n - next) refuse(fmt::format("it reaches beyond n_samples {}", n));
    next += p.count;
  }
  if (next != n)
    throw Error(Code::partition,
                fmt::format("the partitions cover [0, {}) and n_samples is {}: they must cover [0, {})", next, n, n));
}

}  // namespace eagle
