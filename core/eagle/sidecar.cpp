// SPDX-License-Identifier: Apache-2.0
#include <eagle/sidecar.hpp>

#include <algorithm>

#include <eagle/abi.h>
#include <eagle/arguments.hpp>
#include <eagle/names.hpp>
#include <eagle/neural.hpp>
#include <eagle/paths.hpp>
#include <eagle/sidecar_reading.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace detail {
namespace {

constexpr std::string_view scalar_types[] = {"float64", "float32", "softdouble"};

/// What schema 3 may ask of whoever launches a kernel, and eagle does not do.
struct Demand {
  std::string_view outer;
  std::string_view key;
  std::string_view needed;
};
constexpr Demand demands[] = {
    {"", "cells", "results that are folded by cells; what eagle folds is declared as exec_access mapreduce"},
    {"", "companions", "planes that the launcher makes and keeps beside those of the caller"},
    {"", "stages", "several kernels launched in stages for one call"},
    {"launch", "box", "a launch in the shape of a box of lanes"},
    {"launch", "block", "a launch in blocks of the kernel's own size"},
};

class SidecarReader {
 public:
  SidecarReader(const json::Value& sidecar, Report& report, const Axis* manifest, Declaration& plugin)
      : file_(sidecar, report), manifest_(manifest), plugin_(plugin) {}

  std::string read() {
    const auto version = read_schema();
    if (!version) return {};
    axis_ = read_axis(file_, *version, needed());
    if (manifest_) check_agreement(file_, axis_, *manifest_);
    read_pattern();
    if (plugin_.pattern == "neural_block") {
      check_neural_block(file_);
      if (manifest_) refuse_launch(file_, "pattern", "a neural_block");
      return {};
    }
    read_kernel();
    read_scalar_type();
    check_demands();
    check_buffers();
    check_derivative();
    read_argument_list();
    keep_axis();
    return read_host_artifact();
  }

 private:
  /// What only a launch needs.
  [[nodiscard]] Need needed() const noexcept { return manifest_ ? Need::required : Need::optional; }

  /// A sidecar without a version has its manifest's; on its own its tag says whether it is of the first schema.
  std::optional<std::int64_t> read_schema() const {
    if (file_.find("schema_version")) return read_version(file_, "schema_version");
    if (manifest_) return manifest_->version;
    const json::Value* tag = file_.find("aether_abi");
    const auto* text = tag ? tag->get<std::string>() : nullptr;
    return text && *text == EAGLE_ABI_V2 ? 2 : 1;
  }

  void read_pattern() {
    const std::string* pattern = file_.text("pattern", needed());
    if (!pattern) return;
    plugin_.pattern = *pattern;
    if (std::ranges::find(patterns, *pattern) == std::end(patterns))
      file_.refuse("bad-value", "pattern",
                   fmt::format("unknown sidecar pattern {} (expected one of {})", in_quotes(*pattern), one_of(patterns)));
  }

  void read_kernel() {
    const auto* kernel = file_.get<std::string>("kernel", needed());
    if (kernel && !kernel->empty()) plugin_.kernel = file_.is_name(*kernel, "kernel") ? *kernel : "";
    else if (file_.find("kernel"))
      file_.refuse("bad-value", "kernel", "a sidecar needs a non-empty 'kernel', the name of its entry");
    const std::string* entry = file_.name("host_entry");
    plugin_.host_entry = entry ? *entry : plugin_.kernel + "_host";
  }

  void read_scalar_type() {
    const std::string* scalar = file_.text("scalar_type");
    if (!scalar) return;
    plugin_.scalar_type = *scalar;
    if (std::ranges::find(scalar_types, *scalar) == std::end(scalar_types))
      file_.refuse("bad-value", "scalar_type",
                   fmt::format("scalar_type {} is unknown (expected one of {})", in_quotes(*scalar), one_of(scalar_types)));
    else if (manifest_ && *scalar == "softdouble") refuse_launch(file_, "scalar_type", "scalar_type 'softdouble'");
  }

  void check_demands() const {
    if (axis_.version < 3) return;
    for (const Demand& demand : demands) {
      const json::Value* outer = demand.outer.empty() ? &file_.value() : file_.find(demand.outer);
      if (!outer) continue;
      const Reader place(*outer, file_.report(), demand.outer.empty() ? "" : json::step(demand.outer));
      if (place.has(demand.key))
        place.refuse(
            "not-launchable", demand.key,
            fmt::format("{}{}{} asks for what this eagle does not do: {}; rebuild the kernel without it, or upgrade eagle",
                        demand.outer, demand.outer.empty() ? "" : ".", demand.key, demand.needed));
    }
  }

  void check_buffers() const {
    for (const Reader& buffer : file_.objects("buffers")) {
      const std::string* kind = buffer.text("kind", Need::required);
      if (kind && *kind != "lookup")
        buffer.refuse("upgrade", "kind",
                      fmt::format("{} has unknown kind {} (supported: lookup); upgrade eagle", buffer.pointer().substr(1),
                                  in_quotes(*kind)));
    }
  }

  void check_derivative() const {
    if (!file_.get<json::Object>("derivative")) return;
    const Reader derivative(*file_.find("derivative"), file_.report(), "/derivative");
    if (derivative.has("residuals"))
      derivative.refuse("bad-value", "residuals",
                        "derivative.residuals is populated: eagle keeps no residuals, rebuild with an "
                        "empty list (residual_policy 'recompute')");
  }

  void read_argument_list() {
    const DType scalar = plugin_.scalar_type == "float32" ? DType::float32 : DType::float64;
    plugin_.arguments = read_arguments(file_, axis_, scalar, needed());
    const bool* readonly = file_.get<bool>("terminated_readonly");
    plugin_.terminated_readonly = !readonly || *readonly;
  }

  void keep_axis() const {
    plugin_.schema_version = axis_.version;
    plugin_.aether_abi = axis_.abi;
    plugin_.targets = axis_.targets;
    plugin_.access = axis_.access.value_or(Access::sample_local);
    plugin_.op = axis_.op;
  }

  std::string read_host_artifact() const {
    const std::string* path = file_.name("host_artifact");
    return path && is_inside(file_, "host_artifact", *path) ? *path : std::string();
  }

  Reader file_;
  const Axis* manifest_;
  Declaration& plugin_;
  Axis axis_;
};

}  // namespace

std::string read_sidecar(const json::Value& sidecar, Report& report, const Axis* manifest, Declaration& plugin) {
  if (sidecar.get<json::Object>()) return SidecarReader(sidecar, report, manifest, plugin).read();
  report.add("wrong-type", "", fmt::format("a sidecar must be an object, not {}", json::describe(sidecar)));
  return {};
}

void refuse_launch(const Reader& file, std::string_view key, std::string_view what) {
  file.refuse("not-launchable", key, fmt::format("{} is recognized but not launchable", what));
}

}  // namespace detail

Findings validate_sidecar(const std::filesystem::path& sidecar) {
  Findings findings;
  detail::Report::of(findings, sidecar.filename().string(), [&](detail::Report& report) {
    Declaration unused;
    if (const auto json = detail::read_json(sidecar, report)) detail::read_sidecar(*json, report, nullptr, unused);
  });
  return findings;
}

}  // namespace eagle
