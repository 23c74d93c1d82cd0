// SPDX-License-Identifier: Apache-2.0
#include <eagle/cuda_fold.hpp>
#include <eagle/error.hpp>

#include "device_fold.hpp"

namespace eagle::detail {

static_assert(CudaFold<double>::tile_samples == cuda::DeviceFold::tile_samples);

template <Reducible T>
struct CudaFold<T>::State {
  cuda::DeviceMemory memory;
  cuda::DeviceFold fold;

  State(int device, void* stream, const AnySpan& kind, std::int64_t begin, std::int64_t end)
      : memory(cuda::Gpu::at(device), static_cast<cuda::Stream>(stream)), fold(memory, kind, begin, end) {}
  void wait() const {
    const cuda::Current current(memory.gpu());
    cuda::check(cuda::driver().synchronize(memory.stream()), "cuStreamSynchronize");
  }
};

template <Reducible T>
CudaFold<T>::CudaFold(int device, void* stream, Op op, Precision precision, std::int64_t begin, std::int64_t end)
    : state_(std::make_unique<State>(device, stream, AnySpan(op, dtype_of<T>(), precision), begin, end)) {}

template <Reducible T>
CudaFold<T>::~CudaFold() {
  try {
    state_->wait();
  } catch (const Error&) {  // was reported, or nobody asks any more
  }
}

template <Reducible T>
void CudaFold<T>::queue(const T* samples, std::int64_t begin, std::int64_t count) {
  const cuda::Current current(state_->memory.gpu());
  state_->fold.queue(reinterpret_cast<cuda::Pointer>(samples), begin, count, state_->memory.stream());
}

template <Reducible T>
Span<T> CudaFold<T>::finish() {
  state_->wait();
  return *state_->fold.take().template as<T>();
}

#define EAGLE_INSTANTIATE(T) template class CudaFold<T>;
EAGLE_EACH_REDUCIBLE(EAGLE_INSTANTIATE)

}  // namespace eagle::detail
