// SPDX-License-Identifier: Apache-2.0
// Streams as lazy queues: an operation runs when something waits for it, and what it comes after runs before it. Operations are
// numbered as they are queued, and come only after lower numbers, so this ends.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <format>

#include "state.hpp"

namespace stand_in {
namespace {

int depth = 0;  // of run_until within run_until

/// What an operation that is queued now comes after, besides its own stream: the legacy stream and the blocking ones wait for
/// each other.
std::vector<Stamp> implicit(const CUstream_st& stream) {
  std::vector<Stamp> after;
  if (stream.legacy) {
    for (const StreamPointer& other : state().streams)
      if (other->context == stream.context && other->blocking && !other->queue.empty()) after.push_back({other, other->last});
  } else if (stream.blocking && !stream.context->legacy->queue.empty()) {
    after.push_back({stream.context->legacy, stream.context->legacy->last});
  }
  return after;
}

void check_queued(const Task& task) {
  for (const Range& range : task.uses)
    if (const Block* block = find(range.from); block != nullptr && (block->free_queued || block->life == Life::freed))
      misuse(std::format("{} was queued after {:#x} was freed, which it uses", task.what, block->address));
}

/// 0, or what the device says of memory that the operation uses.
int check_run(const Task& task) {
  for (const Range& range : task.uses) {
    const Block* const block = find(range.from);
    if (block == nullptr) continue;
    if (block->life == Life::reserved)
      misuse(
          std::format("{} uses {:#x} and ran before its allocation, which nothing orders before", task.what, block->address));
    if (block->life != Life::freed) continue;
    misuse(std::format("{} ran after {:#x} was freed, which it uses", task.what, block->address));
    return illegal_address;
  }
  return success;
}

void run_first(CUstream_st& stream) {
  CUstream_st::Queued first = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (stream.context->spoilt != 0) return;
  if (const int result = run_task(first.task); result != success) stream.context->spoilt = result;
}

void drain(const StreamPointer& stream, std::uint64_t number) {
  while (stream != nullptr && !stream->queue.empty() && stream->queue.front().number <= number) {
    const std::vector<Stamp> after = std::move(stream->queue.front().after);
    for (const Stamp& stamp : after) drain(stamp.stream, stamp.number);
    run_first(*stream);
  }
}

}  // namespace

std::uint64_t this_thread() { return static_cast<std::uint64_t>(::syscall(SYS_gettid)); }

int run_task(Task& task) {
  if (const int result = check_run(task); result != success) return result;
  expose(task.device);
  return task.run();
}

StreamPointer make_stream(CUctx_st& context, unsigned flags) {
  State& all = state();
  std::erase_if(all.streams, [](const StreamPointer& stream) { return stream->destroyed && stream->queue.empty(); });
  auto stream = std::make_shared<CUstream_st>();
  stream->context = &context;
  stream->blocking = flags == 0;
  all.streams.push_back(stream);
  return stream;
}

StreamPointer resolve(CUstream handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) return current().legacy;
  if (number == 2) {
    StreamPointer& stream = current().of_threads[this_thread()];
    if (stream == nullptr) stream = make_stream(current(), 0);
    return stream;
  }
  for (const StreamPointer& stream : state().streams)
    if (stream.get() == handle && !stream->destroyed) return stream;
  misuse(std::format("{:#x} was used as a stream and is none, or no longer", number));
  throw Failure{invalid_handle};
}

std::string name(CUstream handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) return "the legacy stream";
  if (number == 2) return "the thread's stream";
  const std::lock_guard lock(state().mutex);
  for (const StreamPointer& stream : state().streams)
    if (stream.get() == handle) return std::format("stream {}", stream->identity);
  return "no stream";
}

Stamp enqueue(const StreamPointer& stream, Task task, std::vector<Stamp> after) {
  if (stream->capture) {
    capture(*stream, std::move(task));
    return {};
  }
  if (stream->legacy) refuse_implicit(*stream);
  check_queued(task);
  std::ranges::copy(implicit(*stream), std::back_inserter(after));
  stream->last = ++state().last_number;
  stream->queue.push_back({std::move(task), stream->last, std::move(after)});
  return {stream, stream->last};
}

void run_until(const Stamp& stamp) {
  ++depth;
  drain(stamp.stream, stamp.number);
  if (--depth == 0) hide();
}

bool is_done(const Stamp& stamp) {
  return stamp.stream == nullptr || stamp.stream->queue.empty() || stamp.stream->queue.front().number > stamp.number;
}

/// Lets one operation run, so that who asks again and again comes to an end.
void step(const Stamp& stamp) {
  if (!is_done(stamp)) run_until({stamp.stream, stamp.stream->queue.front().number});
}

void throw_if_spoilt(const CUctx_st& context) {
  if (context.spoilt != 0) throw Failure{context.spoilt};
}

void synchronize(const StreamPointer& stream) {
  if (stream->legacy) {
    refuse_implicit(*stream);
    for (const Stamp& stamp : implicit(*stream)) run_until(stamp);
  }
  run_until({stream, stream->last});
}

void synchronize(CUctx_st& context) {
  run_until({context.legacy, context.legacy->last});
  for (const StreamPointer& stream : std::vector(state().streams))
    if (stream->context == &context) run_until({stream, stream->last});
}

std::vector<std::string> queued_with(const std::function<bool(const Task&)>& test) {
  std::vector<std::string> found;
  const auto look = [&](const CUstream_st& stream) {
    for (const auto& queued : stream.queue)
      if (test(queued.task)) found.push_back(queued.task.what);
  };
  for (const auto& [device, context] : state().contexts) look(*context->legacy);
  for (const StreamPointer& stream : state().streams) look(*stream);
  return found;
}

}  // namespace stand_in
