// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <eagle/abi.h>
#include <eagle/declaration.hpp>
#include <eagle/image.hpp>

namespace eagle {

/// A plugin of a bundle: its validated declaration and checked artifacts. Copies share one state; safe from several threads.
/// Nothing of the artifact runs before the first host_entry().
class Plugin {
 public:
  /// `images` holds what check_image() accepted, one a shipped target.
  Plugin(Declaration declaration, std::map<Target, Image> images);
  /// A body that the caller has already loaded for the one target of the declaration: `entry` is a host entry (schema 1:
  /// eagle_host_entry_v1) or a CUfunction, and `keep` is held as long as the plugin is. It exports no words: its index word
  /// counts as 4. It has no files, so no digest.
  Plugin(Declaration declaration, void* entry, std::shared_ptr<const void> keep = nullptr);

  [[nodiscard]] const Declaration& declaration() const noexcept;
  [[nodiscard]] const std::string& id() const noexcept { return declaration().id; }

  /// The address of the host entry: eagle_host_entry_v2, or eagle_host_entry_v1 of a v1 artifact. Opens the host library on
  /// the first call. Error(bundle) where it cannot be opened or is not the file that was checked any more; Error(placement)
  /// where no host target is shipped.
  [[nodiscard]] void* host_entry() const;
  /// The CUfunction of a plugin that was given loaded for a device; null of every other.
  [[nodiscard]] void* device_function() const noexcept;
  /// What the file of a target says of itself. Error(placement) where the target is not shipped.
  [[nodiscard]] const Image& image(Target target) const;
  /// The bytes of the device artifact, as they were checked. Error(placement) where the device target is not shipped.
  [[nodiscard]] const std::string& device_image() const;
  /// The index word of the artifact that ships for a target: 4 where the body computes element indices in 32 bits, else 8.
  /// A v1 artifact, which exports no words, counts as 4. Error(placement) where the target is not shipped.
  [[nodiscard]] std::uint64_t index_bytes(Target target) const;
  /// What tells this plugin from every other: SHA-256 of the list of the SHA-256 (hexadecimal, a line each) of manifest,
  /// sidecar, artifact and, of two targets, host library, as they were checked, in 64 hexadecimal digits. Error(unsupported) of
  /// a plugin that was given loaded.
  [[nodiscard]] std::string digest() const;
  /// From now on host_entry() opens a copy of what was checked, which nothing can change, in the place of the file: what
  /// load() does where a digest is required. The library then has no file that a debugger or profiler finds by its name.
  void pin() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// A text for people, printable: id, schema, access, targets, and one line an argument.
std::string to_string(const Plugin& plugin);

}  // namespace eagle
