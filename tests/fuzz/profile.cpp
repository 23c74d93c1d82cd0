// SPDX-License-Identifier: Apache-2.0
#include <eagle/profile_reading.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepts([&] {
    const eagle::Profile profile = eagle::detail::profile_of(fuzz::text_of(data, size), "profile.json");
    const std::string written = eagle::detail::text_of(profile);
    const eagle::Profile again = eagle::detail::profile_of(written, "profile.json");
    fuzz::require(eagle::detail::text_of(again) == written, "a profile that was read is written and read alike", written);
    const eagle::detail::Tuning tuning{"profile.json", "", profile.measurements};
    for (const eagle::Measurement& each : profile.measurements) {
      fuzz::require(each.samples >= 0 && each.setting.threads >= 0 && each.setting.tile >= 0 && each.setting.block >= 0,
                    "a setting is a count", written);
      fuzz::keep(tuning.at(each.structure, each.device, each.samples));
    }
    fuzz::require_text(to_string(tuning), "a profile can be shown");
    eagle::Profile grown;
    for (const eagle::Measurement& each : profile.measurements) grown.put(each);
    fuzz::require(grown.measurements.size() <= 1000, "a profile stays small");
  });
  return 0;
}
