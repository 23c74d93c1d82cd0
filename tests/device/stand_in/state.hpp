// SPDX-License-Identifier: Apache-2.0
// Private to the stand-in: all that it knows, behind one lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver_api.hpp"
#include "images.hpp"
#include "stand_in.hpp"

namespace stand_in {

enum Result : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_device = 209,
  invalid_ptx = 218,
  unsupported_ptx_version = 222,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  context_is_destroyed = 709,
  already_registered = 712,
  not_registered = 713,
  launch_failed = 719,
  not_supported = 801,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_merge = 902,
  capture_unmatched = 903,
  capture_unjoined = 904,
  capture_isolation = 905,
  capture_implicit = 906,
  captured_event = 907,
  capture_wrong_thread = 908,
};

/// Ends a call with a result.
struct Failure {
  int result;
};

struct Range {
  CUdeviceptr from = 0;
  std::size_t bytes = 0;
};

constexpr int every_device = -1;

/// One operation of a stream or a graph.
struct Task {
  std::string what;
  std::vector<Range> uses;
  std::function<int()> run;
  int device = every_device;  ///< whose memory it can reach
  const void* module = nullptr;
};

using StreamPointer = std::shared_ptr<CUstream_st>;

/// All operations of a stream up to a number. Numbers grow over all streams.
struct Stamp {
  StreamPointer stream;
  std::uint64_t number = 0;
};

/// One recording of an event.
struct Recording {
  Stamp stamp;
  std::chrono::steady_clock::time_point time;
};

struct Node {
  Task task;
  std::set<std::size_t> after;
};
using Nodes = std::vector<Node>;

struct Capture {
  StreamPointer origin;
  int mode = 0;
  std::uint64_t thread = 0;
  bool invalid = false, ended = false;
  Nodes nodes;
};

enum class Kind { device, managed, pinned };
enum class Life { reserved, live, freed };

struct Block {
  CUdeviceptr address = 0;
  std::size_t bytes = 0, mapped = 0;
  Kind kind = Kind::device;
  int device = 0;
  Life life = Life::live;
  bool pool = false;         ///< from cuMemAllocAsync
  bool graph = false;        ///< allocated in a capture
  bool of_module = false;    ///< a global variable
  bool registered = false;   ///< by cuMemHostRegister
  bool free_queued = false;  ///< cuMemFreeAsync was called
  bool open = true;          ///< host code can reach it now
};

struct Failing {
  std::string symbol;
  int left = 1, result = 0;
  bool sticky = false;
};

struct RegisteredTwin {
  Twin function;
  std::vector<std::size_t> sizes;
};

struct Settings {
  int devices = 1, version = 13000, block_size = 256;
  std::size_t memory = std::size_t{16} << 30;
  std::map<int, int> attributes;
  bool protect = true;
  std::vector<std::string> folders;
  std::vector<Failing> failing;
  std::string log;
};

struct State {
  std::recursive_mutex mutex;
  Settings settings;
  int initialized_by = 0;  ///< process
  std::optional<std::string> jit_log;
  std::vector<Call> calls;
  std::vector<std::shared_ptr<Launch>> launches;
  std::vector<std::string> misuses;
  std::map<std::string, RegisteredTwin, std::less<>> twins;

  std::map<int, std::unique_ptr<CUctx_st>> contexts;  ///< by device
  std::map<CUdeviceptr, Block> blocks;
  std::deque<CUdeviceptr> freed;
  std::map<int, std::size_t> used;  ///< bytes, by device
  std::vector<StreamPointer> streams;
  std::uint64_t last_number = 0, last_stream = 0;
  std::map<CUevent, std::unique_ptr<CUevent_st>> events;
  std::map<CUmodule, std::unique_ptr<CUmod_st>> modules;
  std::map<CUgraph, std::unique_ptr<CUgraph_st>> graphs;
  std::map<CUgraphExec, std::unique_ptr<CUgraphExec_st>> execs;
};
State& state();

// control.cpp
Settings settings_of_environment();
bool is_sticky(int result);
std::optional<Failing> injected(std::string_view symbol);
void misuse(std::string text);
enum class Needs { nothing, init, context };
/// A call of the driver: recorded, failed where a test wants it to, else body(), which may throw Failure.
int enter(const char* symbol, Needs needs, std::string text, const std::function<void()>& body);
/// The same for what gives something back: done in a spoilt context too.
int enter_release(const char* symbol, std::string text, const std::function<void()>& body);

// contexts.cpp
CUctx_st& current();
CUctx_st* current_or_null();
int attribute(int number);
void check_device(int device);

// memory.cpp
Block& add_block(Kind kind, int device, std::size_t bytes, Life life = Life::live);
void fill(Block& block);
void discard(Block& block);
Block* find(CUdeviceptr address);
bool holds(const Block& block, CUdeviceptr address, std::size_t bytes);
void expose(int device);
void hide();

// streams.cpp
std::uint64_t this_thread();
StreamPointer make_stream(CUctx_st& context, unsigned flags);
StreamPointer resolve(CUstream handle);
std::string name(CUstream handle);
Stamp enqueue(const StreamPointer& stream, Task task, std::vector<Stamp> after = {});
void run_until(const Stamp& stamp);
int run_task(Task& task);
bool is_done(const Stamp& stamp);
void step(const Stamp& stamp);
void synchronize(const StreamPointer& stream);
void synchronize(CUctx_st& context);
void throw_if_spoilt(const CUctx_st& context);
std::vector<std::string> queued_with(const std::function<bool(const Task&)>& test);

// graphs.cpp
/// For what cannot be done while a stream of this thread is capturing.
void refuse_in_capture();
void invalidate(Capture& capture);
/// That the legacy stream would have to wait for a stream that is capturing.
void refuse_implicit(const CUstream_st& legacy);
void capture(CUstream_st& stream, Task task);

// module_calls.cpp
CUfunc_st& known(CUfunction function);

// launch.cpp
std::int64_t word(const void* from);
/// Whether a parameter has the bytes of a box of samples: its address first, then their number.
bool is_box(const std::vector<std::byte>& param);
/// The block that a box is for. Its address may lie outside, so that a launch finds its first sample, `base`, within.
const Block* block_of_box(const Launch& launch, const std::vector<std::byte>& box);

// twins.cpp
/// What runs a launch of the function and gives the driver's result; empty where nothing was found.
using Runner = std::function<int(void* const* params, const Launch& launch)>;
Runner find_twin(const CUfunc_st& function);

}  // namespace stand_in

struct CUctx_st {
  int device = 0, retains = 0, spoilt = 0;
  stand_in::StreamPointer legacy;
  std::map<std::uint64_t, stand_in::StreamPointer> of_threads;
};

struct CUstream_st {
  struct Queued {
    stand_in::Task task;
    std::uint64_t number = 0;
    std::vector<stand_in::Stamp> after;
  };
  CUctx_st* context = nullptr;
  bool blocking = true, legacy = false, destroyed = false;
  std::uint64_t identity = 0, last = 0;
  std::deque<Queued> queue;
  std::shared_ptr<stand_in::Capture> capture;
  std::set<std::size_t> frontier;  ///< the nodes of the capture that the next one comes after
};

struct CUevent_st {
  CUctx_st* context = nullptr;
  unsigned flags = 0;
  std::shared_ptr<stand_in::Recording> recording;
  std::shared_ptr<stand_in::Capture> capture;
  std::set<std::size_t> frontier;
};

struct CUgraph_st {
  std::shared_ptr<stand_in::Nodes> nodes;
};

struct CUgraphExec_st {
  std::shared_ptr<stand_in::Nodes> nodes;
  stand_in::Stamp last;
};

struct CUfunc_st {
  CUmod_st* module = nullptr;
  stand_in::Kernel kernel;
};

struct CUmod_st {
  CUctx_st* context = nullptr;
  stand_in::Content content;
  std::map<std::string, std::unique_ptr<CUfunc_st>, std::less<>> functions;
  std::map<std::string, stand_in::Range, std::less<>> globals;
};
