// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace device_check {

/// Why a check cannot be made on this machine.
struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws what a check has found, unless it holds.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// What was asked of the program, and the checks so far: one printed line each.
struct Report {
  bool small = false;
  bool failed = false;
  void check(const std::string& name, const std::function<void()>& f);
};

void check_plugins(Report& report);
void check_layouts(Report& report);
void check_golden(Report& report);
void check_graphs(Report& report);
void check_groups(Report& report);
void check_large(Report& report);

/// That NCCL, which groups of one device do not need, is there and moves bytes. Throws where it does not.
void check_nccl();

}  // namespace device_check
