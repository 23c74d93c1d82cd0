// SPDX-License-Identifier: Apache-2.0
// Collectives as copies between devices, ordered by events: a stream that receives waits for the sender's, and the sender's for
// all that receive. What ncclCommInitRank makes is processes.hpp's. Like NCCL's, operations of one group are matched by their
// order on each communicator.
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "driver_api.hpp"
#include "processes.hpp"
#include "stand_in_nccl.hpp"

namespace {

/// What ncclCommInitAll makes together.
struct Clique;
struct Failure {
  std::string symbol;
  int nth, result;
};

struct State {
  std::mutex mutex;
  std::vector<std::string> calls;
  std::vector<stand_in_nccl::Operation> operations;
  std::vector<Failure> failures;
  int async_error = 0;
  int communicators = 0;
};
State& state() {
  static State& instance = *new State;  // for what is called while the process ends
  return instance;
}

/// Notes a call, and gives what it has to return.
int called(const char* symbol) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.calls.emplace_back(symbol);
  for (Failure& failure : all.failures)
    if (failure.symbol == symbol && --failure.nth == 0) return failure.result;
  return 0;
}

}  // namespace

struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  int device = 0;
  CUcontext context = nullptr;
  std::shared_ptr<stand_in_nccl::Processes> processes = {};  ///< in the place of a clique
};

struct ncclUniqueId {
  char internal[128];
};

namespace {

struct Clique {
  std::vector<ncclComm*> ranks;
};

struct Operation {
  ncclComm* comm;
  const void* from;
  void* to;
  std::size_t bytes;
  int root;  ///< -1: an allgather
  CUstream stream;
};

thread_local int depth = 0;
thread_local std::vector<Operation> group;

class Current {
 public:
  explicit Current(const ncclComm& comm) { cuCtxPushCurrent_v2(comm.context); }
  ~Current() {
    CUcontext popped = nullptr;
    cuCtxPopCurrent_v2(&popped);
  }
};

/// Has `waiting` wait for what `stream` has been given so far.
void order(const Operation& before, const Operation& after) {
  CUevent event = nullptr;
  {
    const Current current(*before.comm);
    cuEventCreate(&event, 2);
    cuEventRecord(event, before.stream);
  }
  {
    const Current current(*after.comm);
    cuStreamWaitEvent(after.stream, event, 0);
  }
  const Current current(*before.comm);
  cuEventDestroy_v2(event);
}

void copy(const Operation& sender, const void* from, const Operation& receiver, void* to) {
  if (from == to) return;
  order(sender, receiver);
  {
    const Current current(*receiver.comm);
    cuMemcpyPeerAsync(reinterpret_cast<CUdeviceptr>(to), receiver.comm->context, reinterpret_cast<CUdeviceptr>(from),
                      sender.comm->context, sender.bytes, receiver.stream);
  }
  order(receiver, sender);
}

/// One collective, an operation of each rank in rank order.
void run(const std::vector<Operation>& all) {
  for (const Operation& receiver : all) {
    if (receiver.root >= 0) {
      const Operation& sender = all[static_cast<std::size_t>(receiver.root)];
      copy(sender, sender.from, receiver, receiver.to);
      continue;
    }
    for (const Operation& sender : all)
      copy(sender, sender.from, receiver,
           static_cast<std::byte*>(receiver.to) + static_cast<std::size_t>(sender.comm->rank) * sender.bytes);
  }
}

/// 5, invalid usage, where ranks of a communicator do not all take part alike.
int run_group() {
  std::vector<Operation> operations = std::move(group);
  group.clear();
  std::map<Clique*, std::map<int, std::vector<Operation>>> by_rank;
  std::erase_if(operations, [](const Operation& each) {
    if (each.comm->processes) each.comm->processes->queue(each.from, each.to, each.bytes, each.root, each.stream);
    return each.comm->processes != nullptr;
  });
  for (const Operation& each : operations) by_rank[each.comm->clique.get()][each.comm->rank].push_back(each);
  for (const auto& [clique, ranks] : by_rank) {
    if (ranks.size() != clique->ranks.size()) return 5;
    const std::size_t count = ranks.begin()->second.size();
    for (const auto& [rank, own] : ranks)
      if (own.size() != count) return 5;
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<Operation> all;
      for (const auto& [rank, own] : ranks) all.push_back(own[k]);
      for (const Operation& each : all)
        if (each.root != all[0].root || each.bytes != all[0].bytes) return 5;
      run(all);
    }
  }
  return 0;
}

int add(const char* symbol, Operation operation) {
  if (const int result = called(symbol)) return result;
  {
    const std::lock_guard lock(state().mutex);
    state().operations.push_back({symbol, operation.stream});
  }
  group.push_back(operation);
  return depth > 0 ? 0 : run_group();
}

/// Of the current context; -1 where there is none.
int current_device() {
  CUcontext current = nullptr;
  int devices = 0;
  cuCtxGetCurrent(&current);
  cuDeviceGetCount(&devices);
  for (int device = 0; current != nullptr && device < devices; ++device) {
    CUcontext primary = nullptr;
    cuDevicePrimaryCtxRetain(&primary, device);
    cuDevicePrimaryCtxRelease_v2(device);
    if (primary == current) return device;
  }
  return -1;
}

void let_go(ncclComm* comm) {
  if (comm->processes) comm->processes->leave();
  const std::lock_guard lock(state().mutex);
  --state().communicators;
  delete comm;
}

}  // namespace

extern "C" {
int ncclGetVersion(int* version) {
  *version = 22000;
  return called("ncclGetVersion");
}
const char* ncclGetErrorString(int result) { return result == 5 ? "invalid usage" : "an error of the stand-in"; }
int ncclCommInitAll(ncclComm** comms, int count, const int* devices) {
  if (const int result = called("ncclCommInitAll")) return result;
  if (std::set<int>(devices, devices + count).size() != static_cast<std::size_t>(count)) return 5;
  const auto clique = std::make_shared<Clique>();
  for (int rank = 0; rank < count; ++rank) {
    comms[rank] = new ncclComm{clique, rank, devices[rank], nullptr};
    cuDevicePrimaryCtxRetain(&comms[rank]->context, devices[rank]);
    clique->ranks.push_back(comms[rank]);
  }
  const std::lock_guard lock(state().mutex);
  state().communicators += count;
  return 0;
}
int ncclGetUniqueId(ncclUniqueId* id) {
  static int made = 0;
  const std::string name = "eagle_nccl." + std::to_string(::getpid()) + "." + std::to_string(++made);
  std::memset(id->internal, 0, sizeof id->internal);
  std::memcpy(id->internal, name.data(), name.size());
  return called("ncclGetUniqueId");
}
int ncclCommInitRank(ncclComm** comm, int count, ncclUniqueId id, int rank) {
  if (const int result = called("ncclCommInitRank")) return result;
  const int device = current_device();
  if (device < 0) return 5;
  auto processes = stand_in_nccl::Processes::join(std::filesystem::temp_directory_path() / id.internal, rank, count, device);
  if (processes == nullptr) return 5;
  *comm = new ncclComm{nullptr, rank, device, nullptr, std::move(processes)};
  const std::lock_guard lock(state().mutex);
  ++state().communicators;
  return 0;
}
int ncclCommAbort(ncclComm* comm) {
  const int result = called("ncclCommAbort");
  let_go(comm);
  return result;
}
int ncclCommGetAsyncError(ncclComm*, int* error) {
  const int result = called("ncclCommGetAsyncError");
  *error = state().async_error;
  return result;
}
int ncclGroupStart() {
  if (const int result = called("ncclGroupStart")) return result;
  ++depth;
  return 0;
}
int ncclGroupEnd() {
  const int result = called("ncclGroupEnd");
  if (--depth > 0) return result;
  if (result == 0) return run_group();
  group.clear();
  return result;
}
int ncclBroadcast(const void* from, void* to, std::size_t count, int, int root, ncclComm* comm, CUstream stream) {
  return add("ncclBroadcast", {comm, from, to, count, root, stream});
}
int ncclAllGather(const void* from, void* to, std::size_t count, int, ncclComm* comm, CUstream stream) {
  return add("ncclAllGather", {comm, from, to, count, -1, stream});
}
}

namespace stand_in_nccl {

void fail(const std::string& symbol, int nth, int result) {
  const std::lock_guard lock(state().mutex);
  state().failures.push_back({symbol, nth, result});
}
void set_async_error(int result) { state().async_error = result; }
void reset() {
  const std::lock_guard lock(state().mutex);
  state().calls.clear();
  state().operations.clear();
  state().failures.clear();
  state().async_error = 0;
  depth = 0;
  group.clear();
}
std::vector<Operation> operations() {
  const std::lock_guard lock(state().mutex);
  return state().operations;
}
std::vector<std::string> calls() {
  const std::lock_guard lock(state().mutex);
  return state().calls;
}
int communicators() {
  const std::lock_guard lock(state().mutex);
  return state().communicators;
}

}  // namespace stand_in_nccl
