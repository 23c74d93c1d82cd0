// SPDX-License-Identifier: Apache-2.0
// Every worked plugin, and two of raptor-hawk's: staged from host arrays and on device arrays, cut in several ways.
#include <algorithm>
#include <filesystem>

#include <eagle/error.hpp>

#include "given.hpp"
#include "reference.hpp"
#include "report.hpp"

namespace device_check {
namespace {

using eagle::Access;
using eagle::Partition;
using eagle::Plugin;

constexpr std::int64_t many = 1 << 22;  // more than this is more than one tile of partials

/// How a plan differs from the default one.
struct Way {
  std::vector<Partition> parts;
  std::optional<bool> combine = std::nullopt;
  std::optional<eagle::Precision> precision = std::nullopt;
};

eagle::Plan planned(const Plugin& plugin, eagle::StructurePtr structure, const Way& way) {
  return eagle::plan(
      plugin, {.structure = std::move(structure), .partitions = way.parts, .combine = way.combine, .precision = way.precision});
}

/// Whole, even, uneven, with empty parts; one way where there are many samples.
std::vector<std::vector<Partition>> cuts(std::int64_t n, bool whole) {
  std::vector<std::vector<Partition>> all = {{Partition::whole(n)}};
  if (whole) return all;
  if (n > many) return {eagle::split_evenly(n, 7)};
  all.push_back(eagle::split_evenly(n, 7));
  if (n > 2) all.push_back({{0, 1, n}, {1, 0, n}, {1, n - 2, n}, {n - 1, 1, n}});
  return all;
}

/// What a mapreduce is asked for beside its value: the plane of partials, and a compensated sum.
std::vector<Way> ways(const Plugin& plugin) {
  std::vector<Way> all = {{}};
  const eagle::Declaration& declaration = plugin.declaration();
  if (declaration.access != Access::mapreduce) return all;
  all.push_back({.parts = {}, .combine = false});
  for (const eagle::Argument& argument : declaration.arguments)
    if (argument.role == eagle::Role::accum_out && eagle::is_float(argument.dtype) && declaration.op == eagle::Op::sum)
      all.push_back({.parts = {}, .precision = eagle::Precision::compensated});
  return all;
}

struct Structures {
  eagle::StructurePtr reference = std::make_shared<Reference>();
  eagle::StructurePtr device = eagle::device_kernel();
  eagle::StructurePtr staging = eagle::device_kernel({.block = 96, .staging = true});
};

void compare(const Structures& on, const Plugin& plugin, std::int64_t n, bool exact) {
  const Given given = made_for(plugin, n, exact);
  for (Way way : ways(plugin)) {
    way.parts = {Partition::whole(n)};
    const eagle::Memory& host = eagle::host_memory();
    const Outputs expected = run(planned(plugin, on.reference, way), given.in(host).values(), host);
    for (const auto& parts : cuts(n, plugin.declaration().access == Access::cross_sample_write)) {
      way.parts = parts;
      const auto agree = [&](const char* where, const Outputs& found) {
        const std::string wrong = difference(found, expected);
        require(wrong.empty(), std::string(where) + ", n = " + std::to_string(n) + " in " + std::to_string(parts.size()) +
                                   " parts" +
                                   (way.combine     ? ", combine=false"
                                    : way.precision ? ", compensated"
                                                    : "") +
                                   ": " + wrong);
      };
      agree("host arrays", run(planned(plugin, on.staging, way), given.in(host).values(), on.staging->memory()));
      agree("device arrays", run(planned(plugin, on.device, way), given.in(on.device->memory()).values(), on.device->memory()));
    }
  }
}

std::string kind_of(const Plugin& plugin) {
  const eagle::Declaration& declaration = plugin.declaration();
  return declaration.format + ", " + std::string(name(declaration.access)) +
         (declaration.op ? " " + std::string(name(*declaration.op)) : "");
}

void check_bundle(Report& report, const Structures& structures, const std::filesystem::path& folder, bool exact) {
  for (const Plugin& plugin : eagle::load(folder))
    report.check(plugin.id() + " (" + kind_of(plugin) + ")", [&] {
      if (!plugin.declaration().ships(eagle::Target::device))
        throw Skipped("it ships no device target: it is built for the host alone");
      std::vector<std::int64_t> sizes = {0, 1, 1025, 70001};
      if (!report.small && !exact) sizes.push_back(many + 1025);
      try {
        for (const std::int64_t n : sizes) compare(structures, plugin, n, exact);
      } catch (const eagle::Error& e) {
        // Hawk's PTX is in the tree, and made for a driver of CUDA 13; all other images are made on this machine.
        if (!exact || std::string(e.what()).find("UNSUPPORTED_PTX_VERSION") == std::string::npos) throw;
        throw Skipped(e.what());
      }
    });
}

}  // namespace

void check_plugins(Report& report) {
  const Structures structures;
  for (const char* folder : {EAGLE_TEST_BUNDLES, EAGLE_CHECK_BUNDLES}) {
    std::vector<std::filesystem::path> bundles;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) bundles.push_back(entry.path());
    std::sort(bundles.begin(), bundles.end());
    for (const auto& bundle : bundles) check_bundle(report, structures, bundle, false);
  }
  for (const char* name : {"matvec_two", "mixed_two"})
    check_bundle(report, structures, std::filesystem::path(EAGLE_TEST_DATA) / "bundles" / name, true);
}

void check_groups(Report& report) {
  std::vector<std::vector<int>> groups = {{0}};
  for (int k = 1; k < eagle::device_count(); ++k) groups.push_back(groups.back()), groups.back().push_back(k);
  for (const std::vector<int>& devices : groups) {
    Structures structures;
    structures.device = eagle::device_group(devices);
    structures.staging = eagle::device_group(devices, {.block = 96, .staging = true});
    for (const char* name : {"axpy", "drift3", "matvec3", "gather", "interp", "dot", "dot3", "product", "maximum", "countdown"})
      report.check("a group of " + std::to_string(devices.size()) + ": " + name, [&] {
        const Plugin plugin = eagle::load(std::filesystem::path(EAGLE_TEST_BUNDLES) / name).only();
        if (!plugin.declaration().ships(eagle::Target::device)) throw Skipped("it was built without nvcc");
        for (const std::int64_t n : {std::int64_t{1}, std::int64_t{70001}, report.small ? 1025 : many + 1025})
          compare(structures, plugin, n, false);
      });
  }
  report.check("NCCL on one device", check_nccl);
}

void check_layouts(Report& report) {
  // One vector a row, samples first; rows a gap apart; another type, which widens.
  report.check("planes of other layouts and types, on the device", [] {
    constexpr std::int64_t n = 4099;
    const Plugin plugin = eagle::load(std::filesystem::path(EAGLE_TEST_BUNDLES) / "drift3").only();
    const auto ran = [&](const eagle::StructurePtr& structure) {
      const eagle::Memory& memory = structure->memory();
      const auto made = [&](eagle::DType dtype, eagle::Extents shape, int seed) {
        const eagle::Array here(dtype, shape);
        eagle::visit(dtype, [&]<class T>(T) {
          for (std::int64_t i = 0; i < here.view().size(); ++i)
            static_cast<T*>(here.view().data)[i] = static_cast<T>(mixed(static_cast<std::uint64_t>(i + seed)) % 1000) / T(7);
        });
        return Given{{{"array", here}}, {}}.in(memory).arrays.at("array");
      };
      const eagle::Array p = made(eagle::DType::float32, {n, 3}, 1), v = made(eagle::DType::float64, {6, n}, 2),
                         q = made(eagle::DType::float64, {n, 3}, 3);
      eagle::ArrayView other_rows = v.view();
      other_rows.shape = {3, n};
      other_rows.strides = {2 * n, 1};
      const auto plan = eagle::plan(plugin, {.structure = structure, .npartitions = 3});
      return run(plan, {{"p", p.view()}, {"v", other_rows}, {"q", q.view()}, {"dt", 0.3}}, memory);
    };
    const std::string wrong = difference(ran(eagle::device_kernel()), ran(std::make_shared<Reference>()));
    require(wrong.empty(), wrong);
  });
}

}  // namespace device_check
