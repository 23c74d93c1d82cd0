// SPDX-License-Identifier: Apache-2.0
// What tests say to the stand-in driver and ask of it. Programs that link it (its soname is libcuda.so.1) use these functions;
// processes that only load it are told by the environment when they start:
//
//   STAND_IN_DEVICES     how many devices there are (1)
//   STAND_IN_VERSION     the CUDA version that the driver supports (13000)
//   STAND_IN_MEMORY      bytes that each device has (16 GiB)
//   STAND_IN_ATTRIBUTES  device attributes, "75:8,76:6,115:0"
//   STAND_IN_FAIL        failures as of fail(), "cuLaunchKernel:3:700,axpy:1:719"
//   STAND_IN_PROTECT     0: device memory can be read and written by host code
//   STAND_IN_TWINS       folders, separated by colons, below which host libraries of plugins are looked for
//   STAND_IN_LOG         a file to which calls, misuses and what was left alive are appended when the process ends
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in {

/// A call of the driver: "cuMemcpyHtoDAsync_v2", "to 0x7f.. from 0x7f.. 800 bytes, stream 2".
struct Call {
  std::string symbol, text;
};
/// In the order they were made; those whose "symbol text" contains `part`.
std::vector<Call> calls(std::string_view part = "");

struct Launch {
  std::string kernel;
  int device = 0;
  unsigned grid[3] = {}, block[3] = {}, shared = 0;
  const void* stream = nullptr;                                                ///< the handle, as given
  std::vector<std::vector<std::byte>> params;                                  ///< as they were at the call
  int executions = 0;                                                          ///< more than one where a graph is replayed
  std::size_t threads() const { return std::size_t{1} * grid[0] * block[0]; }  ///< along x
};
std::vector<Launch> launches(std::string_view kernel = "");

/// The nth coming call of a driver function gives `result` and does nothing else. A name that is no driver function is a
/// kernel's: its nth coming execution faults, and who waits for it gets the result. Results that spoil a context with CUDA
/// (46, 700, 702, 710, 714 to 719, ...) are given by every later call that needs the context, until reset().
void fail(std::string_view symbol, int nth, int result);
void fail(std::string_view symbol, int nth, int result, bool sticky);

void set_devices(int count);
void set_version(int version);
void set_memory(std::size_t bytes);            ///< of each device; more is out_of_memory
void set_attribute(int attribute, int value);  ///< of each device: 75 and 76 capability, 115 memory pools, ...
void set_protection(bool on);
void set_block_size(int threads);  ///< what cuOccupancyMaxPotentialBlockSize answers (256)
/// The log that the next images which are refused get, instead of the stand-in's own.
void set_jit_log(std::string_view text);

/// Runs a kernel on the host: params[k] points at the k-th parameter.
using Twin = std::function<void(void* const* params, const Launch& launch)>;
/// Used before any other twin of that name. `sizes` are those of the parameters, where the image does not say them.
void twin(std::string_view kernel, Twin function, std::vector<std::size_t> sizes = {});
/// As STAND_IN_TWINS: one folder more.
void twins(const std::string& folder);

/// What is alive. Contexts are counted by retains.
struct Outstanding {
  std::size_t allocations = 0, bytes = 0, pinned = 0, streams = 0, events = 0, modules = 0, graphs = 0, contexts = 0;
  bool operator==(const Outstanding&) const = default;
};
Outstanding outstanding();
std::ostream& operator<<(std::ostream& out, const Outstanding& outstanding);

std::size_t pending();  ///< operations queued and not executed
/// What was done that is wrong with CUDA, whether or not it shows: one sentence each.
std::vector<std::string> misuses();
/// Forgets calls, launches, misuses, failures, spoilt contexts and registered twins, and goes back to the environment's
/// settings. What is alive or queued stays.
void reset();

}  // namespace stand_in
