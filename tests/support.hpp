// SPDX-License-Identifier: Apache-2.0
// What several test programs share.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <eagle/error.hpp>
#include <eagle/partition.hpp>

namespace support {

inline std::filesystem::path bundle(const std::string& name) { return std::filesystem::path(EAGLE_TEST_BUNDLES) / name; }
inline std::filesystem::path data(const std::string& name) { return std::filesystem::path(EAGLE_TEST_DATA) / name; }

/// The message with which f is refused; a failure if it is not, or with another code.
template <class F>
std::string refusal(eagle::Code code, F&& f) {
  try {
    f();
  } catch (const eagle::Error& e) {
    EXPECT_EQ(name(e.code()), name(code)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "was not refused";
  return "";
}

/// Deterministic numbers in [0, 1): splitmix64 of (seed, i), 53 bits.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
inline std::vector<double> uniforms(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(mixed(seed + i) >> 11) * 0x1p-53;
  return values;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Ways to cut n samples: whole, even, uneven, with empty parts, many.
inline std::vector<std::vector<eagle::Partition>> cuts(std::int64_t n) {
  std::vector<std::vector<eagle::Partition>> result = {{eagle::Partition::whole(n)}};
  for (const std::int64_t parts : {2, 3, 7, 64}) result.push_back(eagle::split_evenly(n, parts));
  if (n > 2) result.push_back({{0, 1, n}, {1, 0, n}, {1, n - 2, n}, {n - 1, 1, n}});
  return result;
}

}  // namespace support
