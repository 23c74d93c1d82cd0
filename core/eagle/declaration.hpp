// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/dtype.hpp>
#include <eagle/number.hpp>

namespace eagle {

/// One argument of a body, as its sidecar declares it.
struct Argument {
  Role role = Role::per_sample;
  std::string name;
  DType dtype = DType::float64;
  /// Components a sample: 1 for a scalar, w for a vector, R * C for a matrix. 0: known only at run (tables, wide planes).
  std::int64_t width = 1;
  /// {R, C} of a matrix.
  std::optional<std::array<std::int64_t, 2>> shape;
  /// What a mutable that is not given starts from.
  std::optional<Number> initial;
  /// Whether the box is the 40-byte one of planes (vectors and matrices) rather than the 32-byte one of handles.
  bool is_plane = false;
};

/// Everything that manifest and sidecar say of one plugin, validated. Paths are absolute and inside the bundle.
struct Declaration {
  std::string id;
  std::string kernel;
  std::string pattern;
  std::string aether_abi;
  std::string scalar_type = "float64";
  std::string format;  ///< "ptx", "cubin", "fatbin" or "host": what the artifact is
  std::int64_t schema_version = 2;
  std::int64_t order = 0;
  std::vector<Target> targets;           ///< exec_targets; of a v1 artifact the one its format implies
  Access access = Access::sample_local;  ///< exec_access; a v1 artifact counts as sample_local
  std::optional<Op> op;
  std::vector<Argument> arguments;  ///< in arg_spec order
  bool terminated_readonly = true;
  std::string host_entry;  ///< symbol of the host entry
  std::filesystem::path manifest;
  std::filesystem::path sidecar;
  std::filesystem::path artifact;                      ///< as the manifest names it
  std::optional<std::filesystem::path> host_artifact;  ///< the host library, where the plugin ships one
  /// Manifest and sidecar as they were read.
  std::vector<std::shared_ptr<const std::string>> texts;

  [[nodiscard]] bool is_v1() const noexcept { return schema_version == 1; }
  [[nodiscard]] bool ships(Target target) const noexcept {
    for (const Target each : targets)
      if (each == target) return true;
    return false;
  }
};

/// Whether the body writes an argument.
bool is_output(const Argument& argument, const Declaration& plugin) noexcept;

}  // namespace eagle
