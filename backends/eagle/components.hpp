// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <eagle/span.hpp>

/// What the functors of <eagle/mapreduce.hpp> return.
namespace eagle::detail {

template <class Space>
constexpr bool runs_on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
#if defined(KOKKOS_ENABLE_CUDA)
template <class Space>
constexpr bool runs_on_cuda = std::is_same_v<Space, Kokkos::Cuda>;
#else
template <class Space>
constexpr bool runs_on_cuda = false;
#endif

/// Error(unavailable) where a launch would abort the process: Kokkos not running, or inside a parallel region.
void require_running();

/// The reduced type that holds an element: itself, or the fixed-width integer of its size and sign (long long, say).
template <class T>
using Reduced =
    std::conditional_t<!std::is_integral_v<T>, T,
                       std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;

/// The components of what a functor returns: itself, or the elements of a std::array or Kokkos::Array.
template <class Value>
struct Components {
  static_assert(std::is_same_v<Value, double> || std::is_same_v<Value, float> ||
                    (std::is_integral_v<Value> && (sizeof(Value) == 8 || sizeof(Value) == 4)),
                "a functor returns double, float, a 64- or 32-bit integer, or a std::array or Kokkos::Array of them");
  using Element = Reduced<Value>;
  static constexpr std::size_t count = 1;
  KOKKOS_INLINE_FUNCTION static Element get(const Value& value, std::size_t) { return value; }
  template <class Finish>
  static Value make(Finish&& finish) {
    return static_cast<Value>(finish(0));
  }
};
template <class Value>
struct ArrayComponents {
  using Element = typename Components<std::remove_cvref_t<decltype(std::declval<Value&>()[0])>>::Element;
  static constexpr std::size_t count = sizeof(Value) / sizeof(Element);
  static_assert(count <= 64, "a functor returns at most 64 components: each has a tile on the thread's stack");
  KOKKOS_INLINE_FUNCTION static Element get(const Value& value, std::size_t c) { return value[c]; }
  template <class Finish>
  static Value make(Finish&& finish) {
    Value value{};
    for (std::size_t c = 0; c < count; ++c) value[c] = finish(c);
    return value;
  }
};
template <class T, std::size_t K>
struct Components<std::array<T, K>> : ArrayComponents<std::array<T, K>> {};
template <class T, std::size_t K>
struct Components<Kokkos::Array<T, K>> : ArrayComponents<Kokkos::Array<T, K>> {};

template <class F>
using ValueOf = std::remove_cvref_t<std::invoke_result_t<const F&, std::int64_t>>;
template <class F>
using SpansOf = std::vector<Span<typename Components<ValueOf<F>>::Element>>;

}  // namespace eagle::detail
