// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <eagle/partition.hpp>

namespace eagle {

/// Watches a plan at work. Every member has an empty default. All are called on the thread that bound or launched, never
/// from inside a team. Only warning() and ignored() may throw: nothing has run or been written then, and the call is given up.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Something worth telling a person that is no error, e.g. an array that had to be copied.
  virtual void warning(std::string_view /*text*/) {}
  /// Something asked for that is left aside without harm: a profile that is of another machine or plugin, and why.
  virtual void ignored(std::string_view /*text*/) {}
  /// A partition is about to run. `label` is "eagle::Structure::phase", as Kokkos Tools see it.
  virtual void begin(std::string_view /*label*/, const Partition&) {}
  /// A partition has run.
  virtual void end(const Partition&) {}
  /// `done` of `total` samples are finished, as far as is known; called now and then while a host team works, and after
  /// each partition.
  virtual void progress(std::int64_t /*done*/, std::int64_t /*total*/) {}
  /// Polled a few times a second while a partition runs on the host, and between partitions: true stops the run with
  /// Error(interrupted); arrays are then valid but partly written.
  virtual bool stop_requested() { return false; }
};

}  // namespace eagle
