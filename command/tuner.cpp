// SPDX-License-Identifier: Apache-2.0
#include "tuner.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>
#include <utility>

#include "console.hpp"

namespace eagle::command {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

double elapsed(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

/// The value that a part of the others is below.
double quantile(std::vector<double> values, double part) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size()));
  std::ranges::nth_element(values, place);
  return *place;
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

bool folds(const Declaration& plugin, const Argument& argument) {
  return plugin.access == Access::mapreduce && argument.role == Role::accum_out;
}

/// The shape of an argument that can be made up; nothing where it takes none or need not be given.
std::optional<Extents> shape_of(const Declaration& plugin, const Argument& argument, std::int64_t samples) {
  switch (argument.role) {
    case Role::per_sample:
    case Role::lookup: return Extents{samples};
    case Role::vec_in:
    case Role::mat_in: return Extents{argument.width, samples};
    case Role::wide_in:
    case Role::wide_out: break;
    case Role::accum_out:
      if (!folds(plugin, argument)) break;
      [[fallthrough]];
    default: return std::nullopt;
  }
  throw Error(Code::argument,
              fmt::format("plugin '{}': argument '{}' ({}) is not given, and only you know its size: --in {}=FILE.npy",
                          plugin.id, argument.name, name(argument.role), argument.name));
}

Array random_array(DType dtype, Extents shape) {
  constexpr std::int64_t period = 1 << 16;  // then they repeat: made faster than they are read
  Array array(dtype, std::move(shape));
  std::mt19937 generator(1);
  visit(dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      T* const data = array.data<T>();
      const std::int64_t size = array.view().size();
      std::generate_n(data, std::min(size, period), [&] { return static_cast<T>(generator()) / T(4294967296.0); });
      for (std::int64_t k = period; k < size; k += period) std::copy_n(data, std::min(size - k, period), data + k);
    }
  });
  return array;
}

bool same_bytes(const ArrayView& a, const ArrayView& b) {
  return std::memcmp(a.data, b.data, static_cast<std::size_t>(a.bytes())) == 0;
}

}  // namespace

Stop::Stop(Clock::time_point deadline) : deadline_(deadline) { std::signal(SIGINT, interrupt); }
bool Stop::interrupted() noexcept { return command::interrupted != 0; }
bool Stop::due() const noexcept { return interrupted() || Clock::now() > deadline_; }
void Stop::warning(std::string_view text) {
  if (told_.insert(std::string(text)).second) print_lines(stderr, fmt::format("eagle: warning: {}\n", text));
}

std::vector<std::string> make_up(const Declaration& plugin, std::int64_t samples, std::vector<Array>& arrays, Values& values) {
  std::vector<std::string> names;
  for (const Argument& each : plugin.arguments) {
    if (values.contains(each.name)) continue;
    if (each.role == Role::uniform) {
      values.emplace(each.name, 1);
    } else if (const auto shape = shape_of(plugin, each, samples)) {
      arrays.push_back(random_array(each.dtype, *shape));
      values.emplace(each.name, arrays.back().view());
    } else {
      continue;
    }
    names.push_back(each.name);
  }
  return names;
}

Tuner::Tuner(const Plugin& plugin, StructureKind structure, std::int64_t samples, const Values& values,
             std::shared_ptr<Stop> stop)
    : plugin_(plugin), structure_(structure), samples_(samples), stop_(std::move(stop)) {
  if (structure_ == StructureKind::device_kernel) {
    place_ = device_kernel();
    device_ = device_name(0);
  } else {
    place_ = host_team();
  }
  place(values);
}

void Tuner::place(const Values& values) {
  const Memory& memory = place_->memory();
  for (const auto& [name, value] : values) {
    const ArrayView* given = value.array();
    if (given == nullptr || memory.reaches(*given)) {
      values_.emplace(name, value);
      continue;
    }
    arrays_.push_back(memory.make(given->dtype, given->shape));
    memory.copy(*given, arrays_.back().view());
    values_.emplace(name, arrays_.back().view());
  }
}

/// Binds the outputs that the first plan has made to the others too, and keeps what they start from.
void Tuner::keep_written() {
  const Memory& memory = place_->memory();
  for (const Result::Output& each : plans_.begin()->second.outputs()) {
    const auto& arguments = plugin_.declaration().arguments;
    const auto argument = std::ranges::find(arguments, each.name, &Argument::name);
    if (folds(plugin_.declaration(), *argument)) continue;
    values_.insert_or_assign(each.name, each.array);
    written_.push_back(
        {each.name, each.array, memory.make(each.array.dtype, each.array.shape), Array(each.array.dtype, each.array.shape)});
    memory.copy(each.array, written_.back().before.view());
  }
}

void Tuner::restore() {
  for (const Written& each : written_) place_->memory().copy(each.before.view(), each.array);
}

BoundPlan& Tuner::bound(const Setting& setting) {
  const std::string key = to_string(setting);
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  const StructurePtr structure =
      structure_ == StructureKind::device_kernel
          ? device_kernel({.block = setting.block})
          : host_team({.threads = setting.threads, .schedule = setting.schedule, .tile = setting.tile});
  const Plan planned = plan(plugin_, {.structure = structure, .n_samples = samples_, .observer = stop_});
  const bool first = plans_.empty();
  BoundPlan& bound = plans_.emplace(key, planned.bind(values_)).first->second;
  if (first) keep_written();
  check_bits(setting, bound);
  return bound;
}

void Tuner::check_bits(const Setting& setting, BoundPlan& plan) {
  restore();
  plan.launch();
  const Result result = plan.result();
  const bool first = plans_.size() == 1;
  const auto check = [&](const std::string& output, const ArrayView& got, const Array& due) {
    if (!same_bytes(got, due.view()))
      throw Error(
          Code::internal,
          fmt::format("plugin '{}': output '{}' has other bits with {} than with the defaults: the body reads or writes "
                      "what its declaration ({}) does not say",
                      plugin_.id(), output, to_string(setting), name(plugin_.declaration().access)));
  };
  for (Written& each : written_) {
    Array now(each.array.dtype, each.array.shape);
    place_->memory().copy(each.array, now.view());
    if (first) each.after = now;
    check(each.name, now.view(), each.after);
  }
  std::size_t k = 0;
  for (const Result::Output& each : result.outputs()) {
    if (!each.array.shape.empty() || !on_host(each.array)) continue;
    if (first) {
      folded_.emplace_back(each.array.dtype, Extents{});
      std::memcpy(folded_.back().view().data, each.array.data, static_cast<std::size_t>(each.array.bytes()));
    }
    check(each.name, each.array, folded_[k++]);
  }
}

double Tuner::seconds(BoundPlan& plan, int calls) {
  if (stop_->due()) throw Error(Code::interrupted, "the time for tuning is over");
  restore();
  constexpr double longest = 0.02;  // a setting that is much slower than others has fewer calls
  const int chunk = std::max(1, calls / 16);
  const auto start = Clock::now();
  int done = 0;
  for (; done < calls && (done == 0 || elapsed(start) < longest); done += chunk)
    for (int k = 0; k < chunk; ++k) plan.launch();
  static_cast<void>(plan.result());
  return elapsed(start) / done;
}

int Tuner::calls_of(BoundPlan& plan) {
  constexpr double shortest = 2e-4;  // seconds of a sample
  for (int calls = 1;; calls *= 10)
    if (const double each = seconds(plan, calls); calls >= 10000 || each * calls > shortest / 10)
      return std::clamp(static_cast<int>(shortest / each), 1, 10000);
}

double Tuner::noise() const { return spreads_.empty() ? 0 : median(spreads_); }

std::optional<Duel> Tuner::duel(const Setting& challenger, const Setting& champion) try {
  constexpr double longest = 0.2;  // seconds, unless launches are longer
  BoundPlan& second = bound(champion);
  BoundPlan& first = bound(challenger);
  if (calls_ == 0) calls_ = calls_of(second);
  std::vector<double> a, b;
  const auto turn = [&] {
    const bool swapped = a.size() % 2 == 1;
    if (swapped) b.push_back(seconds(second, calls_));
    a.push_back(seconds(first, calls_));
    if (!swapped) b.push_back(seconds(second, calls_));
  };
  turn();
  const int turns = std::clamp(static_cast<int>(longest / (a[0] + b[0]) / calls_), 1, 15);
  const bool hopeless = a[0] > 2 * b[0];
  while (std::ssize(a) < (hopeless ? std::min(turns, 3) : turns)) turn();
  if (b.size() > 3) spreads_.push_back((quantile(b, 0.75) - quantile(b, 0.25)) / median(b));
  return Duel{median(a), median(b)};
} catch (const Error& e) {
  if (e.code() == Code::interrupted) return std::nullopt;
  throw;
}

}  // namespace eagle::command
