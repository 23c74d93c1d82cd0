// SPDX-License-Identifier: Apache-2.0
// sample_local on integers: the finaliser of splitmix64, bit for bit in 64 bits.
#include <eagle/body.hpp>

EAGLE_PLUGIN(hash_mix, (eagle::Scalar<std::int64_t>, h), (eagle::Scalar<const std::int64_t>, k), (std::int64_t, seed)) {
  auto z = static_cast<std::uint64_t>(k[i]) + static_cast<std::uint64_t>(seed);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  h[i] = static_cast<std::int64_t>(z ^ (z >> 31));
}
