// SPDX-License-Identifier: Apache-2.0
/// What a plugin is written with: argument boxes that read like arrays, and EAGLE_PLUGIN, which turns the body of one
/// sample into every symbol that an artifact exports. The same source is a host library to a C++ compiler and a PTX,
/// cubin or fatbin to nvcc.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <eagle/abi.h>

#ifndef EAGLE_INDEX_BITS
#define EAGLE_INDEX_BITS 32  // 64: the body may run over 2^32 samples and more
#endif

namespace eagle {

/// Counts samples. The sample that a body is called for, and the type of an nsamples argument.
using Index = std::conditional_t<EAGLE_INDEX_BITS == 64, std::uint64_t, std::uint32_t>;
static_assert(EAGLE_INDEX_BITS == 32 || EAGLE_INDEX_BITS == 64, "EAGLE_INDEX_BITS is 32 or 64");

/// The box of one scalar a sample, of a table, or of a wide or accumulate plane: x[i]. T is const where the body only reads.
template <class T>
class Scalar {
 public:
  EAGLE_FUNCTION T& operator[](std::uint64_t i) const { return static_cast<T*>(box_.data)[i]; }
  /// The length of a lookup or wide_in; of other arguments the run's number of samples.
  EAGLE_FUNCTION std::uint64_t size() const { return box_.samples; }

 private:
  ScalarHandle box_;
};

/// The box of one vector or matrix a sample: Plane<double[3]> is p(c, i), Plane<const double[2][3]> is m(r, k, i).
template <class T>
class Plane {
 public:
  using Element = std::remove_all_extents_t<T>;
  static_assert(std::rank_v<T> == 1 || std::rank_v<T> == 2, "Plane<T[width]> or Plane<T[rows][columns]>");

  EAGLE_FUNCTION Element& operator()(int c, std::uint64_t i) const {
    return static_cast<Element*>(box_.data)[static_cast<std::uint64_t>(c) * box_.compStride + i];
  }
  EAGLE_FUNCTION Element& operator()(int r, int k, std::uint64_t i) const {
    static_assert(std::rank_v<T> == 2, "only a matrix has rows and columns");
    return (*this)(r * static_cast<int>(std::extent_v<T, 1>) + k, i);
  }

 private:
  GRefMirror box_;
};

static_assert(sizeof(Scalar<double>) == sizeof(ScalarHandle) && std::is_trivially_copyable_v<Scalar<double>>);
static_assert(sizeof(Plane<double[3]>) == sizeof(GRefMirror) && std::is_trivially_copyable_v<Plane<double[3]>>);

/// place += value, where other samples may add to the same place: atomic on a device. For accumulate planes of
/// cross_sample_write; a mapreduce stores its partial.
template <class T>
EAGLE_FUNCTION void add(T& place, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    atomicAdd(reinterpret_cast<unsigned long long*>(&place), static_cast<unsigned long long>(value));
  else atomicAdd(&place, value);
#else
  place += value;
#endif
}

namespace detail {

/// Calls body(i, boxes...) for the samples of a partition. The boxes are copied, so that they can stay in registers.
template <auto body, class... Boxes>
void run(void (*)(Index, Boxes...), void* const* params, std::int64_t base, std::int64_t count) {
  const auto loop = [=](Boxes... boxes) {
    const Index end = static_cast<Index>(base + count);
    for (Index i = static_cast<Index>(base); i < end; ++i) body(i, boxes...);
  };
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    loop(*static_cast<const Boxes*>(params[k])...);
  }(std::index_sequence_for<Boxes...>());
}

}  // namespace detail
}  // namespace eagle

/// EAGLE_PLUGIN(name, (type, argument)...) { body } defines the plugin called `name`: the body of sample i, with the arguments
/// in arg_spec order, and all that its artifact exports. One plugin a source file; a body leaves with return.
///
///     EAGLE_PLUGIN(axpy, (eagle::Scalar<double>, y), (eagle::Scalar<const double>, x), (double, a), (double, b)) {
///       y[i] = a * x[i] + b;
///     }
///
/// Built by eagle_add_plugin, the arguments are checked against its ARGS.
#define EAGLE_PLUGIN(name, ...)                                                                     \
  EAGLE_CHECK_DECLARATION(__VA_ARGS__)                                                              \
  static EAGLE_FUNCTION inline void name##_body(eagle::Index, EAGLE_EACH(EAGLE_TYPE, __VA_ARGS__)); \
  EAGLE_EXPORTS                                                                                     \
  EAGLE_ENTRY(name, __VA_ARGS__)                                                                    \
  static EAGLE_FUNCTION inline void name##_body([[maybe_unused]] eagle::Index i, EAGLE_EACH(EAGLE_PARAMETER, __VA_ARGS__))

#define EAGLE_TYPE(type, name) type
#define EAGLE_NAME(type, name) name
#define EAGLE_PARAMETER(type, name) type name

#ifdef __CUDACC__
#define EAGLE_EXPORTS                                                                                                          \
  extern "C" {                                                                                                                 \
  static __device__ __attribute__((used)) const std::uint64_t eagle_layout_sizes[] = EAGLE_LAYOUT_SIZES(sizeof(eagle::Index)); \
  static __device__ __attribute__((used)) const char eagle_abi_tag[] = EAGLE_ABI_V2;                                           \
  }
#define EAGLE_ENTRY(name, ...)                                                                                           \
  extern "C" __global__ void name(EAGLE_EACH(EAGLE_PARAMETER, __VA_ARGS__), long long eagle_base, long long eagle_count, \
                                  long long /*nSamples*/) {                                                              \
    const long long eagle_k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;                             \
    if (eagle_k < eagle_count)                                                                                           \
      name##_body(static_cast<eagle::Index>(eagle_base + eagle_k), EAGLE_EACH(EAGLE_NAME, __VA_ARGS__));                 \
  }
#else
#define EAGLE_EXPORTS                                                                  \
  extern "C" {                                                                         \
  EAGLE_EXPORT extern const std::uint64_t eagle_layout_sizes[EAGLE_LAYOUT_WORDS];      \
  EAGLE_EXPORT extern const char eagle_abi_tag[];                                      \
  const std::uint64_t eagle_layout_sizes[] = EAGLE_LAYOUT_SIZES(sizeof(eagle::Index)); \
  const char eagle_abi_tag[] = EAGLE_ABI_V2;                                           \
  }
#define EAGLE_ENTRY(name, ...)                                                                         \
  extern "C" EAGLE_EXPORT void name##_host(void* const* params, std::int64_t base, std::int64_t count, \
                                           std::int64_t /*nSamples*/) {                                \
    eagle::detail::run<name##_body>(name##_body, params, base, count);                                 \
  }
#endif

// EAGLE_DECLARATION: the (type, argument) pairs that ARGS of eagle_add_plugin stand for.
#ifdef EAGLE_DECLARATION
#define EAGLE_CHECK_DECLARATION(...)                                                                                           \
  static_assert(std::is_same_v<void(EAGLE_EACH(EAGLE_TYPE, __VA_ARGS__)), void(EAGLE_EACH(EAGLE_TYPE, EAGLE_DECLARATION))>,    \
                "EAGLE_PLUGIN's types are not those of eagle_add_plugin's ARGS, sorted by role and then by name: " EAGLE_TEXT( \
                    EAGLE_DECLARATION));                                                                                       \
  static_assert(std::string_view(EAGLE_TEXT(EAGLE_EACH(EAGLE_NAME, __VA_ARGS__))) ==                                           \
                    EAGLE_TEXT(EAGLE_EACH(EAGLE_NAME, EAGLE_DECLARATION)),                                                     \
                "EAGLE_PLUGIN's names are not those of eagle_add_plugin's ARGS, sorted by role and then by name: " EAGLE_TEXT( \
                    EAGLE_DECLARATION));
#else
#define EAGLE_CHECK_DECLARATION(...)
#endif

// EAGLE_EACH(macro, (a, b), (c, d)) is macro(a, b), macro(c, d): up to 80 pairs.
#define EAGLE_EACH(macro, ...) __VA_OPT__(EAGLE_SCAN(EAGLE_EACH_STEP(macro, __VA_ARGS__)))
#define EAGLE_EACH_STEP(macro, first, ...) macro first __VA_OPT__(, EAGLE_EACH_AGAIN EAGLE_PARENTHESES(macro, __VA_ARGS__))
#define EAGLE_EACH_AGAIN() EAGLE_EACH_STEP
#define EAGLE_PARENTHESES ()
#define EAGLE_SCAN(...) EAGLE_SCAN_16(EAGLE_SCAN_16(EAGLE_SCAN_16(EAGLE_SCAN_16(__VA_ARGS__))))
#define EAGLE_SCAN_16(...) EAGLE_SCAN_4(EAGLE_SCAN_4(EAGLE_SCAN_4(EAGLE_SCAN_4(__VA_ARGS__))))
#define EAGLE_SCAN_4(...) EAGLE_SCAN_1(EAGLE_SCAN_1(EAGLE_SCAN_1(EAGLE_SCAN_1(__VA_ARGS__))))
#define EAGLE_SCAN_1(...) __VA_ARGS__
#define EAGLE_TEXT(...) EAGLE_QUOTE(__VA_ARGS__)
#define EAGLE_QUOTE(...) #__VA_ARGS__
