// SPDX-License-Identifier: Apache-2.0
#include <eagle/memory.hpp>

#include <cstring>
#include <utility>

#include <eagle/convert.hpp>

namespace eagle {
namespace {

class HostMemory final : public Memory {
 public:
  Device device() const override { return {}; }
  bool reaches(const ArrayView& array) const override { return on_host(array); }
  Array make(DType dtype, Extents shape) const override { return {dtype, std::move(shape)}; }
  void fill(const ArrayView& gapless, const Number& number) const override {
    const std::int64_t size = size_of(gapless.dtype), count = gapless.size();
    if (count == 0) return;
    auto* bytes = static_cast<std::byte*>(gapless.data);
    number.store(gapless.dtype, bytes);
    for (std::int64_t k = 1; k < count; ++k) std::memcpy(bytes + k * size, bytes, static_cast<std::size_t>(size));
  }
  void copy(const ArrayView& from, const ArrayView& to) const override { detail::copy(from, to); }
};

}  // namespace

const Memory& host_memory() {
  static const HostMemory memory;
  return memory;
}

bool on_host(const ArrayView& array) noexcept {
  return array.device.type == Device::cpu || array.device.type == Device::cuda_host ||
         array.device.type == Device::cuda_managed;
}

}  // namespace eagle
