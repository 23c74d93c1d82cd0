// SPDX-License-Identifier: Apache-2.0
// Capture into graphs, and their replay. A replay runs what was captured last first, as far as the captured order allows, so
// that an order that was not captured shows.
#include <algorithm>
#include <format>

#include "state.hpp"

namespace stand_in {
namespace {

constexpr int global_mode = 0, relaxed_mode = 2;

/// The nodes and all that they come after.
std::set<std::size_t> closure(const Nodes& nodes, const std::set<std::size_t>& of) {
  std::set<std::size_t> all = of;
  for (std::size_t k = nodes.size(); k-- > 0;)
    if (all.contains(k)) all.insert(nodes[k].after.begin(), nodes[k].after.end());
  return all;
}

/// Ends a capture for all of its streams. Whether all that was captured is joined into the stream where it began.
bool close(const std::shared_ptr<Capture>& capture) {
  const std::set<std::size_t> joined = closure(capture->nodes, capture->origin->frontier);
  const bool is_joined = joined.size() == capture->nodes.size();
  capture->ended = true;
  for (const StreamPointer& stream : state().streams) {
    if (stream->capture != capture) continue;
    stream->capture.reset();
    stream->frontier.clear();
  }
  return is_joined;
}

int run_nodes(Nodes& nodes) {
  std::vector<bool> done(nodes.size());
  const auto ready = [&](std::size_t k) {
    return !done[k] && std::ranges::all_of(nodes[k].after, [&](std::size_t before) { return done[before]; });
  };
  for (std::size_t left = nodes.size(); left > 0; --left) {
    std::size_t next = nodes.size() - 1;
    while (!ready(next)) --next;
    if (const int result = run_task(nodes[next].task); result != success) return result;
    done[next] = true;
  }
  return success;
}

/// What outlives a replay of the nodes: not what they allocate.
std::vector<Range> lasting(const Nodes& nodes) {
  std::vector<Range> ranges;
  for (const Node& node : nodes)
    for (const Range& range : node.task.uses)
      if (const Block* block = find(range.from); block == nullptr || !block->graph) ranges.push_back(range);
  return ranges;
}

template <class Handles, class Handle>
auto& known(Handles& handles, Handle handle) {
  const auto found = handles.find(handle);
  if (found != handles.end()) return *found->second;
  misuse("a graph was used that is none, or no longer");
  throw Failure{invalid_value};
}

}  // namespace

void invalidate(Capture& capture) { capture.invalid = true; }

void refuse_in_capture() {
  for (const StreamPointer& stream : state().streams) {
    if (!stream->capture || stream->capture->mode == relaxed_mode) continue;
    if (stream->capture->mode != global_mode && stream->capture->thread != this_thread()) continue;
    invalidate(*stream->capture);
    throw Failure{capture_unsupported};
  }
}

void refuse_implicit(const CUstream_st& legacy) {
  for (const StreamPointer& stream : state().streams) {
    if (stream->context != legacy.context || !stream->blocking || !stream->capture) continue;
    invalidate(*stream->capture);
    throw Failure{capture_implicit};
  }
}

void capture(CUstream_st& stream, Task task) {
  Capture& capture = *stream.capture;
  if (capture.invalid) throw Failure{capture_invalidated};
  capture.nodes.push_back({std::move(task), stream.frontier});
  stream.frontier = {capture.nodes.size() - 1};
}

}  // namespace stand_in

using namespace stand_in;

extern "C" {

int cuStreamBeginCapture_v2(CUstream handle, int mode) {
  return enter("cuStreamBeginCapture_v2", Needs::context, std::format("{}, mode {}", name(handle), mode), [&] {
    const StreamPointer stream = resolve(handle);
    if (mode < global_mode || mode > relaxed_mode) throw Failure{invalid_value};
    if (stream->legacy) throw Failure{capture_unsupported};
    if (stream->capture) throw Failure{illegal_state};
    stream->capture = std::make_shared<Capture>();
    stream->capture->origin = stream;
    stream->capture->mode = mode;
    stream->capture->thread = this_thread();
  });
}

int cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return enter("cuStreamEndCapture", Needs::context, name(handle), [&] {
    const StreamPointer stream = resolve(handle);
    const std::shared_ptr<Capture> capture = stream->capture;
    if (!capture) throw Failure{illegal_state};
    if (capture->origin != stream) throw Failure{capture_unmatched};
    if (capture->mode != relaxed_mode && capture->thread != this_thread()) throw Failure{capture_wrong_thread};
    *graph = nullptr;
    const bool joined = close(capture);
    capture->origin.reset();
    if (capture->invalid) throw Failure{capture_invalidated};
    if (!joined) throw Failure{capture_unjoined};
    auto made = std::make_unique<CUgraph_st>();
    made->nodes = std::make_shared<Nodes>(std::move(capture->nodes));
    *graph = made.get();
    state().graphs.emplace(made.get(), std::move(made));
  });
}

int cuStreamIsCapturing(CUstream handle, int* status) {
  return enter("cuStreamIsCapturing", Needs::context, name(handle), [&] {
    const StreamPointer stream = resolve(handle);
    if (stream->legacy)
      for (const StreamPointer& other : state().streams)
        if (other->context == stream->context && other->blocking && other->capture) throw Failure{capture_implicit};
    *status = !stream->capture ? 0 : stream->capture->invalid ? 2 : 1;
  });
}

int cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  return enter("cuGraphInstantiateWithFlags", Needs::context, "", [&] {
    auto made = std::make_unique<CUgraphExec_st>();
    made->nodes = std::make_shared<Nodes>(*known(state().graphs, graph).nodes);
    *exec = made.get();
    state().execs.emplace(made.get(), std::move(made));
  });
}

int cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  return enter("cuGraphLaunch", Needs::context, name(stream_handle), [&] {
    const StreamPointer stream = resolve(stream_handle);
    CUgraphExec_st& exec = known(state().execs, handle);
    const auto run = [nodes = exec.nodes] { return run_nodes(*nodes); };
    const Stamp stamp = enqueue(stream, {"the launch of a graph", lasting(*exec.nodes), run}, {exec.last});
    if (stamp.stream) exec.last = stamp;
  });
}

int cuGraphExecDestroy(CUgraphExec exec) {
  return enter_release("cuGraphExecDestroy", "", [&] {
    known(state().execs, exec);
    state().execs.erase(exec);
  });
}

int cuGraphDestroy(CUgraph graph) {
  return enter_release("cuGraphDestroy", "", [&] {
    known(state().graphs, graph);
    state().graphs.erase(graph);
  });
}
}
