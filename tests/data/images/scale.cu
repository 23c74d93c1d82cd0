// SPDX-License-Identifier: Apache-2.0
// The source of scale.cubin and scale.fatbin: x *= a, a sample_local body for the device.
#include <eagle/abi.h>

extern "C" __device__ const char eagle_abi_tag[] = EAGLE_ABI_V2;
extern "C" __device__ const uint64_t eagle_layout_sizes[EAGLE_LAYOUT_WORDS] = EAGLE_LAYOUT_SIZES(4);

// A function that is no kernel.
extern "C" __device__ __noinline__ double scaled(double x, double a) { return x * a; }

extern "C" __global__ void scale(ScalarHandle x, double a, long long base, long long count, long long /*nSamples*/) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  auto* data = static_cast<double*>(x.data) + base;
  if (i < count) data[i] = scaled(data[i], a);
}
