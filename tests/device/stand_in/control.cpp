// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <format>

#include "state.hpp"

namespace stand_in {

State& state() {
  static State* const only = [] {  // never destroyed: calls come until the process has ended
    auto* const made = new State;
    made->settings = settings_of_environment();
    return made;
  }();
  return *only;
}

void misuse(std::string text) { state().misuses.push_back(std::move(text)); }

bool is_sticky(int result) {
  static const std::set<int> spoil = {46, 214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721};
  return spoil.contains(result);
}

std::optional<Failing> injected(std::string_view symbol) {
  std::vector<Failing>& failing = state().settings.failing;
  std::optional<Failing> found;
  for (Failing& one : failing)
    if (one.symbol == symbol && --one.left == 0) found = one;
  std::erase_if(failing, [](const Failing& one) { return one.left <= 0; });
  return found;
}

namespace {

int run_call(const char* symbol, Needs needs, std::string text, const std::function<void()>& body, bool releases) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.calls.push_back({symbol, std::move(text)});
  int spoilt = 0;
  try {
    if (const auto failing = injected(symbol)) {
      if (failing->sticky && current_or_null() != nullptr) current().spoilt = failing->result;
      return failing->result;
    }
    if (needs != Needs::nothing && all.initialized_by != ::getpid()) return not_initialized;
    spoilt = needs == Needs::context ? current().spoilt : 0;
    if (spoilt == 0 || releases) body();
    return spoilt;
  } catch (const Failure& failure) {
    return spoilt != 0 ? spoilt : failure.result;
  }
}

}  // namespace

int enter(const char* symbol, Needs needs, std::string text, const std::function<void()>& body) {
  return run_call(symbol, needs, std::move(text), body, false);
}

int enter_release(const char* symbol, std::string text, const std::function<void()>& body) {
  return run_call(symbol, Needs::context, std::move(text), body, true);
}

std::vector<Call> calls(std::string_view part) {
  const std::lock_guard lock(state().mutex);
  std::vector<Call> found;
  for (const Call& call : state().calls)
    if ((call.symbol + " " + call.text).find(part) != std::string::npos) found.push_back(call);
  return found;
}

std::vector<Launch> launches(std::string_view kernel) {
  const std::lock_guard lock(state().mutex);
  std::vector<Launch> found;
  for (const auto& launch : state().launches)
    if (kernel.empty() || launch->kernel == kernel) found.push_back(*launch);
  return found;
}

void fail(std::string_view symbol, int nth, int result) { fail(symbol, nth, result, is_sticky(result)); }

void fail(std::string_view symbol, int nth, int result, bool sticky) {
  const std::lock_guard lock(state().mutex);
  state().settings.failing.push_back({std::string(symbol), nth, result, sticky});
}

void set_devices(int count) {
  const std::lock_guard lock(state().mutex);
  state().settings.devices = count;
}

void set_version(int version) {
  const std::lock_guard lock(state().mutex);
  state().settings.version = version;
}

void set_memory(std::size_t bytes) {
  const std::lock_guard lock(state().mutex);
  state().settings.memory = bytes;
}

void set_attribute(int number, int value) {
  const std::lock_guard lock(state().mutex);
  state().settings.attributes[number] = value;
}

void set_protection(bool on) {
  const std::lock_guard lock(state().mutex);
  state().settings.protect = on;
  hide();
}

void set_block_size(int threads) {
  const std::lock_guard lock(state().mutex);
  state().settings.block_size = threads;
}

void set_jit_log(std::string_view text) {
  const std::lock_guard lock(state().mutex);
  state().jit_log = text;
}

void twin(std::string_view kernel, Twin function, std::vector<std::size_t> sizes) {
  const std::lock_guard lock(state().mutex);
  state().twins.insert_or_assign(std::string(kernel), RegisteredTwin{std::move(function), std::move(sizes)});
}

void twins(const std::string& folder) {
  const std::lock_guard lock(state().mutex);
  state().settings.folders.push_back(folder);
}

std::size_t pending() {
  const std::lock_guard lock(state().mutex);
  return queued_with([](const Task&) { return true; }).size();
}

std::vector<std::string> misuses() {
  const std::lock_guard lock(state().mutex);
  return state().misuses;
}

void reset() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.settings = settings_of_environment();
  all.jit_log.reset();
  all.calls.clear();
  all.launches.clear();
  all.misuses.clear();
  all.twins.clear();
  for (const auto& [device, context] : all.contexts) {
    if (context->spoilt != 0) synchronize(*context);  // nothing of it is done
    context->spoilt = 0;
  }
  hide();
}

}  // namespace stand_in
