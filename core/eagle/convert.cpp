// SPDX-License-Identifier: Apache-2.0
#include <eagle/convert.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

namespace eagle::detail {
namespace {

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

/// One unknown of an equation: coefficient * x with 0 <= x <= most.
struct Unknown {
  std::int64_t coefficient, most;
};

/// Whether sum(coefficient * x) == target has a solution; true where finding out takes too many steps. The unknowns are
/// sorted by coefficient, the largest first, so that of nested axes few values are left to try.
bool solvable(const Unknown* first, const Unknown* last, std::int64_t target, int& steps) {
  if (first == last) return target == 0;
  std::int64_t rest = 0;
  for (const Unknown* each = first + 1; each != last; ++each) rest += each->coefficient * each->most;
  const std::int64_t least = target <= rest ? 0 : (target - rest - 1) / first->coefficient + 1;
  const std::int64_t most = target < 0 ? -1 : std::min(first->most, target / first->coefficient);
  for (std::int64_t x = least; x <= most; ++x)
    if (--steps < 0 || solvable(first + 1, last, target - x * first->coefficient, steps)) return true;
  return false;
}

/// Adds coefficient * x to an equation whose coefficients are positive; gives what that moves the target by.
std::int64_t add(std::vector<Unknown>& unknowns, std::int64_t coefficient, std::int64_t most) {
  if (coefficient == 0 || most == 0) return 0;
  const std::int64_t size = std::abs(coefficient);
  const auto same = std::find_if(unknowns.begin(), unknowns.end(), [size](const Unknown& u) { return u.coefficient == size; });
  if (same != unknowns.end()) same->most += most;
  else unknowns.push_back({size, most});
  return coefficient < 0 ? size * most : 0;
}

}  // namespace

bool widens(DType from, DType to) noexcept {
  return visit(from, [to]<class From>(From) { return visit(to, []<class To>(To) { return widens_to<From, To>; }); });
}

void copy(const ArrayView& from, const ArrayView& to) {
  if (from.size() == 0) return;
  visit(from.dtype, [&]<class From>(From) {
    visit(to.dtype, [&]<class To>(To) {
      if constexpr (widens_to<From, To>) copy_rows(static_cast<const From*>(from.data), static_cast<To*>(to.data), from, to, 0);
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
  // A byte of a is a byte of b: data_a + steps of a + byte in an element == data_b + steps of b + byte in an element.
  std::vector<Unknown> unknowns;
  auto target = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data) - reinterpret_cast<std::uintptr_t>(a.data));
  for (const auto& [array, sign] : {std::pair(&a, std::int64_t{1}), std::pair(&b, std::int64_t{-1})}) {
    const std::int64_t size = size_of(array->dtype);
    for (std::size_t k = 0; k < array->shape.size(); ++k)
      if (array->shape[k] > 1) target += add(unknowns, sign * size * array->strides[k], array->shape[k] - 1);
    target += add(unknowns, sign, size - 1);
  }
  std::sort(unknowns.begin(), unknowns.end(), [](const Unknown& x, const Unknown& y) { return x.coefficient > y.coefficient; });
  int steps = 100000;
  return solvable(unknowns.data(), unknowns.data() + unknowns.size(), target, steps);
}

}  // namespace eagle::detail
