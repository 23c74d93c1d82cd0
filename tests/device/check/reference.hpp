// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <eagle/abi.h>
#include <eagle/structure.hpp>

namespace device_check {

/// What a device is compared with: the host twin of a plugin, called once a partition.
class Reference final : public eagle::Structure {
 public:
  Reference() : Structure(eagle::StructureKind::host_team) {}
  std::string describe() const override { return "the host twin, called once a partition"; }
  void prepare(const eagle::Plugin& plugin) const override { static_cast<void>(plugin.host_entry()); }

 private:
  std::string_view label() const noexcept override { return "device_check::Reference"; }

  void drive(const eagle::Call& call, const eagle::Partition& partition) const override {
    const std::size_t outputs = call.reductions.size();
    std::vector<void*> params(call.params.begin(), call.params.end());
    std::vector<std::vector<std::uint64_t>> partials(outputs);  // elements have at most 8 bytes
    std::vector<ScalarHandle> boxes(outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
      const eagle::Reduction& reduction = call.reductions[k];
      partials[k].resize(static_cast<std::size_t>(partition.count) + 1);
      reduction.total.fill_identity(partials[k].data(), partition.count);
      // A body stores at the sample's index.
      const auto before = static_cast<std::uintptr_t>(partition.base * eagle::size_of(reduction.total.dtype()));
      boxes[k] = {reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(partials[k].data()) - before),
                  static_cast<std::uint64_t>(partition.n_samples), 1, EAGLE_DEVICE_CPU, 0};
      params[reduction.argument] = &boxes[k];
    }
    const auto entry = reinterpret_cast<eagle_host_entry_v2>(call.plugin.host_entry());
    entry(params.data(), partition.base, partition.count, partition.n_samples);
    for (std::size_t k = 0; k < outputs; ++k) call.reductions[k].total.append(partials[k].data(), partition.count);
  }
};

}  // namespace device_check
