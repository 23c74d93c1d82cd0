// SPDX-License-Identifier: Apache-2.0
// The driver's calls for streams and events.
#include <format>

#include "state.hpp"

using namespace stand_in;

namespace {

CUevent_st& known(CUevent handle) {
  const auto found = state().events.find(handle);
  if (found != state().events.end()) return *found->second;
  misuse("an event was used that is none, or no longer");
  throw Failure{invalid_handle};
}

void join_capture(CUstream_st& stream, const CUevent_st& event) {
  if (event.capture->ended) throw Failure{captured_event};
  if (stream.legacy) throw Failure{capture_implicit};
  if (stream.capture && stream.capture != event.capture) {
    invalidate(*stream.capture);
    throw Failure{capture_merge};
  }
  if (event.capture->invalid) throw Failure{capture_invalidated};
  stream.capture = event.capture;
  stream.frontier.insert(event.frontier.begin(), event.frontier.end());
}

void record(CUevent_st& event, const StreamPointer& stream) {
  if (event.context != stream->context) {
    misuse("an event was recorded in a stream of another context");
    throw Failure{invalid_handle};
  }
  event.capture = stream->capture;
  event.frontier = stream->frontier;
  event.recording.reset();
  if (stream->capture && stream->capture->invalid) throw Failure{capture_invalidated};
  if (stream->capture) return;
  auto recording = std::make_shared<Recording>();
  const auto run = [recording] {
    recording->time = std::chrono::steady_clock::now();
    return int{success};
  };
  recording->stamp = enqueue(stream, {"the recording of an event", {}, run});
  event.recording = std::move(recording);
}

/// What must be done for an event to have happened.
Stamp stamp_of(const CUevent_st& event) {
  if (event.capture) throw Failure{captured_event};
  return event.recording == nullptr ? Stamp{} : event.recording->stamp;
}

void query(const Stamp& stamp, const CUctx_st& context) {
  throw_if_spoilt(context);
  if (is_done(stamp)) return;
  step(stamp);
  throw Failure{not_ready};
}

void refuse_capturing(CUstream_st& stream) {
  if (!stream.capture) return;
  invalidate(*stream.capture);
  throw Failure{capture_unsupported};
}

}  // namespace

extern "C" {

int cuStreamCreate(CUstream* handle, unsigned flags) {
  return enter("cuStreamCreate", Needs::context, std::format("flags {}", flags), [&] {
    if (flags > 1) throw Failure{invalid_value};
    const StreamPointer stream = make_stream(current(), flags);
    stream->identity = ++state().last_stream;
    *handle = stream.get();
  });
}

int cuStreamDestroy_v2(CUstream handle) {
  return enter_release("cuStreamDestroy_v2", name(handle), [&] {
    const StreamPointer stream = resolve(handle);
    if (stream->identity == 0) throw Failure{invalid_handle};
    if (stream->capture) invalidate(*stream->capture);
    stream->destroyed = true;
  });
}

int cuStreamSynchronize(CUstream handle) {
  return enter("cuStreamSynchronize", Needs::context, name(handle), [&] {
    const StreamPointer stream = resolve(handle);
    refuse_capturing(*stream);
    synchronize(stream);
    throw_if_spoilt(*stream->context);
  });
}

int cuStreamQuery(CUstream handle) {
  return enter("cuStreamQuery", Needs::context, name(handle), [&] {
    const StreamPointer stream = resolve(handle);
    refuse_capturing(*stream);
    query({stream, stream->last}, *stream->context);
  });
}

int cuLaunchHostFunc(CUstream handle, void (*function)(void*), void* data) {
  return enter("cuLaunchHostFunc", Needs::context, name(handle), [&] {
    const auto run = [function, data] {
      function(data);
      return int{success};
    };
    enqueue(resolve(handle), {"a host function", {}, run});
  });
}

int cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return enter("cuStreamGetCtx", Needs::context, name(handle), [&] { *context = resolve(handle)->context; });
}

int cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  return enter("cuStreamWaitEvent", Needs::context, name(handle), [&] {
    const StreamPointer stream = resolve(handle);
    CUevent_st& awaited = known(event);
    if (flags > 1) throw Failure{invalid_value};
    if (awaited.capture) return join_capture(*stream, awaited);
    if (stream->capture) {
      invalidate(*stream->capture);
      throw Failure{capture_isolation};
    }
    if (awaited.recording == nullptr) return;
    enqueue(stream, {"the wait for an event", {}, [] { return int{success}; }}, {awaited.recording->stamp});
  });
}

int cuEventCreate(CUevent* handle, unsigned flags) {
  return enter("cuEventCreate", Needs::context, std::format("flags {}", flags), [&] {
    if (flags > 7) throw Failure{invalid_value};
    auto event = std::make_unique<CUevent_st>();
    event->context = &current();
    event->flags = flags;
    *handle = event.get();
    state().events.emplace(event.get(), std::move(event));
  });
}

int cuEventRecord(CUevent event, CUstream handle) {
  return enter("cuEventRecord", Needs::context, name(handle), [&] { record(known(event), resolve(handle)); });
}

int cuEventSynchronize(CUevent event) {
  return enter("cuEventSynchronize", Needs::context, "", [&] {
    CUevent_st& awaited = known(event);
    run_until(stamp_of(awaited));
    throw_if_spoilt(*awaited.context);
  });
}

int cuEventQuery(CUevent event) {
  return enter("cuEventQuery", Needs::context, "", [&] {
    CUevent_st& asked = known(event);
    query(stamp_of(asked), *asked.context);
  });
}

int cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return enter("cuEventElapsedTime", Needs::context, "", [&] {
    constexpr unsigned disable_timing = 2;
    const CUevent_st &first = known(start), &second = known(end);
    if (((first.flags | second.flags) & disable_timing) != 0) throw Failure{invalid_handle};
    if (first.recording == nullptr || second.recording == nullptr) throw Failure{invalid_handle};
    if (!is_done(stamp_of(first)) || !is_done(stamp_of(second))) throw Failure{not_ready};
    *milliseconds = std::chrono::duration<float, std::milli>(second.recording->time - first.recording->time).count();
  });
}

int cuEventDestroy_v2(CUevent event) {
  return enter_release("cuEventDestroy_v2", "", [&] {
    known(event);
    state().events.erase(event);
  });
}
}
