// SPDX-License-Identifier: Apache-2.0
// A plugin's entry called by hand, with its boxes packed by hand.
#pragma once

#include <cstdint>

#include <eagle/eagle.hpp>

#include "baselines.hpp"

namespace bench {

inline eagle_host_entry_v2 entry_of(const eagle::Plugin& plugin) {
  return reinterpret_cast<eagle_host_entry_v2>(plugin.host_entry());
}

template <class T>
ScalarHandle box_of(T* data, std::int64_t n) {
  return {const_cast<std::remove_const_t<T>*>(data), static_cast<std::uint64_t>(n), 1, EAGLE_DEVICE_CPU, 0};
}

/// The plugin axpy on all samples, in one call of its entry.
class DirectAxpy {
 public:
  DirectAxpy(const eagle::Plugin& axpy, const MapArguments<double>& args)
      : entry_(entry_of(axpy)), n_(args.n), y_(box_of(args.y, n_)), x_(box_of(args.x, n_)), a_(args.a), b_(args.b) {}
  DirectAxpy(const DirectAxpy&) = delete;
  DirectAxpy& operator=(const DirectAxpy&) = delete;
  void operator()() { entry_(params_, 0, n_, n_); }

 private:
  eagle_host_entry_v2 entry_;
  std::int64_t n_;
  ScalarHandle y_, x_;
  double a_, b_;
  void* params_[4] = {&y_, &x_, &a_, &b_};
};

}  // namespace bench
