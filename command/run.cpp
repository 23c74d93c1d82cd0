// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>

#include <eagle/eagle.hpp>
#include <eagle/placement.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "npy.hpp"

namespace eagle::command {
namespace {

struct Options {
  std::string bundle, digest, plugin, structure, inner, schedule = "static", combine, precision;
  std::vector<std::string> partitions, inputs, numbers, outputs, layouts;
  std::int64_t npartitions = 1, tile = 0;
  std::optional<std::int64_t> samples;
  int threads = 0, block = 0;
  std::optional<int> device;
  std::string devices, profile;
  bool time = false, progress = false;
};

/// "BASE:COUNT" parts; they cover all samples, so n_samples is where the last one ends.
std::vector<Partition> partitions_of(const std::vector<std::string>& parts) {
  std::vector<Partition> result;
  std::int64_t end = 0;
  for (const std::string& part : parts) {
    const std::size_t colon = part.find(':');
    const auto base = parsed<std::int64_t>(std::string_view(part).substr(0, colon));
    const auto count =
        colon == std::string::npos ? std::nullopt : parsed<std::int64_t>(std::string_view(part).substr(colon + 1));
    if (!base || !count || *count < 0)
      throw Error(Code::partition, fmt::format("--partition {}: BASE:COUNT is accepted", part));
    result.push_back({*base, *count, 0});
    if (__builtin_add_overflow(*base, *count, &end))
      throw Error(Code::partition, fmt::format("--partition {} is out of range", part));
  }
  for (Partition& partition : result) partition.n_samples = end;
  return result;
}

int percent(std::int64_t done, std::int64_t total) {
  return total == 0 ? 100 : static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
}

/// Tells a person what a plan does with their arrays and, where asked and on a terminal, how far it is.
class Console final : public Observer {
 public:
  explicit Console(bool progress) : progress_(progress && ::isatty(STDERR_FILENO) == 1) {}
  void warning(std::string_view text) override { print_lines(stderr, fmt::format("eagle: warning: {}\n", text)); }
  void ignored(std::string_view text) override { print_lines(stderr, fmt::format("eagle: {}\n", text)); }
  void progress(std::int64_t done, std::int64_t total) override {
    const auto now = std::chrono::steady_clock::now();
    if (!progress_ || (done < total && now - shown_ < std::chrono::milliseconds(100))) return;
    shown_ = now;
    put(stderr, fmt::format("\r{:3} % of {} samples{}", percent(done, total), total, done == total ? "\n" : ""));
  }

 private:
  bool progress_;
  std::chrono::steady_clock::time_point shown_;
};

/// Refuses options that only another structure has than the one that drives the body.
void refuse_foreign(const Options& options) {
  const std::string drives = !options.inner.empty()                  ? options.inner
                             : options.structure == "rank_partition" ? "host_team"
                                                                     : options.structure;
  const auto refuse = [&](bool given, std::string_view option, std::string_view owner) {
    if (given && drives != owner)
      throw Error(Code::placement, fmt::format("{} is refused: it is an option of {}, and this plan drives the body with {}",
                                               option, owner, drives));
  };
  refuse(options.threads != 0, "--threads", "host_team");
  refuse(options.schedule != "static", "--schedule", "host_team");
  refuse(options.tile != 0, "--tile", "host_team");
  refuse(options.device.has_value(), "--device", "device_kernel");
  refuse(!options.devices.empty(), "--devices", "device_group");
  if (drives != "device_group") refuse(options.block != 0, "--block", "device_kernel");
}

/// "0,1".
std::vector<int> devices_of(const std::string& text) {
  std::vector<int> devices;
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const auto device = parsed<int>(std::string_view(text).substr(from, to - from));
    if (!device) throw Error(Code::argument, fmt::format("--devices {}: ordinals are accepted, e.g. 0,1", text));
    devices.push_back(*device);
    from = to + 1;
  }
  return devices;
}

StructurePtr structure_of(const Options& options) {
  refuse_foreign(options);
  const auto host = [&] {
    return host_team({.threads = options.threads, .schedule = *schedule_from(options.schedule), .tile = options.tile});
  };
  const auto simple = [&](StructureKind kind) {
    switch (kind) {
      case StructureKind::device_kernel:
        return device_kernel({.device = options.device, .block = options.block, .staging = true});
      case StructureKind::device_group:
        return device_group(devices_of(options.devices), {.block = options.block, .staging = true});
      case StructureKind::rank_partition: return rank_partition();
      case StructureKind::host_team: break;
    }
    return host();
  };
  const StructureKind kind = *structure_from(options.structure);
  return options.inner.empty() ? simple(kind) : rank_partition(simple(*structure_from(options.inner)));
}

Layouts layouts_of(const std::vector<std::string>& pairs) {
  Layouts layouts;
  for (const auto& [name, layout] : by_name(pairs, "--layout", "NAME=component or NAME=sample")) {
    if (layout != "component" && layout != "sample")
      throw Error(Code::argument, fmt::format("--layout {}={}: component or sample is accepted", name, layout));
    layouts.emplace(name, layout == "sample" ? Layout::sample : Layout::component);
  }
  return layouts;
}

PlanOptions plan_options_of(const Declaration& plugin, const Options& options, bool first) {
  PlanOptions result{.partitions = partitions_of(options.partitions),
                     .npartitions = options.npartitions,
                     .n_samples = options.samples,
                     .layout = layouts_of(options.layouts),
                     .profile = options.profile,
                     .observer = first ? std::make_shared<Console>(options.progress) : nullptr};
  if (!options.combine.empty()) result.combine = options.combine == "on";
  if (!options.precision.empty()) result.precision = precision_from(options.precision);
  // Before the structure is made: what the declaration forbids is named before an option that cannot be.
  check_placement(plugin, {.structure = *structure_from(options.structure),
                           .inner = structure_from(options.inner),
                           .partitions = result.partitions.empty() ? options.npartitions
                                                                   : static_cast<std::int64_t>(result.partitions.size())});
  result.structure = structure_of(options);
  return result;
}

using Outputs = std::map<std::string, npy::Output>;

std::string output_names(const Declaration& plugin) {
  std::string names;
  for (const Argument& argument : plugin.arguments)
    if (is_output(argument, plugin)) names += fmt::format("{}{}", names.empty() ? "" : ", ", argument.name);
  return names.empty() ? "nothing" : names;
}

/// Opens the place of every output, so that what cannot be written is refused before anything runs.
void open_outputs(const Declaration& plugin, const Options& options, Outputs& outputs) {
  const auto files = by_name(options.outputs, "--out", "NAME=FILE.npy");
  for (const auto& [name, path] : files)
    if (!has_output(plugin, name))
      throw Error(Code::argument, fmt::format("--out {}: plugin '{}' has no output of that name: it writes {}", name, plugin.id,
                                              output_names(plugin)));
  std::set<std::string> targets;
  for (const auto& [name, path] : files)
    if (!targets.insert(outputs.try_emplace(name, path).first->second.target().string()).second)
      throw Error(Code::argument, fmt::format("--out names the file {} twice", path));
}

/// A scalar with its bits, an integer with its type.
std::string value_text(const ArrayView& array) {
  return visit(array.dtype, [&]<class T>(T value) {
    std::memcpy(&value, array.data, sizeof value);
    if constexpr (std::is_same_v<T, double>)
      return fmt::format("{} (bits 0x{:016x})", value, std::bit_cast<std::uint64_t>(value));
    else if constexpr (std::is_same_v<T, float>)
      return fmt::format("{} (bits 0x{:08x})", value, std::bit_cast<std::uint32_t>(value));
    else return fmt::format("{} ({})", +value, name(array.dtype));
  });
}

void show(const Result::Output& output, const Outputs& outputs) {
  const auto file = outputs.find(output.name);
  const std::string place = file == outputs.end() ? "" : file->second.path().string();
  const ArrayView& array = output.array;
  if (array.shape.empty()) print("{} = {}{}{}\n", output.name, value_text(array), place.empty() ? "" : ", ", place);
  else print("{}: {}, {}\n", output.name, to_string(array), place.empty() ? "not written (no --out)" : place);
}

/// What the run gave back, and with it what --out asks for of planes that were given and written in place.
std::vector<Result::Output> all_outputs(const Result& result, const Inputs& inputs, const Outputs& outputs) {
  std::vector<Result::Output> all = result.outputs();
  for (const auto& [name, file] : outputs) {
    if (std::ranges::find(all, name, &Result::Output::name) != all.end()) continue;
    const auto given = inputs.values.find(name);
    if (given == inputs.values.end() || given->second.array() == nullptr)
      throw Error(Code::internal, fmt::format("--out {}: the run has no such array", name));
    all.push_back({name, *given->second.array(), nullptr});
  }
  return all;
}

void commit(Outputs& outputs) {
  std::string written;
  for (auto& [name, file] : outputs) try {
      file.commit();
      written += fmt::format("{}{}", written.empty() ? "" : ", ", file.path().string());
    } catch (const Error& e) {
      throw Error(e.code(), fmt::format("{}; written before: {}", e.what(), written.empty() ? "nothing" : written));
    }
}

/// Runs f; on ranks, what one cannot do all refuse, in the place of the plan's or the run's own agreement.
template <class F>
auto together(const Structure* ranks, F&& f) {
  try {
    return f();
  } catch (...) {
    if (ranks != nullptr) ranks->agree(std::current_exception(), {});
    throw;
  }
}

/// Writes and shows the results: one process of all does.
void write_and_show(const Result& result, const Inputs& inputs, Outputs& outputs) {
  const std::vector<Result::Output> all = all_outputs(result, inputs, outputs);
  for (const Result::Output& each : all)
    if (const auto file = outputs.find(each.name); file != outputs.end()) file->second.write(each.array);
  commit(outputs);
  for (const Result::Output& each : all) show(each, outputs);
}

/// `ranks` is null for one process; `first` is whether this one writes.
int run_alike(const Options& options, const Structure* ranks, bool first) {
  const Bundle bundle = together(ranks, [&] { return load(options.bundle, {options.digest}); });
  const auto [plugin, plan_options] = together(ranks, [&] {
    const Plugin& chosen = options.plugin.empty() ? bundle.only() : bundle.at(options.plugin);
    return std::pair(chosen, plan_options_of(chosen.declaration(), options, first));
  });
  const Declaration& declaration = plugin.declaration();
  const Plan planned = plan(plugin, plan_options);
  Outputs outputs;
  const Inputs inputs = together(ranks, [&] {
    Inputs read = read_inputs(options.inputs, options.numbers);
    if (first) open_outputs(declaration, options, outputs);
    return read;
  });

  const auto start = std::chrono::steady_clock::now();
  const Result result = planned.run(inputs.values);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;

  std::exception_ptr unwritten;
  if (first) try {
      write_and_show(result, inputs, outputs);
      if (options.time) put(stderr, fmt::format("eagle: ran in {:.3f} ms\n", elapsed.count()));
    } catch (...) {
      unwritten = std::current_exception();
    }
  if (ranks != nullptr) ranks->agree(unwritten, {});
  else if (unwritten) std::rethrow_exception(unwritten);
  return 0;
}

int run(const Options& options) {
  const StructurePtr ranks = options.structure == "rank_partition" ? rank_partition() : nullptr;
  const bool first = ranks == nullptr || rank() == 0;
  try {
    return run_alike(options, ranks.get(), first);
  } catch (const Error&) {
    if (first) throw;
    return 1;  // rank 0 has the same to say
  }
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Plan one plugin of a bundle and run it on .npy files");
  auto o = std::make_shared<Options>();
  const std::vector<std::string> structures = {"host_team", "device_kernel", "rank_partition", "device_group"};
  command->add_option("BUNDLE", o->bundle, "Bundle folder or its manifest.json")->required();
  add_digest(*command, o->digest);
  command->add_option("--plugin", o->plugin, "Id of the plugin; not needed where the bundle holds one");
  command->add_option("--structure", o->structure, "Where the body runs")->required()->check(CLI::IsMember(structures));
  command->add_option("--inner", o->inner, "What drives a rank's part, with rank_partition")->check(CLI::IsMember(structures));
  auto* even = command->add_option("--partitions", o->npartitions, "Cut the run into this many even parts");
  command->add_option("--partition", o->partitions, "BASE:COUNT of one part; give all parts in order")->excludes(even);
  command->add_option("--samples", o->samples, "Number of samples, where no plane tells");
  command->add_option("--threads", o->threads, "Threads of a host team; 0: all");
  command->add_option("--schedule", o->schedule, "How a team shares samples out")->check(CLI::IsMember({"static", "dynamic"}));
  command->add_option("--tile", o->tile, "Samples a tile, with --schedule dynamic");
  command->add_option("--device", o->device,
                      "CUDA device of device_kernel; on ranks the rank's place on its node, if not given");
  command->add_option("--devices", o->devices, "CUDA devices of device_group, e.g. 0,1; all, if not given");
  command->add_option("--block", o->block, "Threads a block of device_kernel and device_group; 0: from occupancy");
  command->add_option("--combine", o->combine, "Fold a mapreduce (on) or give its partials (off)")
      ->check(CLI::IsMember({"on", "off"}));
  command->add_option("--precision", o->precision, "How a mapreduce carries a floating-point sum")
      ->check(CLI::IsMember({"working", "compensated"}));
  command->add_option("--in", o->inputs, "NAME=FILE.npy: an input, or a written plane to start from")->allow_extra_args(false);
  command->add_option("--set", o->numbers, "NAME=NUMBER: a uniform")->allow_extra_args(false);
  command->add_option("--out", o->outputs, "NAME=FILE.npy: where an output goes; written whole or not at all")
      ->allow_extra_args(false);
  command->add_option("--layout", o->layouts, "NAME=component|sample: whether a plane's last or first axis counts samples")
      ->allow_extra_args(false);
  command->add_option("--profile", o->profile, "What eagle tune has written, for options left out: a file, auto or none")
      ->check(is_not_empty);
  command->add_flag("--progress", o->progress, "Show on a terminal how far the run is");
  command->add_flag("--time", o->time, "Print how long packing and running took");
  command->callback([=, &action] { action = [=] { return run(*o); }; });
}

}  // namespace eagle::command
