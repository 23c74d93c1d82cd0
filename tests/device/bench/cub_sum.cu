// SPDX-License-Identifier: Apache-2.0
#include "cub_sum.hpp"

#include <cub/device/device_reduce.cuh>
#include <stdexcept>

namespace device_bench {
namespace {

void must(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

}  // namespace

template <class T>
CubSum<T>::CubSum(std::int64_t n) : n_(n) {
  must(cub::DeviceReduce::Sum(nullptr, bytes_, static_cast<const T*>(nullptr), sum_, n));
  must(cudaMalloc(&scratch_, bytes_));
  must(cudaMalloc(&sum_, sizeof(T)));
  must(cudaMallocHost(&value_, sizeof(T)));
}

template <class T>
CubSum<T>::~CubSum() {
  cudaFree(scratch_);
  cudaFree(sum_);
  cudaFreeHost(value_);
}

template <class T>
void CubSum<T>::queue(const T* samples, cudaStream_t stream) {
  must(cub::DeviceReduce::Sum(scratch_, bytes_, samples, sum_, n_, stream));
  must(cudaMemcpyAsync(value_, sum_, sizeof(T), cudaMemcpyDeviceToHost, stream));
}

template class CubSum<double>;
template class CubSum<float>;

}  // namespace device_bench
