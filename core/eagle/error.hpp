// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace eagle {

/// What kind of refusal an Error is. Python maps them to the exception named behind each.
enum class Code : std::uint8_t {
  bundle,       ///< a manifest, sidecar or artifact breaks its format (ValueError)
  placement,    ///< the declaration forbids the plan (ValueError)
  partition,    ///< partitions do not tile the samples (ValueError)
  argument,     ///< a plane or number is missing, unknown or of the wrong shape (ValueError)
  type,         ///< a plane has the wrong element type or kind (TypeError)
  memory,       ///< no memory for an array (MemoryError)
  limit,        ///< more samples than the artifact can carry (ValueError)
  unsupported,  ///< valid, but this version cannot run it (ValueError)
  not_found,    ///< a file does not exist (FileNotFoundError)
  io,           ///< a file cannot be read or written (OSError)
  not_built,    ///< the structure was not compiled in (RuntimeError)
  unavailable,  ///< built, but no device, driver, launcher or runtime was found (RuntimeError)
  body,         ///< a plugin body threw (RuntimeError)
  interrupted,  ///< an observer asked the run to stop (KeyboardInterrupt)
  internal,     ///< a fault of eagle itself (RuntimeError)
};

/// The name of a code as messages and JSON print it, e.g. "not_built".
std::string_view name(Code code) noexcept;

/// The one exception type of eagle. what() says which plugin, argument or partition, what was found and what is accepted, in
/// lines of printable text: what is none in the message, as names from files may be, becomes escapes, e.g. "\x1b". Of more than
/// 16 KiB the first are kept, and "...".
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message);
  [[nodiscard]] Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace eagle
