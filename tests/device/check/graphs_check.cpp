// SPDX-License-Identifier: Apache-2.0
// A launch captured into a CUDA graph: replays read the arrays as they are then.
#include <filesystem>

#include "driver.hpp"
#include "given.hpp"
#include "reference.hpp"

namespace device_check {
namespace {

/// A stream of the caller's in the first device's primary context, which is current meanwhile.
class CallersStream {
 public:
  CallersStream() {
    CALL(cuDevicePrimaryCtxRetain, &context_, 0);
    CALL(cuCtxPushCurrent_v2, context_);
    CALL(cuStreamCreate, &stream_, 1);  // CU_STREAM_NON_BLOCKING
  }
  ~CallersStream() {
    RESULT(cuStreamDestroy_v2, stream_);
    RESULT(cuCtxPopCurrent_v2, &context_);
    RESULT(cuDevicePrimaryCtxRelease_v2, 0);
  }
  CallersStream(const CallersStream&) = delete;
  CallersStream& operator=(const CallersStream&) = delete;
  [[nodiscard]] CUstream get() const { return stream_; }
  void wait() const { CALL(cuStreamSynchronize, stream_); }

 private:
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
};

class Graph {
 public:
  Graph(const CallersStream& stream, eagle::BoundPlan& bound) : stream_(stream) {
    constexpr int thread_local_mode = 1;
    CALL(cuStreamBeginCapture_v2, stream.get(), thread_local_mode);
    bound.launch(stream.get());
    CALL(cuStreamEndCapture, stream.get(), &graph_);
    CALL(cuGraphInstantiateWithFlags, &ready_, graph_, 0);
  }
  ~Graph() {
    RESULT(cuGraphExecDestroy, ready_);
    RESULT(cuGraphDestroy, graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void replay() const {
    CALL(cuGraphLaunch, ready_, stream_.get());
    stream_.wait();
  }

 private:
  const CallersStream& stream_;
  CUgraph graph_ = nullptr;
  CUgraphExec ready_ = nullptr;
};

/// Captures one launch of a plugin, gives its arrays other samples and replays it: as the reference has it on those.
void replayed(const char* name) {
  constexpr std::int64_t n = 70001;
  const eagle::Plugin plugin = eagle::load(std::filesystem::path(EAGLE_TEST_BUNDLES) / name).only();
  const CallersStream stream;
  const auto device = eagle::device_kernel({.stream = stream.get()});
  const auto planned = [&](const eagle::StructurePtr& structure) {
    return eagle::plan(plugin, {.structure = structure, .npartitions = 3});
  };
  const Given first = made_for(plugin, n), second = made_for(plugin, n, true), there = first.in(device->memory());
  eagle::BoundPlan bound = planned(device).bind(there.values());
  const Graph graph(stream, bound);
  for (const auto& [argument, array] : second.arrays) device->memory().copy(array.view(), there.arrays.at(argument).view());
  graph.replay();
  const auto reference = std::make_shared<Reference>();
  Given host = second.in(eagle::host_memory());
  host.numbers = first.numbers;
  const Outputs expected = run(planned(reference), host.values(), eagle::host_memory());
  const std::string wrong = difference(outputs_of(bound.result(), device->memory()), expected);
  require(wrong.empty(), wrong);
}

}  // namespace

void check_graphs(Report& report) {
  report.check("a captured map replays on what its arrays hold then", [] { replayed("axpy"); });
  report.check("a captured mapreduce replays on what its arrays hold then", [] { replayed("dot"); });
}

}  // namespace device_check
