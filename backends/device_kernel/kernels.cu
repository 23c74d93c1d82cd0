// SPDX-License-Identifier: Apache-2.0
#include "device_kernel/kernels.hpp"

#include "device_kernel/copy_kernels.hpp"
#include "device_kernel/reduction_kernels.hpp"

// A named one: of one without a name the compiler makes a name from the path of this file, and builds in two folders differ.
namespace eagle_kernels {

using eagle::detail::Term;

constexpr unsigned whole_warp = 0xffffffffU;

/// This thread's part of a Block (kernel_block.hpp).
template <int n>
struct ThreadBlock {
  static constexpr int threads = n;
  template <class V>
  struct Each {
    V value;
    __device__ V& operator[](int) { return value; }
  };

  __device__ long long index() const { return blockIdx.x; }
  __device__ long long count() const { return gridDim.x; }

  template <class F>
  __device__ __forceinline__ void each(F f) const {
    f(static_cast<int>(threadIdx.x));
  }

  template <int width, class V>
  __device__ __forceinline__ Each<V> down(const Each<V>& from, int distance) const {
    static_assert(width <= 32 && sizeof(V) % sizeof(unsigned) == 0);
    unsigned words[sizeof(V) / sizeof(unsigned)];
    __builtin_memcpy(words, &from.value, sizeof(V));
    for (unsigned& word : words) word = __shfl_down_sync(whole_warp, word, distance, width);
    Each<V> to;
    __builtin_memcpy(&to.value, words, sizeof(V));
    return to;
  }

  template <int stride, class V>
  __device__ __forceinline__ Each<V> gather(const Each<V>& from) const {
    __shared__ V gathered[threads / stride];
    if (threadIdx.x % stride == 0) gathered[threadIdx.x / stride] = from.value;
    __syncthreads();
    const Each<V> to = {gathered[threadIdx.x % (threads / stride)]};
    __syncthreads();
    return to;
  }
};

}  // namespace eagle_kernels

using namespace eagle_kernels;

#define EAGLE_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

#define EAGLE_REDUCTION_KERNELS(name, O, T, compensated)                                                 \
  EAGLE_KERNEL(eagle::detail::fold_threads)                                                              \
  eagle_fold_##name(const T* __restrict__ samples, long long blocks, Term<T>* __restrict__ values) {     \
    using Block = ThreadBlock<eagle::detail::fold_threads>;                                              \
    eagle::detail::fold<O, T, compensated>(Block(), samples, blocks, values);                            \
  }                                                                                                      \
  EAGLE_KERNEL(eagle::detail::join_threads)                                                              \
  eagle_join_##name(const Term<T>* __restrict__ values, long long groups, Term<T>* __restrict__ nodes) { \
    using Block = ThreadBlock<eagle::detail::join_threads>;                                              \
    eagle::detail::join<O, T, compensated>(Block(), values, groups, nodes);                              \
  }
EAGLE_EACH_REDUCTION(EAGLE_REDUCTION_KERNELS)

#define EAGLE_FILL_KERNEL(bytes, Word)                                          \
  EAGLE_KERNEL(eagle::detail::element_threads)                                  \
  eagle_fill_##bytes(void* data, long long count, unsigned long long pattern) { \
    using Block = ThreadBlock<eagle::detail::element_threads>;                  \
    eagle::detail::fill<Word>(Block(), data, count, pattern);                   \
  }
EAGLE_FILL_KERNEL(1, std::uint8_t)
EAGLE_FILL_KERNEL(4, std::uint32_t)
EAGLE_FILL_KERNEL(8, std::uint64_t)

EAGLE_KERNEL(eagle::detail::element_threads) eagle_copy(const __grid_constant__ eagle::detail::StridedCopy copy) {
  eagle::detail::copy_strided(ThreadBlock<eagle::detail::element_threads>(), copy);
}
