// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <eagle/convert.hpp>
#include <eagle/error.hpp>
#include <fmt/format.h>

#include "own_kernels.hpp"

namespace eagle::cuda {
namespace {

/// Pageable memory goes through two pinned pieces of this size, one filled while the other is on its way.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;

Pointer address_of(const void* data) { return reinterpret_cast<Pointer>(data); }

/// Two pinned pieces that take turns, and when each is free again.
class Turns {
 public:
  Turns(const Gpu& gpu, std::size_t bytes, Stream stream)
      : size_(std::min(bytes, piece_bytes)),
        stream_(stream),
        pieces_{Pinned(gpu, size_), Pinned(gpu, size_)},
        free_{Marker(gpu), Marker(gpu)} {}
  ~Turns() { driver().synchronize(stream_); }  // also where a copy has failed: the others use the pieces
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  std::byte* piece(std::size_t turn) { return pieces_[turn % 2].data(); }
  /// Notes that what the stream has been given uses a piece.
  void use(std::size_t turn) { free_[turn % 2].set(stream_); }
  void wait(std::size_t turn) { free_[turn % 2].wait(); }

 private:
  std::size_t size_;
  Stream stream_;
  std::array<Pinned, 2> pieces_;
  std::array<Marker, 2> free_;
};

}  // namespace

Pinned::Pinned(const Gpu& gpu, std::size_t bytes) : gpu_(gpu) {
  const Current current(gpu);
  void* data = nullptr;
  check(driver().allocate_host(&data, std::max<std::size_t>(bytes, 1), 0), "cuMemHostAlloc");
  data_ = static_cast<std::byte*>(data);
  std::memset(data_, 0, bytes);
}

Pinned::~Pinned() {
  try {
    const Current current(gpu_);
    driver().free_host(data_);
  } catch (const Error&) {  // a lost device frees nothing
  }
}

Buffer::Buffer(const Gpu& gpu, Stream stream, std::size_t bytes) : gpu_(gpu), stream_(stream) {
  if (bytes == 0) return;
  const Current current(gpu);
  const int result = gpu.has_pools() ? driver().allocate_async(&address_, bytes, stream) : driver().allocate(&address_, bytes);
  if (result == out_of_memory) throw Error(Code::memory, fmt::format("no memory for {} bytes on {}", bytes, gpu.describe()));
  check(result, gpu.has_pools() ? "cuMemAllocAsync" : "cuMemAlloc");
}

Buffer::~Buffer() {
  if (address_ == 0) return;
  try {
    const Current current(gpu_);
    const int result = gpu_.has_pools() ? driver().free_async(address_, stream_) : driver().free(address_);
    if (result == success || code_of(result) != Code::internal || !gpu_.has_pools()) return;
    driver().synchronize(stream_);  // the stream does not take it: free() waits for nothing that a pool has given
    driver().free(address_);
  } catch (const Error&) {  // a lost device frees nothing
  }
}

Device device_of(const void* address) {
  unsigned type = 0, managed = 0;
  int ordinal = 0;
  std::array<int, 3> attributes = {memory_type, is_managed, device_ordinal};
  std::array<void*, 3> values = {&type, &managed, &ordinal};
  check(driver().pointer_attributes(static_cast<unsigned>(attributes.size()), attributes.data(), values.data(),
                                    address_of(address)),
        "cuPointerGetAttributes");
  if (type == 0) return {};
  if (managed != 0) return {Device::cuda_managed, ordinal};
  return {type == device_memory_type ? Device::cuda : Device::cuda_host, type == device_memory_type ? ordinal : 0};
}

namespace {

/// device_of() an address of an array; errors read on from "argument 'x' ...".
Device found_at(const ArrayView& array, const void* address) {
  try {
    return device_of(address);
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("is said to lie on {}, and {}", to_string(array.device), e.what()));
  }
}

/// That the first and the last byte of an array lie on one device.
void check_ends(const ArrayView& array, const Device& device) {
  const auto data = reinterpret_cast<std::intptr_t>(array.data);
  std::intptr_t first = data, last = data + size_of(array.dtype) - 1;
  for (std::size_t k = 0; k < array.shape.size(); ++k)
    (array.strides[k] < 0 ? first : last) += array.strides[k] * (array.shape[k] - 1) * size_of(array.dtype);
  for (const std::intptr_t end : {first, last})
    if (found_at(array, reinterpret_cast<const void*>(end)) != device)
      throw Error(Code::argument,
                  fmt::format("({}) spans {} bytes, and CUDA knows no memory of {} at its {}: give the shape and strides that "
                              "the memory has",
                              to_string(array), last - first + 1, to_string(device), end == last ? "end" : "beginning"));
}

}  // namespace

bool DeviceMemory::reaches(const ArrayView& array) const {
  if (array.device.type != Device::cuda && array.device.type != Device::cuda_managed) return false;
  if (array.size() == 0) return array.device.type == Device::cuda_managed || array.device.id == gpu_.ordinal();
  const Device found = found_at(array, array.data);
  if (found.type == Device::cuda_managed) {
    check_ends(array, found);
    return true;
  }
  if (found.type != Device::cuda)
    throw Error(Code::argument,
                fmt::format("is said to lie on {}, and CUDA knows no device memory at its address", to_string(array.device)));
  if (found != array.device)
    throw Error(Code::argument, fmt::format("is said to lie on {}, and CUDA knows its address on {}", to_string(array.device),
                                            to_string(found)));
  check_ends(array, found);
  return found.id == gpu_.ordinal();
}

Array DeviceMemory::make(DType dtype, Extents shape) const {
  ArrayView array = view(static_cast<void*>(nullptr), dtype, {0});  // checks nothing yet
  array.shape = std::move(shape);
  array.strides = row_major_strides(array.shape);
  array.device = device();
  const auto bytes = static_cast<std::size_t>(checked_bytes(dtype, array.shape));
  const auto describe = [&] { return fmt::format("no memory for an array {} on {}", to_string(array), gpu_.describe()); };
  std::shared_ptr<Buffer> buffer;
  try {
    buffer = std::make_shared<Buffer>(gpu_, stream_, bytes);
  } catch (const Error& e) {
    throw Error(e.code(), e.code() == Code::memory ? describe() : e.what());
  }
  if (bytes > 0) {
    const Current current(gpu_);
    check(driver().set_bytes(buffer->address(), 0, bytes, stream_), "cuMemsetD8Async");
  }
  array.data = reinterpret_cast<void*>(buffer->address());
  return {std::move(array), std::move(buffer)};
}

void DeviceMemory::fill(const ArrayView& gapless, const Number& number) const {
  const std::int64_t count = gapless.size(), size = size_of(gapless.dtype);
  if (count == 0) return;
  std::array<std::byte, 8> element = {};
  number.store(gapless.dtype, element.data());
  const Current current(gpu_);
  const bool even = std::all_of(element.begin(), element.begin() + size, [&](std::byte b) { return b == element[0]; });
  if (even) {
    check(driver().set_bytes(address_of(gapless.data), std::to_integer<unsigned char>(element[0]),
                             static_cast<std::size_t>(count * size), stream_),
          "cuMemsetD8Async");
    check(driver().synchronize(stream_), "cuStreamSynchronize");
  } else if (OwnKernels::built()) {
    OwnKernels::of(gpu_).fill(gapless.data, size, count, element, stream_);
    check(driver().synchronize(stream_), "cuStreamSynchronize");
  } else {
    const Array here = host_memory().make(gapless.dtype, gapless.shape);
    host_memory().fill(here.view(), number);
    copy(here.view(), gapless);
  }
}

void DeviceMemory::to_device(const std::byte* from, Pointer to, std::size_t bytes, bool pinned) const {
  const Driver& cu = driver();
  if (pinned || bytes <= piece_bytes / 64) {
    check(cu.copy_to_device(to, from, bytes, stream_), "cuMemcpyHtoDAsync");
    return check(cu.synchronize(stream_), "cuStreamSynchronize");
  }
  Turns turns(gpu_, bytes, stream_);
  for (std::size_t at = 0, turn = 0; at < bytes; ++turn) {
    const std::size_t count = std::min(turns.size(), bytes - at);
    turns.wait(turn);
    std::memcpy(turns.piece(turn), from + at, count);
    check(cu.copy_to_device(to + at, turns.piece(turn), count, stream_), "cuMemcpyHtoDAsync");
    turns.use(turn);
    at += count;
  }
  check(cu.synchronize(stream_), "cuStreamSynchronize");
}

void DeviceMemory::to_host(Pointer from, std::byte* to, std::size_t bytes, bool pinned) const {
  const Driver& cu = driver();
  if (pinned || bytes <= piece_bytes / 64) {
    check(cu.copy_to_host(to, from, bytes, stream_), "cuMemcpyDtoHAsync");
    return check(cu.synchronize(stream_), "cuStreamSynchronize");
  }
  Turns turns(gpu_, bytes, stream_);
  const std::size_t size = turns.size(), pieces = (bytes + size - 1) / size;
  const auto count = [&](std::size_t piece) { return std::min(size, bytes - piece * size); };
  for (std::size_t sent = 0, taken = 0; taken < pieces; ++taken) {
    for (; sent < std::min(pieces, taken + 2); ++sent) {
      check(cu.copy_to_host(turns.piece(sent), from + sent * size, count(sent), stream_), "cuMemcpyDtoHAsync");
      turns.use(sent);
    }
    turns.wait(taken);
    std::memcpy(to + taken * size, turns.piece(taken), count(taken));
  }
}

void DeviceMemory::copy_strided(const ArrayView& from, const ArrayView& to) const {
  if (!OwnKernels::built())
    throw Error(
        Code::unsupported,
        fmt::format("an array {} on {} has to be copied to another layout or type, which this eagle was built without the "
                    "kernels for (no nvcc was found): give a contiguous array of the declared type",
                    to_string(from), gpu_.describe()));
  OwnKernels::of(gpu_).copy(from, to, stream_);
  check(driver().synchronize(stream_), "cuStreamSynchronize");
}

void DeviceMemory::copy(const ArrayView& from, const ArrayView& to) const {
  const auto bytes = static_cast<std::size_t>(from.bytes());
  if (bytes == 0) return;
  const Current current(gpu_);
  const bool alike = from.dtype == to.dtype && from.is_contiguous() && to.is_contiguous();
  const bool from_here = !on_host(from) || from.device.type == Device::cuda_managed;
  const bool to_here = !on_host(to) || to.device.type == Device::cuda_managed;
  if (from_here && to_here) {
    if (!alike) return copy_strided(from, to);
    check(driver().copy_on_device(address_of(to.data), address_of(from.data), bytes, stream_), "cuMemcpyDtoDAsync");
    return check(driver().synchronize(stream_), "cuStreamSynchronize");
  }
  const auto bytes_of = [](const ArrayView& array) { return static_cast<std::byte*>(array.data); };
  if (alike && to_here) return to_device(bytes_of(from), address_of(to.data), bytes, from.device.type == Device::cuda_host);
  if (alike) return to_host(address_of(from.data), bytes_of(to), bytes, to.device.type == Device::cuda_host);
  // The host's side is the one that is reordered or converted, and the device's is gapless or made so.
  if (to_here) {
    const Array here = host_memory().make(to.dtype, to.shape);
    host_memory().copy(from, here.view());
    if (to.is_contiguous()) return copy(here.view(), to);
    const Array there = make(to.dtype, to.shape);
    copy(here.view(), there.view());
    return copy_strided(there.view(), to);
  }
  if (!from.is_contiguous()) {
    const Array there = make(from.dtype, from.shape);
    copy_strided(from, there.view());
    return copy(there.view(), to);
  }
  const Array here = host_memory().make(from.dtype, from.shape);
  copy(from, here.view());
  host_memory().copy(here.view(), to);
}

void copy_between(const DeviceMemory& source, const ArrayView& from, const DeviceMemory& target, const ArrayView& to) {
  if (from.size() == 0) return;
  const Current on_source(source.gpu());
  Marker written(source.gpu());
  written.set(source.stream());
  const Current on_target(target.gpu());
  written.hold(target.stream());
  check(driver().copy_between(address_of(to.data), target.gpu().context(), address_of(from.data), source.gpu().context(),
                              static_cast<std::size_t>(from.bytes()), target.stream()),
        "cuMemcpyPeerAsync");
  check(driver().synchronize(target.stream()), "cuStreamSynchronize");
}

}  // namespace eagle::cuda
