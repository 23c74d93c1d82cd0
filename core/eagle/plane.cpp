// SPDX-License-Identifier: Apache-2.0
#include <eagle/plane.hpp>

#include <algorithm>
#include <vector>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

/// The shapes that one sample may have, e.g. {3, 3} and {9} for a 3x3 matrix.
std::vector<Extents> heads_of(const Argument& argument, const ArrayView& array, std::optional<Layout> layout) {
  if (!argument.is_plane) return {{}};
  if (argument.shape) return {{(*argument.shape)[0], (*argument.shape)[1]}, {argument.width}};
  if (argument.width == 1) return {{1}, {}};
  if (argument.width > 1 || array.shape.empty()) return {{argument.width}};
  // A width that only the plane tells.
  const auto first = array.shape.begin(), last = array.shape.end();
  if (array.shape.size() == 1) return {{first, last}};
  return {layout == Layout::sample ? Extents(first + 1, last) : Extents(first, last - 1)};
}

/// Moves the first axis behind the others.
ArrayView samples_last(ArrayView view) {
  std::rotate(view.shape.begin(), view.shape.begin() + 1, view.shape.end());
  std::rotate(view.strides.begin(), view.strides.begin() + 1, view.strides.end());
  return view;
}

bool begins_with(const Extents& shape, const Extents& head) { return std::equal(head.begin(), head.end(), shape.begin()); }
bool ends_with(const Extents& shape, const Extents& head) { return std::equal(head.rbegin(), head.rend(), shape.rbegin()); }

}  // namespace

std::string accepted_shapes(const Argument& argument) {
  if (!argument.is_plane) return "(n,)";
  if (argument.shape)
    return fmt::format("({0}, {1}, n), ({2}, n), (n, {0}, {1}) or (n, {2})", (*argument.shape)[0], (*argument.shape)[1],
                       argument.width);
  if (argument.width == 0) return "(w, n)";
  return fmt::format("({0}, n) or (n, {0})", argument.width);
}

PlaneReading read_plane(const Argument& argument, const ArrayView& array, std::optional<Layout> layout) {
  for (const Extents& head : heads_of(argument, array, layout)) {
    if (array.shape == head && head != Extents{1}) {
      ArrayView view = array;
      view.shape.push_back(1);
      view.strides.push_back(1);
      return {std::move(view), true};
    }
    if (array.shape.size() != head.size() + 1) continue;
    bool component = begins_with(array.shape, head);
    bool sample = !head.empty() && ends_with(array.shape, head);
    if (component && sample && head != Extents{1} && !layout)
      throw Error(Code::argument,
                  fmt::format("argument '{0}' is {1}, and its first as well as its last axis could count samples: "
                              "say layout={{'{0}': 'component'}} (samples last) or 'sample' (samples first)",
                              argument.name, to_string(array)));
    if (layout && !head.empty()) (*layout == Layout::component ? sample : component) = false;
    if (component) return {array, false};
    if (sample) return {samples_last(array), false};
  }
  throw Error(Code::argument, fmt::format("argument '{}' is {}: its shape must be {}{}", argument.name, to_string(array),
                                          accepted_shapes(argument), layout ? " as layout says" : ""));
}

std::optional<ArrayView> as_rows(const PlaneReading& plane) {
  const ArrayView& view = plane.view;
  const std::size_t heads = view.shape.size() - 1;
  const std::int64_t n = plane.samples();
  if (n > 1 && view.strides[heads] != 1) return std::nullopt;
  ArrayView rows = view;
  if (view.size() == 0 || heads == 0) {
    rows.shape = {heads == 0 ? 1 : plane.width(), n};
    rows.strides = {n, 1};
    return rows;
  }
  std::optional<std::int64_t> stride;  // of one row to the next
  std::int64_t width = 1;              // of the axes so far, which are one if each begins where the next inner one ends
  for (std::size_t k = heads; k-- > 0;) {
    if (view.shape[k] == 1) continue;
    if (stride && view.strides[k] != width * *stride) return std::nullopt;
    if (!stride) stride = view.strides[k];
    width *= view.shape[k];
  }
  if (stride && *stride < 0) return std::nullopt;
  rows.shape = {width, n};
  rows.strides = {stride.value_or(n), 1};
  return rows;
}

std::int64_t rows_of(const ArrayView& array) noexcept { return array.shape.size() == 2 ? array.shape[0] : 1; }

std::byte* row_of(const ArrayView& array, std::int64_t row) noexcept {
  const std::int64_t stride = array.shape.size() == 2 ? array.strides[0] : 0;
  return static_cast<std::byte*>(array.data) + row * stride * size_of(array.dtype);
}

}  // namespace eagle::detail
