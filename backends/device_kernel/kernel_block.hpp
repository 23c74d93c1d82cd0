// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kernel bodies are written once, over a Block: a thread block of a device (kernels.cu), or loops over its threads on a host.
/// It is number index() of count(), and has
///   threads         how many they are
///   each(f)         f(t) for each thread t
///   Each<V>         a value of each thread; thread t touches each[t] alone
///   down<width>     thread t gets the value of thread t + distance, of its group of `width` threads; its own beyond that
///   gather<stride>  thread t gets the value of thread stride * (t mod (threads / stride))
/// All threads take part in down and gather.
#if defined(__CUDACC__)
#define EAGLE_BODY __device__ __forceinline__
#define EAGLE_UNROLL _Pragma("unroll")
#define EAGLE_NO_UNROLL _Pragma("unroll 1")
#else
#define EAGLE_BODY inline
#define EAGLE_UNROLL
#define EAGLE_NO_UNROLL
#endif

namespace eagle::detail {

/// f(k) for each k in [0, count), neighbours in neighbouring threads.
template <class Block, class F>
EAGLE_BODY void for_each_element(Block block, long long count, F f) {
  const long long step = block.count() * Block::threads;
  for (long long first = block.index() * Block::threads; first < count; first += step)
    block.each([&](int t) {
      if (first + t < count) f(first + t);
    });
}

}  // namespace eagle::detail
