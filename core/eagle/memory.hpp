// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <eagle/array.hpp>
#include <eagle/number.hpp>

namespace eagle {

/// A stream of a CUDA device: a CUstream or cudaStream_t, null for the legacy default stream.
struct DeviceStream {
  int device = 0;
  void* stream = nullptr;
};

/// Where the bodies of a structure find their planes: what makes, fills and copies arrays there.
class Memory {
 public:
  virtual ~Memory() = default;
  /// Where its arrays lie.
  [[nodiscard]] virtual Device device() const = 0;
  /// The stream in whose order its arrays on a device are made, copied and used by launches that name no other; nothing of the
  /// host's memory, and of devices that are not its own.
  [[nodiscard]] virtual std::optional<DeviceStream> stream(int /*device*/) const { return std::nullopt; }
  /// Whether bodies can use an array where it lies. Error(argument) where it does not lie where it says. Errors read on
  /// from "argument 'x' ...".
  [[nodiscard]] virtual bool reaches(const ArrayView& array) const = 0;
  /// An array, zeroed and row-major. Error(memory) naming the shape where there is no room.
  [[nodiscard]] virtual Array make(DType dtype, Extents shape) const = 0;
  /// Sets every element of a gapless array of this memory. Error(argument) where the number does not fit the type.
  virtual void fill(const ArrayView& gapless, const Number& number) const = 0;
  /// Copies between arrays of one shape, of this memory or the host's; the dtypes are equal or widen. Returns when both may be
  /// used again.
  virtual void copy(const ArrayView& from, const ArrayView& to) const = 0;
};

/// The memory of this process.
const Memory& host_memory();

/// Whether host code can read an array where it lies: host memory, pinned or not, and managed memory.
bool on_host(const ArrayView& array) noexcept;

}  // namespace eagle
