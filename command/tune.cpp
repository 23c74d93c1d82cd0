// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <thread>

#include <eagle/eagle.hpp>
#include <eagle/new_file.hpp>
#include <eagle/profile.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "tune_report.hpp"
#include "tuner.hpp"

namespace eagle::command {
namespace {

struct Options {
  std::vector<std::string> bundles, inputs, numbers, samples;
  std::string plugin, digest, structure, output;
  double budget = 30;
  bool exhaustive = false;
};

/// One search: a plugin on a structure with so many samples.
struct Task {
  Plugin plugin;
  StructureKind structure;
  std::int64_t samples;
};

/// How many samples the planes of --in have; nothing where none was given.
std::optional<std::int64_t> given_samples(const Declaration& plugin, const Values& values) {
  for (const Argument& each : plugin.arguments) {
    const auto given = values.find(each.name);
    const bool plane = each.role == Role::per_sample || each.role == Role::vec_in || each.role == Role::mat_in ||
                       each.role == Role::mutable_ || each.role == Role::out || each.role == Role::terminated;
    if (plane && each.width > 0 && given != values.end() && given->second.array() != nullptr)
      return given->second.array()->size() / each.width;
  }
  return std::nullopt;
}

/// Why there is nothing to choose for a plugin on a structure; empty where there is.
std::string nothing_to_tune(const Declaration& plugin, StructureKind structure) {
  const Target target = target_of(structure, std::nullopt);
  if (!plugin.ships(target)) return fmt::format("ships no {} target", name(target));
  if (structure != StructureKind::host_team || !runs_whole(plugin, plugin.access)) return "";
  return fmt::format("a {} body runs whole, on one thread", plugin.is_v1() ? "schema 1" : name(plugin.access));
}

std::vector<StructureKind> structures_of(const Options& options) {
  if (!options.structure.empty()) return {*structure_from(options.structure)};
  std::vector<StructureKind> all = {StructureKind::host_team};
  if (device_count() > 0) all.push_back(StructureKind::device_kernel);
  return all;
}

/// "4096", "1e6", "2^20".
std::int64_t samples_of(std::string_view text) {
  constexpr double most = 1e15;
  std::optional<double> number = parsed<double>(text);
  if (text.starts_with("2^"))
    if (const auto power = parsed<int>(text.substr(2))) number = std::exp2(*power);
  if (!number || !(*number >= 0 && *number <= most) || *number != std::floor(*number))
    throw Error(Code::argument, fmt::format("--samples {}: a number of samples is accepted, e.g. 4096, 1e6 or 2^20", text));
  return static_cast<std::int64_t>(*number);
}

/// One plugin on one structure: as many samples as --in gives, or each number asked for.
void add_tasks(const Options& options, const std::vector<std::int64_t>& samples, const Plugin& plugin, StructureKind structure,
               std::vector<Task>& tasks) {
  if (const std::string why = nothing_to_tune(plugin.declaration(), structure); !why.empty())
    return print("{} on {}: nothing to tune: {}\n", plugin.id(), name(structure), why);
  const Inputs inputs = read_inputs(options.inputs, options.numbers);
  if (const auto given = given_samples(plugin.declaration(), inputs.values))
    return tasks.push_back({plugin, structure, *given});
  for (const std::int64_t each : samples) tasks.push_back({plugin, structure, each});
}

std::vector<Task> tasks_of(const Options& options) {
  std::vector<Task> tasks;
  std::vector<std::int64_t> samples;
  for (const std::string& each : options.samples) samples.push_back(samples_of(each));
  if (!options.digest.empty() && options.bundles.size() > 1)
    throw Error(Code::argument, fmt::format("--require-digest is of one bundle, and {} are given", options.bundles.size()));
  for (const std::string& path : options.bundles) {
    const Bundle bundle = load(path, {options.digest});
    std::vector<Plugin> plugins(bundle.begin(), bundle.end());
    if (!options.plugin.empty()) plugins = {bundle.at(options.plugin)};
    for (const Plugin& plugin : plugins)
      for (const StructureKind structure : structures_of(options)) add_tasks(options, samples, plugin, structure, tasks);
  }
  return tasks;
}

/// Makes sure of a place that can be written and, where something is there, is a profile of this machine.
void check_output(const std::filesystem::path& file) {
  detail::make_folder_of(file);
  const detail::NewFile place(file);
  if (!std::filesystem::exists(file)) return;
  if (const Profile there = read_profile(file); there.machine != machine())
    throw Error(Code::argument, fmt::format("{} was measured on '{}', and this machine is '{}': name another file",
                                            file.string(), there.machine, machine()));
}

/// How near what the search chose comes to the best of every setting: the median of three duels.
std::string beside_grid(const Found& found, const Found& all, const Measure& measure) {
  if (!all.complete) return "no time to measure every setting: give more with --budget";
  const Setting& mine = found.trials[found.best].setting;
  const Setting& best = all.trials[all.best].setting;
  std::vector<double> ratios;
  for (int k = 0; k < 3; ++k)
    if (const auto duel = measure(mine, best)) ratios.push_back(duel->challenger / duel->champion);
  if (ratios.size() < 3) return "no time to compare with every setting: give more with --budget";
  std::ranges::sort(ratios);
  return fmt::format("{} of {} settings tried; the choice takes {:.3f} of the time of the best of all, {}", found.trials.size(),
                     all.trials.size(), mine == best ? 1.0 : ratios[1], to_string(best));
}

/// `note` becomes what the whole grid says, where that is asked for.
Found find(const Task& task, Tuner& tuner, Clock::time_point deadline, bool exhaustive, std::string& note) {
  const bool host = task.structure == StructureKind::host_team;
  const Space space = host ? host_space(task.samples, static_cast<int>(std::thread::hardware_concurrency())) : device_space();
  Progress progress(fmt::format("{} on {}, {} samples", task.plugin.id(), name(task.structure), task.samples), deadline);
  const Measure measure = [&](const Setting& challenger, const Setting& champion) {
    const auto duel = tuner.duel(challenger, champion);
    if (duel) progress.tried(challenger, *duel);
    return duel;
  };
  const Found found = search(space, measure);
  if (exhaustive && found.complete) note = beside_grid(found, search_all(space, measure), measure);
  return found;
}

/// What was found, where anything was.
std::optional<Measurement> run_task(const Options& options, const Task& task, Clock::time_point deadline) {
  const Declaration& declaration = task.plugin.declaration();
  Inputs inputs = read_inputs(options.inputs, options.numbers);
  std::vector<Array> arrays;
  std::string made;
  for (const std::string& each : make_up(declaration, task.samples, arrays, inputs.values))
    made += fmt::format("{}{}", made.empty() ? "" : ", ", each);
  const auto stop = std::make_shared<Stop>(deadline);
  Tuner tuner(task.plugin, task.structure, task.samples, inputs.values, stop);
  print("{} on {}, {} samples{}\n", task.plugin.id(), name(task.structure), task.samples,
        made.empty() ? "" : fmt::format(", with made-up {}", made));
  std::string note;
  const Found found = find(task, tuner, deadline, options.exhaustive, note);
  if (found.trials.empty()) {
    print("  {}\n", Stop::interrupted() ? "interrupted before anything was measured"
                                        : "no time to measure anything: give more with --budget");
    return std::nullopt;
  }
  print("{}  {}\n{}", table(found), savings(found), note.empty() ? "" : fmt::format("  {}\n", note));
  if (const double noise = tuner.noise(); noise > 0.1)
    print("  samples of one setting lie {:.0f} % apart: something else is running; tune again when it is not\n", 100 * noise);
  return Measurement{.plugin = task.plugin.id(),
                     .digest = task.plugin.digest(),
                     .structure = task.structure,
                     .device = tuner.device(),
                     .samples = task.samples,
                     .setting = found.trials[found.best].setting,
                     .seconds = found.trials[found.best].seconds,
                     .default_seconds = found.trials.front().seconds};
}

int tune(const Options& options) {
  const std::filesystem::path file = options.output.empty() ? profile_path() : std::filesystem::path(options.output);
  ::unsetenv("EAGLE_PROFILE");  // plans that are measured ask for none
  check_output(file);
  const std::vector<Task> tasks = tasks_of(options);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.budget));
  std::size_t left = tasks.size(), saved = 0;
  bool failed = false;
  for (const Task& task : tasks) {
    if (Stop::interrupted()) break;
    const auto now = Clock::now();
    const auto deadline = now + std::max(end - now, Clock::duration(0)) / static_cast<int>(left--);
    try {
      const auto measured = run_task(options, task, deadline);
      if (measured) add_to_profile(file, *measured), ++saved;
      else failed = true;
    } catch (const Error& e) {
      print_lines(stderr, fmt::format("eagle: not tuned: {}\n", e.what()));
      failed = true;
    }
  }
  if (saved > 0)
    print("{}: {} measurement{} saved{}; plans use it with --profile {}, in Python profile={}\n", file.string(), saved,
          saved == 1 ? "" : "s", Stop::interrupted() ? " before the interruption" : "",
          options.output.empty() ? "auto" : options.output, options.output.empty() ? "True" : "'" + options.output + "'");
  return Stop::interrupted() ? 130 : failed ? 1 : 0;
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "tune", "Find the fastest threads, schedule and tile (on a device: block) of plugins on this machine, and keep them");
  auto o = std::make_shared<Options>();
  o->samples = {"2^12", "2^16", "2^20", "2^23"};
  command->add_option("BUNDLE", o->bundles, "Bundle folders or their manifest.json")->required();
  add_digest(*command, o->digest);
  command->add_option("--plugin", o->plugin, "Id of the one plugin; all of the bundles, if not given");
  command->add_option("--structure", o->structure, "host_team or device_kernel; all that are here, if not given")
      ->check(CLI::IsMember({"host_team", "device_kernel"}));
  command->add_option("--samples", o->samples, "Numbers of samples, e.g. 4096,1e6,2^20, where --in gives none")->delimiter(',');
  command->add_option("--budget", o->budget, "Time for all of it, e.g. 30s, 2min")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"min", 60}, {"h", 3600}}))
      ->check(CLI::Range(1e-3, 1e6));
  command->add_option("--in", o->inputs, "NAME=FILE.npy: an input; others are made up")->allow_extra_args(false);
  command->add_option("--set", o->numbers, "NAME=NUMBER: a uniform; others are 1")->allow_extra_args(false);
  command->add_option("--output", o->output, "The profile to write or add to; of this machine, where plans look, if not given")
      ->check(is_not_empty);
  command->add_flag("--exhaustive", o->exhaustive, "Measure every setting too, and say how near to the best the search came");
  command->callback([=, &action] { action = [=] { return tune(*o); }; });
}

}  // namespace eagle::command
