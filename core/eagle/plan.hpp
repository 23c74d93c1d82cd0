// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/array.hpp>
#include <eagle/partition.hpp>
#include <eagle/plugin.hpp>
#include <eagle/structure.hpp>
#include <eagle/value.hpp>

namespace eagle {

/// What a plan is made of beside the plugin.
struct PlanOptions {
  StructurePtr structure = nullptr;                      ///< where the body runs; there is no default
  std::vector<Partition> partitions = {};                ///< explicit parts, contiguous from 0, covering [0, n_samples)
  std::int64_t npartitions = 1;                          ///< or this many even parts, larger ones first
  std::optional<std::int64_t> n_samples = std::nullopt;  ///< fixes n where no plane does
  std::optional<Access> exec_access = std::nullopt;      ///< may only restrict the declared access
  std::optional<Op> exec_op = std::nullopt;              ///< must equal the declared op
  std::optional<bool> combine = std::nullopt;            ///< only of a mapreduce: false gives the plane of partials
  std::optional<Precision> precision = std::nullopt;     ///< only of a mapreduce: compensated for sums of floating-point type
  bool check_replicated = false;                         ///< of ranks: whether they compare their inputs
  Layouts layout = {};                                   ///< which axis of a plane counts samples, where both could
  /// Settings that `eagle tune` has measured, for options of the structure that are at their defaults: a file, "auto" for
  /// profile_path(), or "none". Not given: "auto" where $EAGLE_PROFILE is set. One of another machine or build of the plugin is
  /// ignored, which the observer is told. Never changes a result.
  std::filesystem::path profile = {};
  std::shared_ptr<Observer> observer = nullptr;  ///< told of partitions, progress and copies
};

/// What a run gave back: its outputs by name, in arg_spec order. Holds the arrays that eagle made; arrays that the caller
/// gave are views of the caller's memory.
class Result {
 public:
  struct Output {
    std::string name;
    ArrayView array;
    std::shared_ptr<const void> keep;  ///< what owns the memory where eagle made the array
    std::vector<Array> replicas = {};  ///< of device_group: on each device, in the group's order, until the next rebind
  };
  explicit Result(std::vector<Output> outputs) : outputs_(std::move(outputs)) {}
  [[nodiscard]] const std::vector<Output>& outputs() const noexcept { return outputs_; }
  /// The output called name; Error(argument) naming those there are.
  [[nodiscard]] const ArrayView& array(std::string_view name) const;
  /// The one element of an output that has one. Error(type) unless T is its dtype.
  template <class T>
  [[nodiscard]] T value(std::string_view name) const {
    T element;
    read(name, dtype_of<T>(), &element);
    return element;
  }

 private:
  void read(std::string_view name, DType dtype, void* element) const;
  std::vector<Output> outputs_;
};

namespace detail {
struct PlanState;
struct BoundState;
}  // namespace detail

/// A plan whose arguments are packed: launch it as often as wanted. Holds the arrays it made and borrows those it was
/// given, which must outlive it.
class BoundPlan {
 public:
  explicit BoundPlan(std::unique_ptr<detail::BoundState> state);
  BoundPlan(BoundPlan&&) noexcept;
  BoundPlan& operator=(BoundPlan&&) noexcept;
  ~BoundPlan();
  /// Runs the body over the plan's partitions; copies and packs nothing, and allocates nothing but, where a mapreduce is
  /// folded, some KiB a thread. Error(argument), here and in the calls below, while another of the same object is under way.
  void launch();
  /// The same on a stream: a CUstream or cudaStream_t, null for CUDA's legacy default stream. Queues and returns; result()
  /// waits, and the stream must live until then. A launch comes after those before it, also on other streams. It may be
  /// captured into a CUDA graph, which replays with the arguments bound then. Error(argument) where the structure has no
  /// streams.
  void launch(void* stream);
  /// Packs one argument anew, checked as by bind; planes of partials (combine=false) are seeded again. On an error the old
  /// one stays. Waits for launches that use what eagle has made for the argument, or those planes; a staged
  /// output goes back to the old array first.
  void rebind(const std::string& name, const Value& value);
  /// Waits for launches and gives the outputs. Error(argument) where a value is folded and the last launch did not run to
  /// its end.
  [[nodiscard]] Result result() const;
  /// The outputs, whether anything was launched or not.
  [[nodiscard]] std::vector<Result::Output> outputs() const;
  /// The number of samples.
  [[nodiscard]] std::int64_t n_samples() const noexcept;

 private:
  friend class Plan;
  void launch_on(std::optional<void*> stream);
  std::unique_ptr<detail::BoundState> state_;
};

/// A decision, made and checked before anything runs: which body runs where, in which parts. Cheap to copy; safe from
/// several threads.
class Plan {
 public:
  explicit Plan(std::shared_ptr<const detail::PlanState> state) : state_(std::move(state)) {}
  /// Checks and packs the arguments. Outputs must have the native layout: component-major, samples contiguous.
  [[nodiscard]] BoundPlan bind(const Values& values) const;
  /// bind, launch and result in one, with the same bits; an output in another layout is copied in and back.
  Result run(const Values& values) const;
  /// For what this process refuses before it binds or runs (a binding's conversions): throws `refusal`, on every process where
  /// the structure has several, in the place of the call that they all make.
  void agree(std::exception_ptr refusal) const;
  /// Structure, partitions and the rule that allowed them, for people.
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] const Plugin& plugin() const noexcept;

 private:
  std::shared_ptr<const detail::PlanState> state_;
};

/// Plans a plugin. Refuses, in this order: what its declaration forbids (Error(placement), naming the rule), partitions that
/// do not tile the samples, a structure that was not built (Error(not_built)), a profile that is named
/// and cannot be read.
Plan plan(const Plugin& plugin, PlanOptions options);

}  // namespace eagle
