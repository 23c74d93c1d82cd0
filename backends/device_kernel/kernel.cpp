// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include <eagle/abi.h>
#include <eagle/error.hpp>
#include <eagle/partition.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eagle::cuda {

Module::Module(const Gpu& gpu, const std::string& bytes, const std::string& what) : gpu_(gpu), what_(what) {
  const Current current(gpu);
  std::array<char, 8192> log = {};
  std::array<int, 2> options = {error_log, error_log_bytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const int result =
      driver().load_module(&handle_, bytes.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (code_of(result) == Code::body || code_of(result) == Code::unavailable) check(result, "cuModuleLoadDataEx");
  if (result == success) return;
  std::string said(log.data());
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  // What is none of the device's or the memory's faults is the image's.
  throw Error(code_of(result) == Code::internal ? Code::bundle : code_of(result),
              fmt::format("{} is not taken by {}: {}{}", what, gpu.describe(), result_text(result),
                          said.empty() ? "" : fmt::format("; its compiler says: {}", said)));
}

Module::~Module() {
  try {
    const Current current(gpu_);
    driver().unload_module(handle_);
  } catch (const Error&) {  // a lost device holds no module
  }
}

Function Module::function(const std::string& name) const {
  const Current current(gpu_);
  Function function = nullptr;
  const int result = driver().get_function(&function, handle_, name.c_str());
  if (result == success) return function;
  throw Error(result == not_found ? Code::bundle : code_of(result),
              fmt::format("{} has no kernel '{}' on {}: {}", what_, name, gpu_.describe(), result_text(result)));
}

std::string Module::global(const std::string& name, std::size_t bytes) const {
  const Current current(gpu_);
  Pointer address = 0;
  std::size_t size = 0;
  const int result = driver().get_global(&address, &size, handle_, name.c_str());
  if (result == not_found) return "";
  check(result, "cuModuleGetGlobal");
  std::string value(std::min(size, bytes), '\0');
  const OwnStream stream(gpu_);  // so that nothing that was queued is waited for
  check(driver().copy_to_host(value.data(), address, value.size(), stream.get()), "cuMemcpyDtoHAsync");
  check(driver().synchronize(stream.get()), "cuStreamSynchronize");
  return value;
}

namespace {

/// Bytes of each kernel parameter: the boxes of arg_spec, then the partition triple.
std::vector<std::size_t> parameter_bytes(const Plugin& plugin, std::uint64_t index_bytes) {
  const Declaration& d = plugin.declaration();
  std::vector<std::size_t> sizes;
  for (const Argument& argument : d.arguments) {
    switch (argument.role) {
      case Role::uniform: sizes.push_back(static_cast<std::size_t>(size_of(argument.dtype))); break;
      case Role::nsamples: sizes.push_back(index_bytes); break;
      default: sizes.push_back(argument.is_plane ? sizeof(GRefMirror) : sizeof(ScalarHandle));
    }
  }
  if (!d.is_v1()) sizes.insert(sizes.end(), {8, 8, 8});
  return sizes;
}

/// Compares what the driver knows of a kernel's parameters, where it is new enough to know.
void check_parameters(const Gpu& gpu, const Plugin& plugin, Function function, std::uint64_t index_bytes) {
  if (driver().parameter_info == nullptr) return;
  const Current current(gpu);
  const std::vector<std::size_t> expected = parameter_bytes(plugin, index_bytes);
  std::vector<std::size_t> found;
  for (std::size_t offset = 0, bytes = 0; found.size() <= expected.size(); found.push_back(bytes)) {
    const int result = driver().parameter_info(function, found.size(), &offset, &bytes);
    if (result == invalid_value) break;  // there are no more
    check(result, "cuFuncGetParamInfo");
  }
  if (found != expected)
    throw Error(
        Code::bundle,
        fmt::format("plugin '{}': kernel '{}' takes parameters of [{}{}] bytes, and arg_spec and the partition triple have "
                    "[{}]: rebuild the artifact from the same declaration",
                    plugin.id(), plugin.declaration().kernel, fmt::join(found, ", "),
                    found.size() > expected.size() ? ", ..." : "", fmt::join(expected, ", ")));
}

/// Checks the words of a loaded module, which alone shows those of a fatbin, and gives its index word.
std::uint64_t check_words(const Plugin& plugin, const Module& module) {
  using Words = std::array<std::uint64_t, EAGLE_LAYOUT_WORDS>;
  std::uint64_t index_bytes = plugin.index_bytes(Target::device);
  const std::string bytes = module.global("eagle_layout_sizes", sizeof(Words));
  if (bytes.size() == sizeof(Words)) {
    Words found = {};
    std::memcpy(found.data(), bytes.data(), sizeof found);
    if (found[3] == 4 || found[3] == 8) index_bytes = found[3];
    const Words expected = EAGLE_LAYOUT_SIZES(index_bytes);
    if (found != expected)
      throw Error(Code::bundle,
                  fmt::format("plugin '{}': the artifact's eagle_layout_sizes are {}, and {} are those of this eagle",
                              plugin.id(), found, expected));
  }
  const std::string tag = module.global("eagle_abi_tag", 64).c_str();
  if (!tag.empty() && tag != plugin.declaration().aether_abi)
    throw Error(Code::bundle, fmt::format("plugin '{}': the artifact's eagle_abi_tag is {}, and the manifest says '{}'",
                                          plugin.id(), detail::in_quotes(tag), plugin.declaration().aether_abi));
  return index_bytes;
}

Kernel with_geometry(const Gpu& gpu, std::shared_ptr<const Module> module, Function function) {
  const Current current(gpu);
  Kernel kernel{std::move(module), function};
  int grid = 0;
  check(driver().block_size(&grid, &kernel.best_block, function, nullptr, 0, 0), "cuOccupancyMaxPotentialBlockSize");
  check(driver().function_attribute(&kernel.most_threads, max_threads_per_block, function), "cuFuncGetAttribute");
  return kernel;
}

Kernel load(const Gpu& gpu, const Plugin& plugin) {
  const Declaration& d = plugin.declaration();
  if (void* given = plugin.device_function()) return with_geometry(gpu, nullptr, static_cast<Function>(given));
  const Image& image = plugin.image(Target::device);
  const std::string what = fmt::format("plugin '{}': {} ({}{})", d.id, image.path.string(), d.format,
                                       image.architecture.empty() ? "" : fmt::format(" for {}", image.architecture));
  auto module = std::make_shared<const Module>(gpu, plugin.device_image(), what);
  Function const function = module->function(d.kernel);
  const std::uint64_t index_bytes = check_words(plugin, *module);
  check_parameters(gpu, plugin, function, index_bytes);
  Kernel kernel = with_geometry(gpu, std::move(module), function);
  kernel.index_bytes = index_bytes;
  kernel.image = image.bytes;
  return kernel;
}

}  // namespace

std::shared_ptr<const Kernel> kernel_of(const Gpu& gpu, const Plugin& plugin) {
  if (plugin.device_function() != nullptr) return std::make_shared<const Kernel>(load(gpu, plugin));
  using Key = std::tuple<int, std::string, std::string, std::vector<std::size_t>>;
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<const Kernel>> loaded;
  const Image& image = plugin.image(Target::device);
  const Key key(gpu.ordinal(), image.path.string(), plugin.declaration().kernel,
                parameter_bytes(plugin, plugin.index_bytes(Target::device)));
  const std::lock_guard lock(mutex);
  std::erase_if(loaded, [](const auto& entry) { return entry.second.expired(); });
  if (const auto found = loaded.find(key); found != loaded.end())
    if (auto kernel = found->second.lock(); kernel && *kernel->image == *image.bytes) return kernel;
  auto kernel = std::make_shared<const Kernel>(load(gpu, plugin));
  loaded.insert_or_assign(key, kernel);
  return kernel;
}

void launch(const Kernel& kernel, std::int64_t count, int block, Stream stream, void** params) {
  const std::int64_t blocks = pieces_of(count, block);
  constexpr std::int64_t most_blocks = 2147483647;  // cuLaunchKernel's limit in x
  if (blocks > most_blocks)
    throw Error(Code::limit, fmt::format("{} samples in blocks of {} threads are more than one launch can have: plan with more "
                                         "partitions or larger blocks",
                                         count, block));
  check(driver().launch(kernel.function, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(block), 1, 1, 0, stream,
                        params, nullptr),
        "cuLaunchKernel");
}

}  // namespace eagle::cuda
