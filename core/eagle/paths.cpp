// SPDX-License-Identifier: Apache-2.0
#include <eagle/paths.hpp>

#include <algorithm>
#include <system_error>

#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace fs = std::filesystem;

bool is_inside(const Reader& place, std::string_view key, std::string_view path) {
  const fs::path given(path);
  const bool climbs = std::ranges::find(given, fs::path("..")) != given.end();
  if (!climbs && !given.is_absolute()) return true;
  place.refuse("path", key,
               fmt::format("{} {} {}: name a file of the bundle by its path inside it", key, in_quotes(path),
                           climbs ? "climbs with '..'" : "is absolute"));
  return false;
}

std::optional<fs::path> resolve(const Reader& place, std::string_view key, const fs::path& root, std::string_view path) {
  std::error_code error;
  fs::path file = fs::canonical(root / fs::path(path), error);
  if (error) {
    place.refuse("not-found", key, fmt::format("{} {}: {}", key, in_quotes(path), error.message()));
  } else if (std::ranges::mismatch(root, file).in1 != root.end()) {
    place.refuse("path", key,
                 fmt::format("{} {} leads out of the bundle, to {}: put the file itself there", key, in_quotes(path),
                             in_quotes(file.string())));
  } else if (!fs::is_regular_file(file, error)) {
    place.refuse("not-found", key, fmt::format("{} {} is no regular file", key, in_quotes(path)));
  } else {
    return file;
  }
  return std::nullopt;
}

}  // namespace eagle::detail
