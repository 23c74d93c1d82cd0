// SPDX-License-Identifier: Apache-2.0
// Private to eagle::cuda: kernels of artifacts, loaded and checked on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <eagle/plugin.hpp>

#include "gpu.hpp"

namespace eagle::cuda {

/// A module on a device, unloaded with the last that holds it.
class Module {
 public:
  /// `bytes` is a cubin, a fatbin or PTX with a zero byte at its end; `what` names it in errors. Error(bundle), with what the
  /// driver's compiler says, where the driver does not take it.
  Module(const Gpu& gpu, const std::string& bytes, const std::string& what);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  /// Error(bundle) where there is no kernel of that name.
  [[nodiscard]] Function function(const std::string& name) const;
  /// The first bytes of a global, as many as asked for; empty where the module shows no such global.
  [[nodiscard]] std::string global(const std::string& name, std::size_t bytes) const;

 private:
  const Gpu& gpu_;
  std::string what_;
  ModuleHandle handle_ = nullptr;
};

/// A kernel that can be launched.
struct Kernel {
  std::shared_ptr<const Module> module;  ///< null where the caller has loaded the function
  Function function = nullptr;
  std::shared_ptr<const std::string> image = nullptr;  ///< the bytes that the module was made of
  std::uint64_t index_bytes = 4;
  int best_block = 256;     ///< threads a block, from occupancy
  int most_threads = 1024;  ///< that a block may have
};

/// The kernel of a plugin on a device. Loaded once a device for as long as anyone holds it; its layout words, tag and parameter
/// sizes are those of the declaration. Error(bundle) where they are not or the driver does not take the artifact.
std::shared_ptr<const Kernel> kernel_of(const Gpu& gpu, const Plugin& plugin);

/// Launches `count` threads and returns at once. `params` points at one value a parameter.
void launch(const Kernel& kernel, std::int64_t count, int block, Stream stream, void** params);

}  // namespace eagle::cuda
