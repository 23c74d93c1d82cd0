// SPDX-License-Identifier: Apache-2.0
// Runs a worked plugin on one device and on all, with the NCCL that the loader finds or the file that is given.
#include <cstdio>

#include <eagle/eagle.hpp>

namespace {

void run(const char* what, std::vector<int> devices) {
  const std::vector<double> x = {1, 2};
  const auto body = eagle::load(EAGLE_TEST_BUNDLES "/axpy").only();
  const auto structure = eagle::device_group(std::move(devices), {.staging = true});
  const auto result = eagle::plan(body, {.structure = structure}).run({{"x", eagle::view(x)}, {"a", 2.0}, {"b", 1.0}});
  const auto* const y = static_cast<const double*>(result.array("y").data);
  std::printf("%s gave %g %g; ", what, y[0], y[1]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) eagle::look_for_nccl_at(arguments[1]);
  try {
    run("one device", {1});
    run("several devices", {});
  } catch (const eagle::Error& e) {
    std::printf("%s\n", e.what());
  }
}
