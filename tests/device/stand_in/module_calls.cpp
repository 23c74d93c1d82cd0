// SPDX-License-Identifier: Apache-2.0
// The driver's calls for modules and functions.
#include <cstring>
#include <format>

#include "state.hpp"

namespace stand_in {

CUfunc_st& known(CUfunction handle) {
  for (const auto& [key, module] : state().modules)
    for (const auto& [name, function] : module->functions)
      if (function.get() == handle) return *function;
  misuse("a function was used that is none, or whose module was unloaded");
  throw Failure{invalid_handle};
}

namespace {

CUmod_st& known(CUmodule handle) {
  const auto found = state().modules.find(handle);
  if (found != state().modules.end()) return *found->second;
  misuse("a module was used that is none, or was unloaded");
  throw Failure{invalid_handle};
}

/// Into the caller's buffer for the log of errors, if it gave one.
void write_log(const std::string& log, unsigned count, const int* options, void** values) {
  constexpr int buffer_option = 5, bytes_option = 6;
  char* buffer = nullptr;
  void** bytes = nullptr;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == buffer_option) buffer = static_cast<char*>(values[k]);
    if (options[k] == bytes_option) bytes = &values[k];
  }
  const std::size_t room = bytes == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(*bytes);
  if (buffer == nullptr || room == 0) return;
  const std::size_t written = log.copy(buffer, room - 1);
  buffer[written] = '\0';
  *bytes = reinterpret_cast<void*>(log.empty() ? 0 : written + 1);
}

void take(CUmod_st& module, Content content) {
  for (const Kernel& kernel : content.kernels)
    module.functions[kernel.name] = std::make_unique<CUfunc_st>(CUfunc_st{&module, kernel});
  for (const Global& global : content.globals) {
    Block& block = add_block(Kind::device, module.context->device, global.bytes.size());
    block.of_module = true;
    expose(every_device);
    std::memcpy(reinterpret_cast<void*>(block.address), global.bytes.data(), global.bytes.size());
    module.globals[global.name] = {block.address, block.bytes};
  }
  hide();
  module.content = std::move(content);
}

void load(CUmodule* handle, const void* image, unsigned count, const int* options, void** values) {
  refuse_in_capture();
  if (image == nullptr) throw Failure{invalid_value};
  auto module = std::make_unique<CUmod_st>();
  module->context = &current();
  try {
    take(*module, read_image(image));
  } catch (const Refusal& refusal) {
    write_log(state().jit_log.value_or(refusal.log), count, options, values);
    throw Failure{refusal.result};
  }
  write_log("", count, options, values);
  *handle = module.get();
  state().modules.emplace(module.get(), std::move(module));
}

void unload(CUmod_st& module) {
  for (const std::string& user : queued_with([&](const Task& task) { return task.module == &module; }))
    misuse(std::format("a module was unloaded before {}, which is of it", user));
  for (const auto& [name, range] : module.globals) discard(*find(range.from));
  state().modules.erase(&module);
}

}  // namespace
}  // namespace stand_in

using namespace stand_in;

extern "C" {

int cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, int* options, void** values) {
  return enter("cuModuleLoadDataEx", Needs::context, std::format("{} options", count),
               [&] { load(module, image, count, options, values); });
}

int cuModuleUnload(CUmodule module) {
  return enter_release("cuModuleUnload", "", [&] { unload(known(module)); });
}

int cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return enter("cuModuleGetFunction", Needs::context, name, [&] {
    const auto& functions = known(module).functions;
    const auto found = functions.find(std::string_view(name));
    if (found == functions.end()) throw Failure{not_found};
    *function = found->second.get();
  });
}

int cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  return enter("cuModuleGetGlobal_v2", Needs::context, name, [&] {
    const auto& globals = known(module).globals;
    const auto found = globals.find(std::string_view(name));
    if (found == globals.end()) throw Failure{not_found};
    if (address != nullptr) *address = found->second.from;
    if (bytes != nullptr) *bytes = found->second.bytes;
  });
}

int cuFuncGetAttribute(int* value, int attribute, CUfunction handle) {
  return enter("cuFuncGetAttribute", Needs::context, std::format("{}", attribute), [&] {
    constexpr int max_threads = 0, registers = 4;
    const CUfunc_st& function = known(handle);
    *value = attribute == max_threads ? function.kernel.max_threads : attribute == registers ? 32 : 0;
  });
}

int cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return enter("cuFuncGetParamInfo", Needs::init, std::format("{}", index), [&] {
    const Kernel& kernel = known(handle).kernel;
    if (index >= kernel.parameters.size()) throw Failure{invalid_value};
    if (offset != nullptr) *offset = kernel.parameters[index].offset;
    if (bytes != nullptr) *bytes = kernel.parameters[index].bytes;
  });
}

int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction handle, std::size_t (*)(int), std::size_t, int limit) {
  return enter("cuOccupancyMaxPotentialBlockSize", Needs::context, "", [&] {
    constexpr int multiprocessors = 16;
    const CUfunc_st& function = known(handle);
    *block = std::min(state().settings.block_size, function.kernel.max_threads);
    if (limit > 0) *block = std::min(*block, limit);
    *grid = 2 * attribute(multiprocessors);
  });
}
}
