// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include <eagle/error.hpp>
#include <eagle/mapreduce.hpp>

/// Reductions of Kokkos::Views of rank 1 in the canonical order: one value on any number of threads. Views of any layout and
/// stride; lengths that differ are Error(argument).
namespace eagle {
namespace detail {

template <class View>
void check_vector() {
  static_assert(View::rank() == 1, "a View of rank 1 is reduced");
}

template <class View>
using ElementOf = typename View::non_const_value_type;

template <class T>
KOKKOS_INLINE_FUNCTION T magnitude(T x) {
  if constexpr (std::is_floating_point_v<T>) return Kokkos::fabs(x);
  else return x < T(0) ? static_cast<T>(T(0) - static_cast<std::make_unsigned_t<T>>(x)) : x;
}

/// The norm from a sum of squares, or nothing where squares may have overflowed or underflowed.
template <class T>
std::optional<T> norm_of_squares(T squares);
/// A power of two, 2^-exponent = first * second, and how to use it.
template <class T>
struct NormScale {
  int exponent;
  T first, second;
};
/// What to scale by, or nothing where the largest magnitude is the norm: 0, infinite or NaN.
template <class T>
std::optional<NormScale<T>> norm_scale(T largest);
template <class T>
T scaled_square(T x, const NormScale<T>& scale);
template <class T>
T scaled_norm(T squares, const NormScale<T>& scale);

/// a * b; integers wrap.
template <class T>
KOKKOS_INLINE_FUNCTION T product(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else return a * b;
}

// What the reductions below map, as functors that run on devices too.
template <class View>
struct Elements {
  View x;
  KOKKOS_FUNCTION ElementOf<View> operator()(std::int64_t i) const { return x(i); }
};
template <class ViewX, class ViewY>
struct Products {
  ViewX x;
  ViewY y;
  std::int64_t base = 0;  ///< the first sample that the Views hold
  KOKKOS_FUNCTION ElementOf<ViewX> operator()(std::int64_t i) const {
    return product<ElementOf<ViewX>>(x(i - base), y(i - base));
  }
};
template <class View>
struct Magnitudes {
  View x;
  KOKKOS_FUNCTION ElementOf<View> operator()(std::int64_t i) const { return magnitude<ElementOf<View>>(x(i)); }
};
template <class View>
struct ScaledSquares {
  using T = ElementOf<View>;
  View x;
  NormScale<T> scale;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    KOKKOS_IF_ON_HOST((return scaled_square<T>(x(i), scale);))
    KOKKOS_IF_ON_DEVICE(
        (const T y = rounded_product(rounded_product(T(x(i)), scale.first), scale.second); return rounded_product(y, y);))
  }
};

/// Folds contiguous memory where it lies, without a tile.
template <class O, class Space, class T>
  requires runs_on_host<Space>
T reduce_contiguous(const Space& space, const T* data, std::int64_t n, Precision precision) {
  using Spans = std::vector<Span<T>>;
  require_running();
  Collector<Spans> collector;
  for_each_share(space, "eagle::reduce", n, block_samples, collector, [&](std::int64_t first, std::int64_t last) {
    Spans spans = make_spans<Spans>(1, O::op, first, precision);
    spans[0].append(data + first, last - first);
    collector.add(first, std::move(spans));
  });
  return collector.merge_into(make_spans<Spans>(1, O::op, 0, precision))[0].finish(n);
}

/// What device kernels load 16 bytes at a time.
inline bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

template <class O, class Space, class View>
ElementOf<View> reduce(const Space& space, const View& x, Precision precision) {
  check_vector<View>();
  const auto n = static_cast<std::int64_t>(x.extent(0));
  if constexpr (Reducible<ElementOf<View>>)
    if ((x.stride(0) == 1 || n <= 1) && (runs_on_host<Space> || is_aligned(x.data())))
      return reduce_contiguous<O>(space, x.data(), n, precision);
  return mapreduce<O>(space, n, Elements<View>{x}, precision);
}

}  // namespace detail

/// The sum of x.
template <class Space, class View>
auto sum(const Space& space, const View& x, Precision precision = Precision::working) {
  return detail::reduce<Sum>(space, x, precision);
}

/// The largest element of x: IEEE 754-2019 maximum, so a NaN gives NaN and +0 is above -0.
template <class Space, class View>
auto max(const Space& space, const View& x) {
  return detail::reduce<Max>(space, x, Precision::working);
}

/// The sum of x(i) * y(i), each product rounded; integers wrap.
template <class Space, class ViewX, class ViewY>
auto dot(const Space& space, const ViewX& x, const ViewY& y, Precision precision = Precision::working) {
  detail::check_vector<ViewX>();
  detail::check_vector<ViewY>();
  using T = detail::ElementOf<ViewX>;
  static_assert(std::is_same_v<T, detail::ElementOf<ViewY>>, "dot takes Views of one element type");
  if (x.extent(0) != y.extent(0))
    throw Error(Code::argument,
                "dot: x has " + std::to_string(x.extent(0)) + " elements and y has " + std::to_string(y.extent(0)));
  const auto n = static_cast<std::int64_t>(x.extent(0));
  return mapreduce<Sum>(space, n, detail::Products<ViewX, ViewY>{x, y}, precision);
}

/// The sum of the magnitudes of x; that of the smallest integer wraps to itself.
template <class Space, class View>
auto asum(const Space& space, const View& x, Precision precision = Precision::working) {
  detail::check_vector<View>();
  return mapreduce<Sum>(space, static_cast<std::int64_t>(x.extent(0)), detail::Magnitudes<View>{x}, precision);
}

/// The Euclidean norm of x, of double or float. Where the plain sum of squares overflows, or is so small that squares may have
/// underflowed, x is scaled by the power of two of its largest magnitude, which is exact; so no representable result
/// overflows or underflows. A NaN gives NaN.
template <class Space, class View>
auto nrm2(const Space& space, const View& x) {
  detail::check_vector<View>();
  using T = detail::ElementOf<View>;
  static_assert(std::is_floating_point_v<T>, "nrm2 takes floating-point elements");
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const auto plain = mapreduce<Sum>(space, n, detail::Products<View, View>{x, x});
  if (const auto norm = detail::norm_of_squares(plain)) return *norm;
  const T largest = mapreduce<Max>(space, n, detail::Magnitudes<View>{x});
  const auto scale = detail::norm_scale(largest);
  if (!scale || n == 0) return n == 0 ? T(0) : largest;
  const T squares = mapreduce<Sum>(space, n, detail::ScaledSquares<View>{x, *scale});
  return detail::scaled_norm(squares, *scale);
}

}  // namespace eagle
