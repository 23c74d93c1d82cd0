// SPDX-License-Identifier: Apache-2.0
#include <eagle/placement.hpp>
#include <eagle/sidecar_reading.hpp>

#include "fuzz.hpp"

namespace {

using eagle::Declaration;

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

}  // namespace

/// On its own, and as a part of a bundle whose manifest says of the execution axis what the sidecar says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  eagle::Findings alone;
  eagle::detail::Report report(alone, "sidecar.json");
  if (const auto value = eagle::detail::parse_json(fuzz::text_of(data, size), report)) {
    Declaration unused;
    read_sidecar(*value, report, nullptr, unused);
    if (value->get<eagle::detail::json::Object>()) {
      eagle::Findings findings, ignored;
      eagle::detail::Report bundled(findings, "sidecar.json"), silent(ignored, "manifest.json");
      const eagle::detail::Reader reader(*value, silent);
      const std::int64_t version = read_version(reader, "schema_version").value_or(2);
      const eagle::detail::Axis axis = read_axis(reader, version, eagle::detail::Need::optional);
      Declaration declaration;
      read_sidecar(*value, bundled, &axis, declaration);
      fuzz::require(findings.size() >= alone.size() || !reader.find("schema_version"),
                    "a bundle asks no less of a sidecar than the sidecar does");
      fuzz::check_findings(findings, size);
      if (findings.empty()) check_declaration(declaration);
    }
  }
  fuzz::check_findings(alone, size);
  return 0;
}
