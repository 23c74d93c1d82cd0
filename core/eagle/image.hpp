// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eagle/finding.hpp>

namespace eagle {

/// What an artifact file is by its first bytes.
enum class ImageKind : std::uint8_t { host, cubin, ptx, fatbin, unknown };

/// The manifest's word for the format, e.g. "ptx"; or "unknown".
std::string_view name(ImageKind kind) noexcept;

/// Which file, and which version of it, a path led to.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_seconds = 0;
  std::int64_t modified_nanoseconds = 0;
  std::int64_t changed_seconds = 0;  ///< st_ctim, which nobody can set back
  std::int64_t changed_nanoseconds = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) noexcept = default;
  /// Equal but for st_ctim, which new permissions and links change as well.
  [[nodiscard]] bool resembles(FileIdentity other) const noexcept {
    other.changed_seconds = changed_seconds;
    other.changed_nanoseconds = changed_nanoseconds;
    return *this == other;
  }
};

/// The identity of the file at a path, links followed; all zeros where there is none.
FileIdentity file_identity(const std::filesystem::path& path) noexcept;

/// What an artifact file says of itself. It owns all that it holds; the file need not outlive it.
struct Image {
  std::filesystem::path path;  ///< absolute
  FileIdentity identity;
  std::shared_ptr<const std::string> bytes;  ///< all of the file, as it was read
  ImageKind kind = ImageKind::unknown;
  int bits = 0;                        ///< size of an address: 64 or 32, 0 where the file does not say
  bool little_endian = true;           ///< false only of a big-endian ELF file
  std::uint16_t machine = 0;           ///< ELF's e_machine
  std::uint16_t type = 0;              ///< ELF's e_type
  std::string architecture;            ///< of a cubin or PTX, e.g. "sm_90"; empty where the file does not say
  std::string ptx_version;             ///< of PTX, e.g. "9.0"
  std::vector<std::string> functions;  ///< host: exported, defined functions; cubin and PTX: kernels
  std::optional<std::string> abi_tag;  ///< eagle_abi_tag up to its first zero byte
  std::optional<std::array<std::uint64_t, 5>> layout_words;  ///< eagle_layout_sizes
  std::optional<Finding> defect;  ///< why the file could not be read to its end; what follows the defect is missing

  /// Whether a host image exports, or a device image holds as a kernel, a function of exactly this name.
  [[nodiscard]] bool has_symbol(std::string_view symbol) const noexcept;
  /// Bytes of the index in which the body addresses elements, which limits a run: 4 where the image does not say.
  [[nodiscard]] std::uint64_t index_bytes() const noexcept { return layout_words ? (*layout_words)[3] : 4; }
};

/// Reads a file as data: nothing of it is mapped as code, linked or run, and its content is never trusted. Host symbols are
/// those of the dynamic segment, which is what the loader goes by, so stripped section headers change nothing. Of a fatbin
/// only magic and length are read: what it contains is checked by the driver. Content that cannot be read is no Error but a
/// `defect`. Error(not_found) where there is no file; Error(io) where it cannot be read, is no regular file (which is never
/// waited for) or has more than 1 GiB.
Image read_image(const std::filesystem::path& path);

}  // namespace eagle
