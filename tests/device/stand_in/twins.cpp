// SPDX-License-Identifier: Apache-2.0
// What runs in a kernel's place: a function that a test registered, eagle's own kernels on the host, or the host entry of a
// plugin's library.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>

#include "state.hpp"

// tests/device/kernels_on_host.hpp, where it is linked in.
namespace eagle::detail {
[[gnu::weak]] bool run_on_host(std::string_view kernel, void* const* params, unsigned grid);
[[gnu::weak]] unsigned threads_of(std::string_view kernel);
}  // namespace eagle::detail

namespace stand_in {
namespace {

namespace fs = std::filesystem;

struct Library {
  void* entry = nullptr;
  bool has_triple = true;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files_below(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored) && entry.path().extension() == ".so") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Whether the library's bundle has this image too.
bool is_beside(const fs::path& library, const std::string& image) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(library.parent_path(), ignored))
    if (entry.is_regular_file(ignored) && entry.file_size(ignored) >= image.size() && entry.path().extension() != ".so" &&
        contents(entry.path()).starts_with(image))
      return true;
  return false;
}

/// Whether the boxes and the index of the library are the image's; true where one of them does not say.
bool same_layout(void* library, const Content& content) {
  const void* const layout = ::dlsym(library, "eagle_layout_sizes");
  const auto global = std::ranges::find(content.globals, "eagle_layout_sizes", &Global::name);
  if (layout == nullptr || global == content.globals.end()) return true;
  return std::memcmp(layout, global->bytes.data(), global->bytes.size()) == 0;
}

/// The library whose bundle has the image, or else the first with such an entry.
Library find_library(const CUfunc_st& function) {
  const std::string entry = function.kernel.name + "_host";
  Library found;
  for (const std::string& folder : state().settings.folders)
    for (const fs::path& path : files_below(folder)) {
      if (contents(path).find(entry) == std::string::npos) continue;
      void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      void* const symbol = opened == nullptr ? nullptr : ::dlsym(opened, entry.c_str());
      if (symbol == nullptr || !same_layout(opened, function.module->content)) continue;
      const auto* const tag = static_cast<const char*>(::dlsym(opened, "eagle_abi_tag"));
      const Library library{symbol, tag != nullptr && std::string_view(tag) != "aether-abi/1"};
      if (is_beside(path, function.module->content.file)) return library;
      if (found.entry == nullptr) found = library;
    }
  return found;
}

/// A box of samples whose data is nowhere that a device can reach.
bool has_lost_box(const Launch& launch) {
  for (const std::vector<std::byte>& param : launch.params) {
    if (!is_box(param) || word(param.data()) == 0 || word(&param[8]) == 0 || block_of_box(launch, param) != nullptr) continue;
    misuse(std::format("{} was given a box of data at {:#x}, which a device cannot reach", launch.kernel, word(param.data())));
    return true;
  }
  return false;
}

std::size_t threads_in_all(const Launch& launch) {
  return launch.threads() * launch.grid[1] * launch.grid[2] * launch.block[1] * launch.block[2];
}

/// As many of the samples as there are threads: each runs one.
std::int64_t covered(std::int64_t count, const Launch& launch) {
  const auto threads = static_cast<std::int64_t>(launch.threads());
  if (threads < count) misuse(std::format("{} was launched with {} threads for {} samples", launch.kernel, threads, count));
  if (threads_in_all(launch) != launch.threads())
    misuse(std::format("{} was launched with threads beside those along x", launch.kernel));
  return std::min(count, threads);
}

int run_library(const Library& library, void* const* params, const Launch& launch) {
  using Parts = void (*)(void* const*, std::int64_t, std::int64_t, std::int64_t);
  using Whole = void (*)(void* const*, std::int32_t);
  if (has_lost_box(launch)) return illegal_address;
  const std::size_t count = launch.params.size();
  if (!library.has_triple) {
    const std::int64_t samples = count > 0 && launch.params[0].size() >= 16 ? word(&launch.params[0][8]) : 0;
    reinterpret_cast<Whole>(library.entry)(params, static_cast<std::int32_t>(covered(samples, launch)));
    return success;
  }
  if (count < 3 ||
      std::any_of(launch.params.end() - 3, launch.params.end(), [](const auto& param) { return param.size() != 8; })) {
    misuse(std::format("{} does not end in base, count and n", launch.kernel));
    return launch_failed;
  }
  const std::int64_t samples = covered(word(params[count - 2]), launch);
  reinterpret_cast<Parts>(library.entry)(params, word(params[count - 3]), samples, word(params[count - 1]));
  return success;
}

bool is_own(std::string_view kernel) { return eagle::detail::threads_of != nullptr && eagle::detail::threads_of(kernel) != 0; }

int run_own(void* const* params, const Launch& launch) {
  const unsigned threads = eagle::detail::threads_of(launch.kernel);
  if (launch.block[0] != threads || launch.threads() != threads_in_all(launch))
    misuse(std::format("{} was launched with other blocks than {} threads along x", launch.kernel, threads));
  eagle::detail::run_on_host(launch.kernel, params, launch.grid[0]);
  return success;
}

}  // namespace

Runner find_twin(const CUfunc_st& function) {
  const std::string& kernel = function.kernel.name;
  if (const auto found = state().twins.find(kernel); found != state().twins.end())
    return [run = found->second.function](void* const* params, const Launch& launch) { return run(params, launch), success; };
  if (is_own(kernel)) return run_own;
  static std::map<std::pair<std::string, std::string>, Library> libraries;
  Library& library = libraries[{kernel, function.module->content.file}];
  if (library.entry == nullptr) library = find_library(function);
  if (library.entry == nullptr) return {};
  return [library](void* const* params, const Launch& launch) { return run_library(library, params, launch); };
}

}  // namespace stand_in
