// SPDX-License-Identifier: Apache-2.0
#include <eagle/convert.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace eagle::detail {
namespace {

/// NumPy's can_cast(From, To, 'safe'), a boolean being one byte.
template <class From, class To>
constexpr bool safe() {
  constexpr bool from_bool = std::is_same_v<From, std::uint8_t>;
  constexpr bool to_bool = std::is_same_v<To, std::uint8_t>;
  if constexpr (std::is_same_v<From, To> || from_bool) return true;
  else if constexpr (to_bool) return false;
  else if constexpr (std::is_floating_point_v<To>) return std::is_same_v<To, double>;
  else if constexpr (std::is_floating_point_v<From>) return false;
  else return sizeof(To) > sizeof(From) && (std::is_signed_v<To> || std::is_unsigned_v<From>);
}

template <class From, class To>
void copy_rows(const From* from, To* to, const ArrayView& source, const ArrayView& target, std::size_t axis) {
  if (axis == source.shape.size()) {
    *to = static_cast<To>(*from);
    return;
  }
  const std::int64_t extent = source.shape[axis], step = source.strides[axis], stride = target.strides[axis];
  if (axis + 1 == source.shape.size()) {
    for (std::int64_t k = 0; k < extent; ++k) to[k * stride] = static_cast<To>(from[k * step]);
    return;
  }
  for (std::int64_t k = 0; k < extent; ++k) copy_rows(from + k * step, to + k * stride, source, target, axis + 1);
}

/// Bytes [low, high) relative to data that an array with elements reaches, and the gcd of its steps in bytes.
struct Extent {
  std::uintptr_t low, high;
  std::int64_t step;
};

Extent extent_of(const ArrayView& array) {
  const std::int64_t size = size_of(array.dtype);
  std::int64_t low = 0, high = size, step = 0;
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    if (array.shape[k] == 1) continue;
    const std::int64_t reach = (array.shape[k] - 1) * array.strides[k] * size;
    (reach < 0 ? low : high) += reach;
    step = std::gcd(step, array.strides[k] * size);
  }
  const auto base = reinterpret_cast<std::uintptr_t>(array.data);
  return {base + static_cast<std::uintptr_t>(low), base + static_cast<std::uintptr_t>(high), step};
}

}  // namespace

bool widens(DType from, DType to) noexcept {
  return visit(from, [to]<class From>(From) { return visit(to, []<class To>(To) { return safe<From, To>(); }); });
}

void copy(const ArrayView& from, const ArrayView& to) {
  if (from.size() == 0) return;
  visit(from.dtype, [&]<class From>(From) {
    visit(to.dtype, [&]<class To>(To) {
      if constexpr (safe<From, To>()) copy_rows(static_cast<const From*>(from.data), static_cast<To*>(to.data), from, to, 0);
    });
  });
}

bool repeats_elements(const ArrayView& array) {
  if (array.size() == 0) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // step, extent
  for (std::size_t k = 0; k < array.shape.size(); ++k)
    if (array.shape[k] > 1) axes.emplace_back(std::abs(array.strides[k]), array.shape[k]);
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (const auto& [step, extent] : axes) {
    if (step <= reach) return true;
    reach += step * (extent - 1);
  }
  return false;
}

bool may_overlap(const ArrayView& a, const ArrayView& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const Extent ea = extent_of(a), eb = extent_of(b);
  if (ea.high <= eb.low || eb.high <= ea.low) return false;
  const std::int64_t step = std::gcd(ea.step, eb.step);
  if (step == 0) return true;
  // Elements of a start at data_a modulo step, those of b at data_b modulo step.
  const auto distance =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data) - reinterpret_cast<std::uintptr_t>(a.data));
  const std::int64_t offset = ((distance % step) + step) % step;
  return offset < size_of(a.dtype) || offset + size_of(b.dtype) > step;
}

}  // namespace eagle::detail
