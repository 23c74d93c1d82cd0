// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <eagle/placement.hpp>
#include <eagle/sidecar_reading.hpp>

#include "fuzz.hpp"

namespace {

using eagle::Declaration;
using eagle::detail::Report;
namespace json = eagle::detail::json;

void check_declaration(const Declaration& declaration) {
  for (const eagle::Argument& each : declaration.arguments) {
    fuzz::require(!each.name.empty() && each.width >= 0, "an argument has a name and a width", each.name);
    fuzz::require(!each.shape || (*each.shape)[0] * (*each.shape)[1] == each.width, "a matrix has R * C components", each.name);
    fuzz::require(!each.initial || each.initial->fits(each.dtype), "a plane can start from its default", each.name);
  }
  for (const auto kind : {eagle::StructureKind::host_team, eagle::StructureKind::rank_partition})
    for (const std::int64_t partitions : {1, 3})
      fuzz::accepts([&] { eagle::check_placement(declaration, {.structure = kind, .partitions = partitions}); });
}

/// As a part of a bundle whose manifest says of the execution axis what the sidecar says.
void check_bundled(const json::Value& value, std::size_t alone, std::size_t size) {
  eagle::Findings findings, ignored;
  Report::of(ignored, "manifest.json", [&](Report& silent) {
    const eagle::detail::Reader reader(value, silent);
    const std::int64_t version = read_version(reader, "schema_version").value_or(2);
    const eagle::detail::Axis axis = read_axis(reader, version, eagle::detail::Need::optional);
    Declaration declaration;
    Report::of(findings, "sidecar.json", [&](Report& report) { read_sidecar(value, report, &axis, declaration); });
    fuzz::require(findings.size() >= alone || !reader.find("schema_version"),
                  "a bundle asks no less of a sidecar than the sidecar does");
    if (findings.empty()) check_declaration(declaration);
  });
  fuzz::check_findings(findings, size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  eagle::Findings findings;
  std::optional<json::Value> value;
  Report::of(findings, "sidecar.json", [&](Report& report) {
    value = eagle::detail::parse_json(fuzz::text_of(data, size), report);
    Declaration unused;
    if (value) read_sidecar(*value, report, nullptr, unused);
  });
  fuzz::check_findings(findings, size);
  if (value && value->get<json::Object>()) check_bundled(*value, findings.size(), size);
  return 0;
}
