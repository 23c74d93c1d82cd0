// SPDX-License-Identifier: Apache-2.0
// Bundles that tests write: copies of others with bytes replaced.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support.hpp"

namespace bed {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Replaces each `from`; a failure where there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

/// A folder of the test's own.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::path(testing::TempDir()) / ("eagle_" + std::to_string(::getpid()) + "_" + std::to_string(++count));
    std::filesystem::create_directories(path_);
  }
  /// A copy of a bundle.
  explicit Folder(const std::filesystem::path& bundle) : Folder() {
    for (const auto& entry : std::filesystem::directory_iterator(bundle))
      write_file(path_ / entry.path().filename(), read_file(entry.path()));
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    write_file(path_ / file, replaced(read_file(path_ / file), from, to));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace bed
