// SPDX-License-Identifier: Apache-2.0
// The main of a fuzz target where the compiler has no libFuzzer: runs it on each file of the folders that are named.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "fuzz.hpp"

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (const char* folder : std::span(argv, static_cast<std::size_t>(argc)).subspan(1))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  std::printf("replayed %zu files\n", files);
  return files == 0 ? 1 : 0;
}
