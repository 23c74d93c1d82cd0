// SPDX-License-Identifier: Apache-2.0
#include <eagle/manifest_reading.hpp>

#include "fuzz.hpp"

namespace {

namespace json = eagle::detail::json;
using eagle::detail::Report;

void check_value(const json::Value& value, Report& report) {
  const std::string written = json::write(value);
  fuzz::require(json::write(json::parse(written)) == written, "JSON that was written reads back", written);
  fuzz::require(json::write(json::parse(json::write(value, true))) == written, "indented JSON is the same", written);
  const eagle::detail::Manifest manifest = read_manifest(value, report);
  fuzz::require(manifest.valid || report.count() > 0, "what is refused has a finding");
  for (const auto& plugin : manifest.plugins)
    fuzz::require(!plugin.valid || (!plugin.id.empty() && !plugin.artifact.empty() && !plugin.sidecar.empty()),
                  "a valid entry is complete", plugin.id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  eagle::Findings findings;
  Report::of(findings, "manifest.json", [&](Report& report) {
    const auto value = eagle::detail::parse_json(fuzz::text_of(data, size), report);
    fuzz::require(value.has_value() == findings.empty(), "what is no JSON is a finding");
    if (value) check_value(*value, report);
  });
  fuzz::check_findings(findings, size);
  return 0;
}
