// SPDX-License-Identifier: Apache-2.0
// cuLaunchKernel: the parameters are taken at the call, the kernel's host twin runs when the stream gets there.
#include <cstring>
#include <format>

#include "state.hpp"

using namespace stand_in;

namespace stand_in {

std::int64_t word(const void* from) {
  std::int64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool is_box(const std::vector<std::byte>& param) { return param.size() == 32 || param.size() == 40; }

const Block* block_of_box(const Launch& launch, const std::vector<std::byte>& box) {
  const std::size_t count = launch.params.size();
  const bool has_base = count >= 3 && launch.params[count - 3].size() == sizeof(std::int64_t);
  const std::int64_t base = has_base ? word(launch.params[count - 3].data()) : 0;
  const Block* found = nullptr;
  for (const std::int64_t element_bytes : {0, 8, 4, 1}) {
    const Block* const block = find(static_cast<CUdeviceptr>(word(box.data()) + base * element_bytes));
    if (block == nullptr) continue;
    if (block->life != Life::freed && !block->free_queued && block->device == launch.device) return block;
    if (found == nullptr) found = block;
  }
  return found;
}

}  // namespace stand_in

namespace {

void check_geometry(const Launch& launch, const Kernel& kernel) {
  const auto most = [](int first, int k) { return static_cast<unsigned>(attribute(first + k)); };
  constexpr int max_block_x = 2, max_grid_x = 5, max_threads = 1, max_shared = 97, too_many_threads = 701;
  for (int k = 0; k < 3; ++k)
    if (launch.grid[k] == 0 || launch.block[k] == 0 || launch.grid[k] > most(max_grid_x, k) ||
        launch.block[k] > most(max_block_x, k))
      throw Failure{invalid_value};
  const auto threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > most(max_threads, 0) || launch.shared > most(max_shared, 0)) throw Failure{invalid_value};
  if (threads > static_cast<std::uint64_t>(kernel.max_threads)) throw Failure{too_many_threads};
}

std::vector<std::size_t> sizes_of(const Kernel& kernel) {
  std::vector<std::size_t> sizes;
  for (const Parameter& parameter : kernel.parameters) sizes.push_back(parameter.bytes);
  const auto twin = state().twins.find(kernel.name);
  if (!kernel.known && twin != state().twins.end()) return twin->second.sizes;
  if (!kernel.known) {
    misuse(std::format("the stand-in cannot tell the parameters of {}: register a twin with their sizes", kernel.name));
    throw Failure{invalid_value};
  }
  return sizes;
}

std::vector<std::vector<std::byte>> take_params(const Kernel& kernel, void* const* params) {
  std::vector<std::vector<std::byte>> taken;
  for (const std::size_t bytes : sizes_of(kernel)) {
    const void* const from = params == nullptr ? nullptr : params[taken.size()];
    if (from == nullptr) {
      misuse(std::format("{} was launched without its parameter {}", kernel.name, taken.size()));
      throw Failure{invalid_value};
    }
    const auto* const start = static_cast<const std::byte*>(from);
    taken.emplace_back(start, start + bytes);
  }
  return taken;
}

/// The memory that the parameters point into: boxes of samples, and all words that are addresses of some.
std::vector<Range> pointed_to(const Launch& launch) {
  std::vector<Range> ranges;
  const auto add = [&](const Block* block) {
    if (block != nullptr) ranges.push_back({block->address, block->bytes});
  };
  for (const std::vector<std::byte>& param : launch.params)
    if (is_box(param)) add(block_of_box(launch, param));
    else
      for (std::size_t at = 0; at + sizeof(CUdeviceptr) <= param.size(); at += sizeof(CUdeviceptr))
        add(find(static_cast<CUdeviceptr>(word(&param[at]))));
  return ranges;
}

int execute(Launch& launch, const std::vector<Range>& uses, const Runner& runner) {
  if (const auto failing = injected(launch.kernel)) return failing->result;
  for (const Range& range : uses) {
    const Block& block = *find(range.from);
    if (block.kind != Kind::device || block.device == launch.device) continue;
    misuse(std::format("{} on device {} was given memory of device {}", launch.kernel, launch.device, block.device));
    return illegal_address;
  }
  ++launch.executions;
  std::vector<void*> params;
  for (std::vector<std::byte>& param : launch.params) params.push_back(param.data());
  if (!runner) return launch_failed;
  try {
    return runner(params.data(), launch);
  } catch (const std::exception& error) {
    misuse(std::format("the host twin of {} threw: {}", launch.kernel, error.what()));
    return launch_failed;
  }
}

void launch_kernel(CUfunc_st& function, const std::shared_ptr<Launch>& launch, CUstream handle, void* const* params) {
  const StreamPointer stream = resolve(handle);
  if (stream->context != function.module->context || stream->context != &current()) {
    misuse(std::format("{} was launched with a stream, a function or a context of different devices", launch->kernel));
    throw Failure{invalid_handle};
  }
  check_geometry(*launch, function.kernel);
  launch->params = take_params(function.kernel, params);
  const Runner runner = find_twin(function);
  if (!runner) misuse(std::format("no host twin was found for {}", launch->kernel));
  Task task{std::format("the launch of {}", launch->kernel), pointed_to(*launch), {}, launch->device, function.module};
  task.run = [launch, uses = task.uses, runner] { return execute(*launch, uses, runner); };
  enqueue(stream, std::move(task));
  state().launches.push_back(launch);
}

}  // namespace

extern "C" int cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** params,
                              void** extra) {
  const std::string text =
      std::format("{} x {} x {} blocks of {} x {} x {}, {}", grid_x, grid_y, grid_z, block_x, block_y, block_z, name(stream));
  return enter("cuLaunchKernel", Needs::context, text, [&] {
    CUfunc_st& function = known(handle);
    state().calls.back().text = function.kernel.name + " " + text;
    if (extra != nullptr) throw Failure{not_supported};
    const auto launch = std::make_shared<Launch>(Launch{
        function.kernel.name, current().device, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, {}, 0});
    launch_kernel(function, launch, stream, params);
  });
}
