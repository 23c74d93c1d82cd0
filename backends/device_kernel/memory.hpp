// SPDX-License-Identifier: Apache-2.0
// Private to eagle::cuda: memory of a device, and pinned memory of the host.
#pragma once

#include <cstddef>
#include <memory>

#include <eagle/memory.hpp>

#include "gpu.hpp"

namespace eagle::cuda {

/// Host memory that a device reads and writes by itself; zeroed.
class Pinned {
 public:
  Pinned(const Gpu& gpu, std::size_t bytes);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  const Gpu& gpu_;
  std::byte* data_ = nullptr;
};

/// Bytes on a device, of the stream-ordered allocator where there is one: had and given back in the order of a stream.
class Buffer {
 public:
  Buffer(const Gpu& gpu, Stream stream, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] Pointer address() const noexcept { return address_; }

 private:
  const Gpu& gpu_;
  Stream stream_;
  Pointer address_ = 0;
};

/// Memory of one device, used in the order of one stream. Fills and copies have ended when they return; make() has not.
class DeviceMemory final : public Memory {
 public:
  DeviceMemory(const Gpu& gpu, Stream stream) : gpu_(gpu), stream_(stream) {}
  [[nodiscard]] const Gpu& gpu() const noexcept { return gpu_; }
  [[nodiscard]] Stream stream() const noexcept { return stream_; }

  [[nodiscard]] Device device() const override { return {Device::cuda, gpu_.ordinal()}; }
  [[nodiscard]] std::optional<DeviceStream> stream(int device) const override {
    return device == gpu_.ordinal() ? std::optional(DeviceStream{device, stream_}) : std::nullopt;
  }
  [[nodiscard]] bool reaches(const ArrayView& array) const override;
  [[nodiscard]] Array make(DType dtype, Extents shape) const override;
  void fill(const ArrayView& gapless, const Number& number) const override;
  void copy(const ArrayView& from, const ArrayView& to) const override;

 private:
  void copy_strided(const ArrayView& from, const ArrayView& to) const;
  void to_device(const std::byte* from, Pointer to, std::size_t bytes, bool pinned) const;
  void to_host(Pointer from, std::byte* to, std::size_t bytes, bool pinned) const;

  const Gpu& gpu_;
  Stream stream_;
};

/// Copies between gapless arrays of one type and size on two devices. Returns when both may be used again.
void copy_between(const DeviceMemory& source, const ArrayView& from, const DeviceMemory& target, const ArrayView& to);

/// Where an address lies: its device, managed or pinned memory, or the host's. Error(unavailable) without a driver.
Device device_of(const void* address);

}  // namespace eagle::cuda
