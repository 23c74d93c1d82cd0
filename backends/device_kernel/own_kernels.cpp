// SPDX-License-Identifier: Apache-2.0
#include "own_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include <eagle/error.hpp>
#include <fmt/format.h>

#include "kernels.hpp"
#include "kernels_image.hpp"

namespace eagle::cuda {
namespace {

std::string image_bytes() {
  const auto image = detail::kernels_image();
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

std::int64_t folded_at_once(DType dtype) {
  return visit(dtype, []<class T>(T) -> std::int64_t {
    if constexpr (Reducible<T>) return detail::folded_at_once<T>;
    else return 1;
  });
}

}  // namespace

bool OwnKernels::built() { return !detail::kernels_image().empty(); }

const OwnKernels& OwnKernels::of(const Gpu& gpu) {
  static std::mutex mutex;
  static auto& loaded = *new std::map<int, std::unique_ptr<const OwnKernels>>;  // never unloaded: the driver may be gone first
  const std::lock_guard lock(mutex);
  auto& kernels = loaded[gpu.ordinal()];
  if (!kernels) kernels = std::unique_ptr<const OwnKernels>(new OwnKernels(gpu));
  return *kernels;
}

OwnKernels::OwnKernels(const Gpu& gpu) : gpu_(gpu), module_(gpu, image_bytes(), "eagle's own device code") {
  for (std::size_t k = 0; k < 3; ++k) fill_[k] = module_.function(fmt::format("eagle_fill_{}", k == 0 ? 1 : k * 4));
  copy_ = module_.function("eagle_copy");
}

void OwnKernels::launch(Function function, std::int64_t blocks, int threads, Stream stream, void** params) const {
  if (blocks == 0) return;
  check(driver().launch(function, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads), 1, 1, 0, stream, params,
                        nullptr),
        "cuLaunchKernel");
}

void OwnKernels::launch_elements(Function function, std::int64_t count, Stream stream, void** params) const {
  const std::int64_t blocks = (count + detail::element_threads - 1) / detail::element_threads;
  launch(function, std::min<std::int64_t>(blocks, std::int64_t{32} * gpu_.multiprocessors()), detail::element_threads, stream,
         params);
}

void OwnKernels::fill(void* data, std::int64_t size, std::int64_t count, const std::array<std::byte, 8>& element,
                      Stream stream) const {
  unsigned long long pattern = 0;
  std::memcpy(&pattern, element.data(), element.size());
  long long elements = count;
  void* params[] = {&data, &elements, &pattern};
  launch_elements(fill_[size == 1 ? 0 : size == 4 ? 1 : 2], count, stream, params);
}

void OwnKernels::copy(const ArrayView& from, const ArrayView& to, Stream stream) const {
  if (from.shape.size() > detail::copied_axes)
    throw Error(Code::argument, fmt::format("an array {} has more than {} axes", to_string(from), detail::copied_axes));
  detail::StridedCopy copy{.from = from.data,
                           .to = to.data,
                           .from_dtype = from.dtype,
                           .to_dtype = to.dtype,
                           .rank = static_cast<std::int32_t>(from.shape.size()),
                           .count = from.size()};
  for (std::size_t k = 0; k < from.shape.size(); ++k) {
    copy.extents[k] = from.shape[k];
    copy.from_strides[k] = from.strides[k];
    copy.to_strides[k] = to.strides[k];
  }
  void* params[] = {&copy};
  launch_elements(copy_, from.size(), stream, params);
}

Folds::Folds(const OwnKernels& kernels, Op op, DType dtype, bool compensated) : kernels_(kernels), dtype_(dtype) {
  const std::string reduction = fmt::format("{}_{}{}", name(op), name(dtype), compensated ? "_compensated" : "");
  fold_ = kernels.module_.function("eagle_fold_" + reduction);
  join_ = kernels.module_.function("eagle_join_" + reduction);
}

void Folds::fold(Pointer samples, std::int64_t blocks, Pointer values, Stream stream) const {
  long long count = blocks;
  void* params[] = {&samples, &count, &values};
  const std::int64_t at_once = folded_at_once(dtype_);
  kernels_.launch(fold_, (blocks + at_once - 1) / at_once, detail::fold_threads, stream, params);
}

void Folds::join(Pointer values, std::int64_t groups, Pointer nodes, Stream stream) const {
  long long count = groups;
  void* params[] = {&values, &count, &nodes};
  kernels_.launch(join_, groups, detail::join_threads, stream, params);
}

}  // namespace eagle::cuda
