// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include <eagle/eagle.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "npy.hpp"

namespace eagle::command {
namespace {

struct Options {
  std::string bundle, plugin, structure, inner, schedule = "static", combine, precision;
  std::vector<std::string> partitions, inputs, numbers, outputs;
  std::int64_t npartitions = 1, tile = 0;
  std::optional<std::int64_t> samples;
  int threads = 0;
  bool time = false, progress = false;
};

/// "NAME=VALUE" pairs by name. A name twice is a mistake.
std::map<std::string, std::string> by_name(const std::vector<std::string>& pairs, std::string_view option) {
  std::map<std::string, std::string> result;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      throw Error(Code::argument, fmt::format("{} {}: NAME=VALUE is accepted", option, pair));
    if (!result.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      throw Error(Code::argument, fmt::format("{} names '{}' twice", option, pair.substr(0, equals)));
  }
  return result;
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Number number_of(const std::string& name, std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (const auto value = parsed<std::int64_t>(text)) return *value;
  if (const auto value = parsed<std::uint64_t>(text)) return *value;
  if (const auto value = parsed<double>(text)) return *value;
  throw Error(Code::argument, fmt::format("--set {}={}: a number is accepted", name, text));
}

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

StructurePtr structure_of(const Options& options) {
  const auto host = [&] {
    return host_team({.threads = options.threads,
                      .schedule = options.schedule == "dynamic" ? Schedule::dynamic : Schedule::static_,
                      .tile = options.tile});
  };
  const auto simple = [&](StructureKind kind) {
    switch (kind) {
      case StructureKind::device_kernel: return device_kernel();
      case StructureKind::device_group: return device_group();
      case StructureKind::rank_partition: return rank_partition();
      case StructureKind::host_team: break;
    }
    return host();
  };
  const StructureKind kind = *structure_from(options.structure);
  if (options.inner.empty()) return simple(kind);
  if (kind != StructureKind::rank_partition)
    throw Error(Code::placement,
                fmt::format("--inner {} is refused: only rank_partition has an inner structure", options.inner));
  return rank_partition(simple(*structure_from(options.inner)));
}

bool is_output(const Argument& argument, const Declaration& plugin) {
  switch (argument.role) {
    case Role::mutable_:
    case Role::out:
    case Role::wide_out:
    case Role::accum_out: return true;
    case Role::terminated: return !plugin.terminated_readonly;
    case Role::lookup: return argument.name == "finished_count";
    default: return false;
  }
}

void check_outputs(const Declaration& plugin, const std::map<std::string, std::string>& files) {
  std::string names;
  std::set<std::string> outputs, paths;
  for (const Argument& argument : plugin.arguments)
    if (is_output(argument, plugin)) {
      outputs.insert(argument.name);
      names += fmt::format("{}{}", names.empty() ? "" : ", ", argument.name);
    }
  for (const auto& [name, path] : files) {
    if (!outputs.contains(name))
      throw Error(Code::argument, fmt::format("--out {}: plugin '{}' has no output of that name: it writes {}", name, plugin.id,
                                              names.empty() ? "nothing" : names));
    if (!paths.insert(path).second) throw Error(Code::argument, fmt::format("--out names the file {} twice", path));
  }
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

void print(const std::string& name, const ArrayView& array, const std::string* file) {
  if (array.shape.empty()) fmt::print("{} = {}\n", name, value_text(array));
  else fmt::print("{}: {}, {}\n", name, to_string(array), file != nullptr ? *file : "not written (no --out)");
}

struct Inputs {
  std::vector<npy::File> files;  ///< hold the memory
  Values values;
};

Inputs read_inputs(const Declaration& plugin, const Options& options) {
  Inputs inputs;
  for (const auto& [name, path] : by_name(options.inputs, "--in")) {
    bool written = false;
    for (const Argument& argument : plugin.arguments)
      written = written || (argument.name == name && is_output(argument, plugin));
    inputs.files.emplace_back(path, written ? npy::File::Access::private_write : npy::File::Access::read);
    inputs.values.emplace(name, inputs.files.back().view());
  }
  for (const auto& [name, text] : by_name(options.numbers, "--set"))
    if (!inputs.values.emplace(name, number_of(name, text)).second)
      throw Error(Code::argument, fmt::format("'{}' is given by --in and by --set", name));
  return inputs;
}

int percent(std::int64_t done, std::int64_t total) {
  return total == 0 ? 100 : static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
}

/// Tells a person what a plan does with their arrays and, where asked and on a terminal, how far it is.
class Console final : public Observer {
 public:
  explicit Console(bool progress) : progress_(progress && ::isatty(STDERR_FILENO) == 1) {}
  void warning(std::string_view text) override { fmt::print(stderr, "eagle: warning: {}\n", text); }
  void progress(std::int64_t done, std::int64_t total) override {
    const auto now = std::chrono::steady_clock::now();
    if (!progress_ || (done < total && now - shown_ < std::chrono::milliseconds(100))) return;
    shown_ = now;
    fmt::print(stderr, "\r{:3} % of {} samples{}", percent(done, total), total, done == total ? "\n" : "");
  }

 private:
  bool progress_;
  std::chrono::steady_clock::time_point shown_;
};

int run(const Options& options) {
  const Bundle bundle = load(options.bundle);
  const Plugin& plugin = options.plugin.empty() ? bundle.only() : bundle.at(options.plugin);
  PlanOptions plan_options{.structure = structure_of(options),
                           .partitions = partitions_of(options.partitions),
                           .npartitions = options.npartitions,
                           .n_samples = options.samples,
                           .observer = std::make_shared<Console>(options.progress)};
  if (!options.combine.empty()) plan_options.combine = options.combine == "on";
  if (!options.precision.empty()) plan_options.precision = precision_from(options.precision);
  const Plan planned = plan(plugin, std::move(plan_options));
  const auto files = by_name(options.outputs, "--out");
  check_outputs(plugin.declaration(), files);
  const Inputs inputs = read_inputs(plugin.declaration(), options);

  const auto start = std::chrono::steady_clock::now();
  const Result result = planned.run(inputs.values);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;

  std::vector<npy::Staged> staged;
  for (const auto& output : result.outputs())
    if (const auto file = files.find(output.name); file != files.end()) staged.emplace_back(file->second, output.array);
  for (npy::Staged& each : staged) each.commit();
  for (const auto& output : result.outputs()) {
    const auto file = files.find(output.name);
    print(output.name, output.array, file == files.end() ? nullptr : &file->second);
  }
  if (options.time) fmt::print(stderr, "eagle: ran in {:.3f} ms\n", elapsed.count());
  return 0;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Plan one plugin of a bundle and run it on .npy files");
  auto o = std::make_shared<Options>();
  const std::vector<std::string> structures = {"host_team", "device_kernel", "rank_partition", "device_group"};
  command->add_option("BUNDLE", o->bundle, "Bundle folder or its manifest.json")->required();
  command->add_option("--plugin", o->plugin, "Id of the plugin; not needed where the bundle holds one");
  command->add_option("--structure", o->structure, "Where the body runs")->required()->check(CLI::IsMember(structures));
  command->add_option("--inner", o->inner, "What drives a rank's part, with rank_partition")->check(CLI::IsMember(structures));
  auto* even = command->add_option("--partitions", o->npartitions, "Cut the run into this many even parts");
  command->add_option("--partition", o->partitions, "BASE:COUNT of one part; give all parts in order")->excludes(even);
  command->add_option("--samples", o->samples, "Number of samples, where no plane tells");
  command->add_option("--threads", o->threads, "Threads of a host team; 0: all");
  command->add_option("--schedule", o->schedule, "How a team shares samples out")->check(CLI::IsMember({"static", "dynamic"}));
  command->add_option("--tile", o->tile, "Samples a tile, with --schedule dynamic");
  command->add_option("--combine", o->combine, "Fold a mapreduce (on) or give its partials (off)")
      ->check(CLI::IsMember({"on", "off"}));
  command->add_option("--precision", o->precision, "How a mapreduce carries a floating-point sum")
      ->check(CLI::IsMember({"working", "compensated"}));
  command->add_option("--in", o->inputs, "NAME=FILE.npy: an input, or a written plane to start from")->allow_extra_args(false);
  command->add_option("--set", o->numbers, "NAME=NUMBER: a uniform")->allow_extra_args(false);
  command->add_option("--out", o->outputs, "NAME=FILE.npy: where an output goes; written whole or not at all")
      ->allow_extra_args(false);
  command->add_flag("--progress", o->progress, "Show on a terminal how far the run is");
  command->add_flag("--time", o->time, "Print how long packing and running took");
  command->callback([=, &action] { action = [=] { return run(*o); }; });
}

}  // namespace eagle::command
