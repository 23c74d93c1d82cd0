// SPDX-License-Identifier: Apache-2.0
// What the tests of mapreduces compare with: the value of samples that were computed one by one, and bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <eagle/span.hpp>

template <class T>
std::uint64_t bits(T value) {
  std::uint64_t result = 0;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

template <class T>
T folded(eagle::Op op, const std::vector<T>& values, eagle::Precision precision = eagle::Precision::working) {
  eagle::Span<T> span(op, 0, precision);
  span.append(values.data(), static_cast<std::int64_t>(values.size()));
  return span.finish(static_cast<std::int64_t>(values.size()));
}
