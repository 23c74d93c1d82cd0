// SPDX-License-Identifier: Apache-2.0
// Runs a worked plugin with the driver that the loader finds, and says how that ended.
#include <cstdio>

#include <eagle/eagle.hpp>

int main() {
  const std::vector<double> x = {1, 2};
  try {
    const auto structure = eagle::device_kernel({.staging = true});
    const auto body = eagle::load(EAGLE_TEST_BUNDLES "/axpy").only();
    const auto result = eagle::plan(body, {.structure = structure}).run({{"x", eagle::view(x)}, {"a", 2.0}, {"b", 1.0}});
    const auto* const y = static_cast<const double*>(result.array("y").data);
    std::printf("a driver was found: %g %g\n", y[0], y[1]);
  } catch (const eagle::Error& e) {
    std::printf("%s\n", e.what());
  }
}
