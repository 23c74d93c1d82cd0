// SPDX-License-Identifier: Apache-2.0
#include <eagle/declaration.hpp>

namespace eagle {

bool is_output(const Argument& argument, const Declaration& plugin) noexcept {
  switch (argument.role) {
    case Role::mutable_:
    case Role::out:
    case Role::wide_out:
    case Role::accum_out: return true;
    case Role::lookup: return argument.name == "finished_count";
    case Role::terminated: return !plugin.terminated_readonly;
    case Role::vec_in:
    case Role::mat_in:
    case Role::wide_in:
    case Role::per_sample:
    case Role::uniform:
    case Role::nsamples: break;
  }
  return false;
}

}  // namespace eagle
