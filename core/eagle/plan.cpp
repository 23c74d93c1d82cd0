// SPDX-License-Identifier: Apache-2.0
#include <eagle/plan.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include <eagle/digest.hpp>
#include <eagle/error.hpp>
#include <eagle/of_plugin.hpp>
#include <eagle/pack.hpp>
#include <eagle/placement.hpp>
#include <eagle/plane.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {

namespace detail {

struct PlanState {
  Plugin plugin;
  PlanOptions options;
  Access access;
  std::string rule;
  std::uint64_t token = 0;  ///< of what processes compared
  std::shared_ptr<const Tuning> tuning;
};

/// The accumulate outputs of a mapreduce, empty.
std::vector<Reduction> reductions_of(const Plugin& plugin, const PlanOptions& options) {
  const Declaration& declaration = plugin.declaration();
  std::vector<Reduction> reductions;
  for (std::size_t k = 0; k < declaration.arguments.size(); ++k)
    if (declaration.arguments[k].role == Role::accum_out)
      reductions.push_back({k, AnySpan(options.exec_op.value_or(declaration.op.value_or(Op::sum)),
                                       declaration.arguments[k].dtype, options.precision.value_or(Precision::working))});
  return reductions;
}

struct BoundState {
  std::shared_ptr<const PlanState> plan;
  PackOptions pack_options;
  std::unique_ptr<Packed> packed;
  std::vector<Reduction> reductions;
  std::vector<Partition> partitions;
  std::unique_ptr<Workspace> workspace;
  std::uint64_t token = 0;
  enum class Progress : std::uint8_t { bound, failed, launched, settled } progress = Progress::bound;
  std::atomic<bool> is_busy = false;

  Call call() {
    return {plan->plugin,    plan->access, packed->params, reductions,        packed->arrays, plan->options.observer.get(),
            workspace.get(), std::nullopt, token,          plan->tuning.get()};
  }
  /// Waits for the last launch and completes what it gave. Each time anew on a stream, where graphs may replay launches.
  void settle();
  void clear() {
    for (Reduction& each : reductions) each.clear();
  }
};

void BoundState::settle() {
  if (progress == Progress::bound || progress == Progress::settled) return;
  const Structure& structure = *plan->options.structure;
  structure.wait(call());  // also for what a launch that failed has queued; where this fails, who asks again waits again
  const Progress before = std::exchange(progress, Progress::failed);
  if (before == Progress::failed) return clear();
  for (const Reduction& each : reductions) each.finish(packed->n, packed->slots[each.argument].made->view().data);
  packed->copy_back(structure.memory());
  progress = structure.has_streams() ? Progress::launched : Progress::settled;
}

}  // namespace detail

namespace {

void check_partitions(const Plugin& plugin, const PlanOptions& options) {
  try {
    if (options.n_samples && *options.n_samples < 0)
      throw Error(Code::partition, fmt::format("n_samples is {}: at least 0 is needed", *options.n_samples));
    if (options.partitions.empty()) {
      static_cast<void>(part_of({}, options.npartitions, 0));
      return;
    }
    if (options.npartitions != 1)
      throw Error(Code::partition, fmt::format("both partitions and npartitions={} are given: give one", options.npartitions));
    check_cover(options.partitions);
    if (options.n_samples && *options.n_samples != options.partitions.front().n_samples)
      throw Error(Code::partition, fmt::format("n_samples is {} and the partitions say {}", *options.n_samples,
                                               options.partitions.front().n_samples));
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("plugin '{}': {}", plugin.id(), e.what()));
  }
}

std::int64_t parts_of(const PlanOptions& options) {
  return options.partitions.empty() ? options.npartitions : static_cast<std::int64_t>(options.partitions.size());
}

/// combine and precision belong to a mapreduce, and what is folded must have a fold.
void check_combine(const Plugin& plugin, const PlanOptions& options, Access access) {
  const Declaration& declaration = plugin.declaration();
  const auto refuse = [&](const std::string& why) {
    throw Error(Code::placement, fmt::format("plugin '{}': {}", plugin.id(), why));
  };
  if (access != Access::mapreduce) {
    if (options.combine)
      refuse(fmt::format("combine is refused: only a mapreduce combines, and this body is {}", name(access)));
    if (options.precision)
      refuse(fmt::format("precision is refused: only a mapreduce combines, and this body is {}", name(access)));
    return;
  }
  if (!options.combine.value_or(true)) {
    if (options.precision == Precision::compensated) refuse("precision 'compensated' is refused: combine=false folds nothing");
    return;
  }
  if (!declaration.op && !options.exec_op) refuse("the artifact declares no op: give exec_op");
  try {
    detail::reductions_of(plugin, options);
  } catch (const Error& e) {
    refuse(e.what());
  }
}

void check_layouts(const Plugin& plugin, const PlanOptions& options) {
  for (const auto& [key, layout] : options.layout) {
    const auto& arguments = plugin.declaration().arguments;
    const bool known =
        std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == key && a.is_plane; });
    if (!known)
      throw Error(Code::argument,
                  fmt::format("plugin '{}': layout names '{}', which is no vector or matrix argument", plugin.id(), key));
  }
}

/// Everything about a plan that is checked before anything runs; gives the rule that allows it.
std::string check(const Plugin& plugin, const PlanOptions& options) {
  const Structure& structure = *options.structure;
  const Placement placement{.structure = structure.kind(),
                            .inner = structure.inner(),
                            .partitions = parts_of(options),
                            .exec_access = options.exec_access,
                            .exec_op = options.exec_op};
  std::string rule = check_placement(plugin.declaration(), placement);
  const Access access = effective_access(plugin.declaration(), placement);
  check_combine(plugin, options, access);
  check_partitions(plugin, options);
  check_layouts(plugin, options);
  if (options.check_replicated && !structure.is_collective())
    throw Error(Code::placement,
                fmt::format("plugin '{}': check_replicated is refused: it compares ranks, and the structure is {}", plugin.id(),
                            name(structure.kind())));
  structure.require_built();
  return rule;
}

std::shared_ptr<const detail::Tuning> tuning_of(const Plugin& plugin, const PlanOptions& options) {
  const Structure& structure = *options.structure;
  const bool on_host = target_of(structure.kind(), structure.inner()) == Target::host;
  const Access access = options.exec_access.value_or(plugin.declaration().access);
  if (on_host && runs_whole(plugin.declaration(), access)) return nullptr;  // there is nothing to choose
  auto tuning = detail::tuning_of(plugin, options.profile);
  if (tuning && !tuning->ignored.empty() && options.observer) options.observer->ignored(tuning->ignored);
  return tuning;
}

/// Runs f, and has all processes of the structure throw where any of them does or where claims differ.
template <class F>
auto together(const Structure& structure, const Claims& claims, F&& f) {
  std::optional<decltype(f())> result;
  std::exception_ptr refusal;
  try {
    result.emplace(f());
  } catch (...) {
    refusal = std::current_exception();
  }
  structure.agree(std::move(refusal), claims);
  return std::move(*result);
}

/// What tells this run from another beside its planes.
std::vector<Claim> claims_of(const Plugin& plugin, const PlanOptions& options) {
  const Declaration& d = plugin.declaration();
  std::string parts = fmt::format("{} even parts", options.npartitions);
  for (const Partition& each : options.partitions) parts += " " + to_string(each);
  std::string layouts;
  for (const auto& [argument, layout] : options.layout)
    layouts +=
        fmt::format("{}{}: {}", layouts.empty() ? "" : ", ", argument, layout == Layout::sample ? "sample" : "component");
  const auto given = [](const auto& option) { return option ? std::string(name(*option)) : "not given"; };
  return {{"the plugin", d.manifest.empty() ? d.id : plugin.digest()},
          {"the partitioning", parts},
          {"structure", options.structure->identity()},
          {"n_samples", options.n_samples ? std::to_string(*options.n_samples) : "not given"},
          {"exec_access", given(options.exec_access)},
          {"exec_op", given(options.exec_op)},
          {"precision", given(options.precision)},
          {"combine", options.combine.value_or(true) ? "true" : "false"},
          {"check_replicated", options.check_replicated ? "true" : "false"},
          {"layout", layouts.empty() ? "not given" : layouts}};
}

std::uint64_t token_of(const std::vector<Claim>& claims) {
  std::string text;
  for (const Claim& each : claims) text += each.what + '=' + each.value + ';';
  return detail::fnv1a(text);
}

}  // namespace

Plan plan(const Plugin& plugin, PlanOptions options) {
  if (!options.structure)
    throw Error(Code::placement, fmt::format("plugin '{}': no structure is given: choose {}", plugin.id(), structure_names()));
  std::uint64_t token = 0;
  const auto claims = [&] {
    auto made = claims_of(plugin, options);
    token = token_of(made);
    return made;
  };
  std::shared_ptr<const detail::Tuning> tuning;
  std::string rule = together(*options.structure, claims, [&] {
    std::string allows = check(plugin, options);
    tuning = tuning_of(plugin, options);
    return allows;
  });
  const Access access = options.exec_access.value_or(plugin.declaration().access);
  return Plan(
      std::make_shared<const detail::PlanState>(plugin, std::move(options), access, std::move(rule), token, std::move(tuning)));
}

void Plan::agree(std::exception_ptr refusal) const { state_->options.structure->agree(std::move(refusal), {}); }

const Plugin& Plan::plugin() const noexcept { return state_->plugin; }

std::string Plan::describe() const {
  const PlanOptions& options = state_->options;
  std::string parts = "one whole view";
  if (!options.partitions.empty()) {
    parts = fmt::format("{} given", options.partitions.size());
    constexpr std::size_t most = 16;
    const std::size_t shown = std::min(most, options.partitions.size());
    for (std::size_t k = 0; k < shown; ++k) parts += " " + to_string(options.partitions[k]);
    if (shown < options.partitions.size()) parts += fmt::format(" and {} more", options.partitions.size() - shown);
  } else if (options.npartitions != 1) {
    parts = fmt::format("{} even parts", options.npartitions);
  }
  std::string asked;
  if (options.n_samples) asked += fmt::format("  samples:    {}\n", *options.n_samples);
  if (!options.combine.value_or(true)) asked += "  combine:    off, a plane of partials\n";
  if (options.precision) asked += fmt::format("  precision:  {}\n", name(*options.precision));
  if (state_->tuning) asked += fmt::format("  profile:    {}\n", detail::to_string(*state_->tuning));
  for (const auto& [argument, layout] : options.layout)
    asked += fmt::format("  layout:     {} with samples {}\n", argument, layout == Layout::sample ? "first" : "last");
  return detail::printable_lines(fmt::format("plan of '{}'\n  structure:  {}\n  partitions: {}\n{}  rule:       {}\n",
                                             state_->plugin.id(), options.structure->describe(), parts, asked, state_->rule));
}

namespace {

/// The bytes of a plane that is read, digested.
std::string digest_of(const Memory& memory, const detail::Slot& slot) {
  ArrayView array = slot.bound;
  if (slot.argument.role == Role::uniform) return detail::sha256_of(slot.box, sizeof slot.box);
  if (array.size() == 0) return "";
  std::optional<Array> here;
  if (!on_host(array)) {
    here.emplace(array.dtype, array.shape);
    memory.copy(array, here->view());
    array = here->view();
  }
  const std::int64_t rows = detail::rows_of(array);
  std::string digests;
  for (std::int64_t row = 0; row < rows; ++row)
    digests += detail::sha256_of(detail::row_of(array, row), static_cast<std::size_t>(array.bytes() / rows));
  return digests;
}

std::vector<Claim> claims_of(const detail::BoundState& bound, bool check_replicated) {
  const Memory& memory = *bound.pack_options.memory;
  std::vector<Claim> claims = {{"the plan that is bound", fmt::format("{:x}", bound.plan->token)},
                               {"the number of samples", std::to_string(bound.packed->n)}};
  if (check_replicated)
    for (const detail::Slot& slot : bound.packed->slots)
      if (slot.argument.role != Role::out && slot.argument.role != Role::accum_out &&
          (slot.given || slot.argument.role == Role::uniform))
        claims.push_back({fmt::format("argument '{}'", slot.argument.name), digest_of(memory, slot)});
  return claims;
}

std::unique_ptr<detail::BoundState> pack_state(const std::shared_ptr<const detail::PlanState>& plan, const Values& values,
                                               bool copy_outputs) {
  plan->options.structure->prepare(plan->plugin);
  auto bound = std::make_unique<detail::BoundState>();
  const PlanOptions& options = plan->options;
  const Declaration& declaration = plan->plugin.declaration();
  std::optional<std::int64_t> n = options.n_samples;
  if (!options.partitions.empty()) n = options.partitions.front().n_samples;
  const bool fold = plan->access == Access::mapreduce && options.combine.value_or(true);
  if (fold) bound->reductions = detail::reductions_of(plan->plugin, options);
  bound->pack_options = {.access = plan->access,
                         .op = options.exec_op.value_or(declaration.op.value_or(Op::sum)),
                         .n = n,
                         .index_bytes = options.structure->index_bytes(plan->plugin),
                         .fold = fold,
                         .copy_outputs = copy_outputs,
                         .memory = &options.structure->memory(),
                         .staging = options.structure->stages(),
                         .layouts = options.layout,
                         .observer = options.observer.get()};
  bound->packed = detail::pack(plan->plugin, bound->pack_options, values);
  bound->partitions = options.partitions.empty() ? split_evenly(bound->packed->n, options.npartitions) : options.partitions;
  bound->plan = plan;
  bound->workspace = options.structure->workspace(bound->call(), bound->partitions);
  return bound;
}

std::unique_ptr<detail::BoundState> bind_state(const std::shared_ptr<const detail::PlanState>& plan, const Values& values,
                                               bool copy_outputs) {
  const PlanOptions& options = plan->options;
  const auto pack = [&] {
    return detail::of_plugin(plan->plugin.id(), [&] { return pack_state(plan, values, copy_outputs); });
  };
  if (!options.structure->is_collective()) return pack();
  std::unique_ptr<detail::BoundState> bound;
  together(
      *options.structure,
      [&] {
        auto made = claims_of(*bound, options.check_replicated);
        bound->token = token_of(made);
        return made;
      },
      [&] { return (bound = pack()).get(); });
  return bound;
}

}  // namespace

namespace {

/// Refuses a call while another of the same bound plan is under way.
class Alone {
 public:
  Alone(detail::BoundState& state, std::string_view call) : is_busy_(state.is_busy) {
    if (is_busy_.exchange(true, std::memory_order_acquire))
      throw Error(Code::argument, fmt::format("plugin '{}': {}() while another call of this bound plan is under way",
                                              state.plan->plugin.id(), call));
  }
  ~Alone() { is_busy_.store(false, std::memory_order_release); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  std::atomic<bool>& is_busy_;
};

}  // namespace

BoundPlan Plan::bind(const Values& values) const { return BoundPlan(bind_state(state_, values, false)); }

Result Plan::run(const Values& values) const {
  BoundPlan bound(bind_state(state_, values, true));
  bound.launch();
  return bound.result();
}

BoundPlan::BoundPlan(std::unique_ptr<detail::BoundState> state) : state_(std::move(state)) {}
BoundPlan::BoundPlan(BoundPlan&&) noexcept = default;
BoundPlan& BoundPlan::operator=(BoundPlan&&) noexcept = default;
BoundPlan::~BoundPlan() = default;

void BoundPlan::launch() { launch_on(std::nullopt); }

void BoundPlan::launch(void* stream) {
  const detail::PlanState& plan = *state_->plan;
  if (!plan.options.structure->has_streams())
    throw Error(Code::argument, fmt::format("plugin '{}': a stream is given, and {} has none: launch()", plan.plugin.id(),
                                            name(plan.options.structure->kind())));
  launch_on(stream);
}

void BoundPlan::launch_on(std::optional<void*> stream) {
  detail::BoundState& state = *state_;
  const detail::PlanState& plan = *state.plan;
  const Alone guard(state, "launch");
  state.progress = detail::BoundState::Progress::failed;
  state.clear();
  Call call = state.call();
  call.stream = stream;
  plan.options.structure->run(call, state.partitions);
  state.progress = detail::BoundState::Progress::launched;
  if (!plan.options.structure->has_streams()) state.settle();
}

void BoundPlan::rebind(const std::string& name, const Value& value) {
  const Alone guard(*state_, "rebind");
  const Plugin& plugin = state_->plan->plugin;
  detail::of_plugin(plugin.id(), [&] {
    if (detail::repack_disturbs(*state_->packed, state_->pack_options, name)) state_->settle();
    detail::repack(*state_->packed, plugin, state_->pack_options, name, value);
  });
}

std::int64_t BoundPlan::n_samples() const noexcept { return state_->packed->n; }

namespace {

/// Replicas of what is bound, as results show them: that which is bound itself with its owner, and gapless copies of component
/// rows in the shape that was given, where that has samples last, too.
std::vector<Array> shown(const detail::Slot& slot, std::vector<Array> replicas) {
  const ArrayView& given = slot.array();
  for (Array& each : replicas) {
    ArrayView view = each.view();
    const bool is_bound = view.data == slot.bound.data;
    const bool alike =
        view.is_contiguous() && view.size() == given.size() && (given.shape.empty() || given.shape.back() == view.shape.back());
    if (alike) {
      view.shape = given.shape;
      view.strides = row_major_strides(view.shape);
    }
    each = {std::move(view), std::const_pointer_cast<void>(is_bound && slot.made ? slot.made->storage() : each.storage())};
  }
  return replicas;
}

std::vector<Result::Output> outputs_of(detail::BoundState& state) {
  std::vector<Result::Output> outputs, extra;
  const Structure& structure = *state.plan->options.structure;
  for (std::size_t k = 0; k < state.packed->slots.size(); ++k) {
    const detail::Slot& slot = state.packed->slots[k];
    if (!slot.returned) continue;
    const bool late = slot.argument.role == Role::terminated || slot.argument.role == Role::lookup;
    (late ? extra : outputs)
        .push_back({slot.argument.name, slot.array(), slot.storage(), shown(slot, structure.replicas(state.call(), k))});
  }
  std::move(extra.begin(), extra.end(), std::back_inserter(outputs));
  return outputs;
}

}  // namespace

Result BoundPlan::result() const {
  const Alone guard(*state_, "result");
  detail::of_plugin(state_->plan->plugin.id(), [&] { state_->settle(); });
  if (!state_->reductions.empty() && state_->progress < detail::BoundState::Progress::launched)
    throw Error(
        Code::argument,
        fmt::format("plugin '{}': there is no folded value: no launch has run to its end since bind or the last one failed",
                    state_->plan->plugin.id()));
  return Result(outputs_of(*state_));
}

std::vector<Result::Output> BoundPlan::outputs() const {
  const Alone guard(*state_, "outputs");
  return outputs_of(*state_);
}

const ArrayView& Result::array(std::string_view name) const {
  std::string names;
  for (const Output& output : outputs_) {
    if (output.name == name) return output.array;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", output.name);
  }
  throw Error(Code::argument, fmt::format("there is no output '{}': the run gave {}", name, names.empty() ? "none" : names));
}

void Result::read(std::string_view name, DType dtype, void* element) const {
  const ArrayView& found = array(name);
  if (found.dtype != dtype)
    throw Error(Code::type,
                fmt::format("output '{}' is {} and {} was asked for", name, eagle::name(found.dtype), eagle::name(dtype)));
  if (found.size() != 1)
    throw Error(Code::argument, fmt::format("output '{}' is {}: it has no single value", name, to_string(found)));
  std::memcpy(element, found.data, static_cast<std::size_t>(size_of(dtype)));
}

}  // namespace eagle
