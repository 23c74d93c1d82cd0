// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <eagle/array.hpp>
#include <eagle/structures.hpp>

namespace eagle::python {

/// What arrays that a plan makes on a device hang on: its structure, the caller's streams, and the one that last wrote them.
/// Used with the GIL.
class Origin {
 public:
  Origin(StructurePtr structure, pybind11::object stream) : structure_(std::move(structure)), of_plan_(std::move(stream)) {}
  [[nodiscard]] const Structure& structure() const { return *structure_; }
  [[nodiscard]] const Memory& memory() const { return structure_->memory(); }
  /// The same for another bound plan.
  [[nodiscard]] std::shared_ptr<Origin> fresh() const { return std::make_shared<Origin>(structure_, of_plan_); }
  /// Where the last launch was queued, if not on the plan's stream; `owner` is the caller's object, which is kept.
  void set_stream(std::optional<void*> stream, pybind11::object owner);
  /// What is given to arrays on a device, in whose order they were written.
  [[nodiscard]] DeviceStream stream(int device) const;
  [[nodiscard]] DeviceStream stream() const { return stream(memory().device().id); }

 private:
  StructurePtr structure_;
  pybind11::object of_plan_, of_launch_;
  std::optional<void*> launched_on_;
};

/// An output that eagle made on a device.
class DeviceArray {
 public:
  DeviceArray(std::string name, ArrayView array, std::shared_ptr<const void> storage, std::shared_ptr<const Origin> origin)
      : name_(std::move(name)), array_(std::move(array)), kept_(new Kept{std::move(origin), std::move(storage)}) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ArrayView& array() const { return array_; }
  /// Of bytes, as NumPy has them.
  [[nodiscard]] pybind11::tuple strides() const;
  [[nodiscard]] pybind11::dict cuda_array_interface() const;
  [[nodiscard]] pybind11::object dlpack(const pybind11::object& stream, const pybind11::object& max_version,
                                        const pybind11::object& dl_device, const pybind11::object& copy) const;
  [[nodiscard]] pybind11::array copy_to_host() const;

 private:
  /// The storage goes first: it is given back in the order of a stream that the origin keeps.
  struct Kept {
    std::shared_ptr<const Origin> origin;
    std::shared_ptr<const void> storage;
  };
  /// Has the memory's own stream, which copies are on, come after what has written the array.
  void order_memory() const;
  [[nodiscard]] const Memory& memory() const { return kept_->origin->memory(); }

  std::string name_;
  ArrayView array_;
  std::shared_ptr<const Kept> kept_;
};

}  // namespace eagle::python
