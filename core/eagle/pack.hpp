// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: the one place where arguments become boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/memory.hpp>
#include <eagle/observer.hpp>
#include <eagle/plugin.hpp>
#include <eagle/value.hpp>

namespace eagle::detail {

/// What packing depends on beside the arguments.
struct PackOptions {
  Access access = Access::sample_local;
  Op op = Op::sum;                        ///< of a mapreduce
  std::optional<std::int64_t> n;          ///< fixed by the plan
  std::uint64_t index_bytes = 4;          ///< width of nsamples
  bool fold = false;                      ///< whether a mapreduce folds its accumulate outputs to one value each
  bool copy_outputs = false;              ///< whether an output in another layout may be copied in and back
  const Memory* memory = &host_memory();  ///< where the bodies run
  bool staging = false;                   ///< whether arrays of host memory may be copied there and back
  Layouts layouts;
  Observer* observer = nullptr;
};

/// One argument, bound.
struct Slot {
  Argument argument;
  std::optional<ArrayView> given;  ///< as the caller gave it
  std::optional<Array> made;       ///< what eagle made for it: a plane that was not given, or a copy of one that was
  std::optional<Array> shown;      ///< what results show instead of `made`, in host memory
  std::optional<ArrayView> back;   ///< where `made` goes back to after a run
  ArrayView bound;                 ///< what the box points at; a plane as component rows
  bool returned = false;           ///< whether run gives it back
  alignas(8) std::byte box[40] = {};

  /// The array that results show.
  [[nodiscard]] const ArrayView& array() const { return given ? *given : shown ? shown->view() : made->view(); }
  /// What owns it where eagle made it.
  [[nodiscard]] std::shared_ptr<const void> storage() const {
    return given ? nullptr : shown ? shown->storage() : made->storage();
  }
};

/// A bound argument list. `params` points into `slots`, which therefore never moves.
struct Packed {
  std::vector<Slot> slots;
  std::vector<void*> params;
  std::vector<ArrayView> arrays;  ///< what each box points at, as Slot::bound
  std::int64_t n = 0;
  bool single = false;
  bool shows_host = false;  ///< whether outputs that nobody gave are shown in host memory, which the bodies do not reach

  /// Copies outputs to where they go back to after a run.
  void copy_back(const Memory& memory) const;
};

/// Checks the arguments against the declaration and packs them. Errors name the argument, what came and what is accepted;
/// nothing given is written.
std::unique_ptr<Packed> pack(const Plugin& plugin, const PackOptions& options, const Values& values);

/// Whether repack() touches memory that launches under way may use: what eagle has made for the argument, planes of partials.
bool repack_disturbs(const Packed& packed, const PackOptions& options, const std::string& name);

/// Packs one argument anew, checked like pack(), and seeds planes of partials again. On an error the old value stays bound.
void repack(Packed& packed, const Plugin& plugin, const PackOptions& options, const std::string& name, const Value& value);

}  // namespace eagle::detail
