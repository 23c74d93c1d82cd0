// SPDX-License-Identifier: Apache-2.0
// What DeviceKernel computes on the first CUDA device, bit for bit: plugins against their host twins, eagle's own kernels
// against the frozen values, sizes beyond 2^31 against arithmetic. One line a check; 1 where one has failed.
#include <cstring>
#include <exception>
#include <iostream>

#include <eagle/eagle.hpp>

#include "report.hpp"

namespace device_check {

void Report::check(const std::string& name, const std::function<void()>& f) {
  try {
    f();
    std::cout << "ok       " << name << std::endl;
  } catch (const Skipped& why) {
    std::cout << "skipped  " << name << ": " << why.what() << std::endl;
  } catch (const std::exception& why) {
    failed = true;
    std::cout << "FAILED   " << name << ": " << why.what() << std::endl;
  }
}

}  // namespace device_check

int main(int count, char** words) {
  device_check::Report report;
  report.small = count == 2 && std::strcmp(words[1], "--small") == 0;
  if (count > 2 || (count == 2 && !report.small)) {
    std::cerr << "usage: device_check [--small]\n";
    return 2;
  }
  try {
    const std::string devices = eagle::devices();
    std::cout << "device   " << devices << std::endl;
    device_check::check_plugins(report);
    device_check::check_layouts(report);
    device_check::check_golden(report);
    device_check::check_graphs(report);
    device_check::check_groups(report);
    device_check::check_large(report);
  } catch (const std::exception& why) {
    std::cout << "FAILED   the checks end here: " << why.what() << std::endl;
    return 1;
  }
  return report.failed ? 1 : 0;
}
