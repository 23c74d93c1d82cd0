// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <eagle/bundle.hpp>
#include <eagle/plan.hpp>

#include "../core/temporary_folder.hpp"
#include "fuzz.hpp"

namespace {

/// What may be done with a plugin before any of its code runs.
void use(const eagle::Plugin& plugin) {
  fuzz::require_text(to_string(plugin), "a plugin can be shown");
  fuzz::require(plugin.digest().size() == 64, "and has a digest");
  for (const eagle::Target target : plugin.declaration().targets)
    fuzz::require(plugin.index_bytes(target) > 0, "an artifact counts samples", plugin.id());
  const bool for_device = plugin.declaration().ships(eagle::Target::device);
  fuzz::require(!for_device || !plugin.device_image().empty(), "a checked artifact is not empty", plugin.id());
  using enum eagle::StructureKind;
  for (const auto kind : {host_team, device_kernel, rank_partition, device_group})
    for (const bool combine : {true, false}) {
      eagle::PlanOptions options;
      options.structure = eagle::not_built(kind, "it is not built for fuzzing");
      if (!combine) options.combine = false;
      fuzz::require(!fuzz::accepts([&] { eagle::plan(plugin, options); }), "what is not built is refused");
    }
}

}  // namespace

/// The texts of manifest.json and s.json and the bytes of the artifacts a and a.so, with NUL between them, which JSON lacks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder;
  std::string_view rest = fuzz::text_of(data, size);
  for (const char* name : {"manifest.json", "s.json", "a"}) {
    const std::size_t end = *name == 'a' ? rest.size() : std::min(rest.find('\0'), rest.size());
    std::ofstream(folder / name, std::ios::binary) << rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::error_code there;
  std::filesystem::create_hard_link(folder / "a", folder / "a.so", there);

  const eagle::Findings findings = eagle::check(folder.path());
  fuzz::check_findings(findings, size);
  const bool loads = fuzz::accepts([&] {
    for (const eagle::Plugin& plugin : eagle::load(folder.path())) use(plugin);
  });
  fuzz::require(loads == findings.empty(), "a bundle without findings is loaded, and no other");
  return 0;
}
