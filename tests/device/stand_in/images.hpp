// SPDX-License-Identifier: Apache-2.0
// Private to the stand-in: what a device image says of its kernels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in {

struct Parameter {
  std::size_t offset = 0, bytes = 0;
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  bool known = true;  ///< whether the image says the parameters
  int max_threads = 1024;
};

struct Global {
  std::string name;
  std::vector<std::byte> bytes;
};

struct Content {
  std::string file;  ///< the image as it is in its file
  std::vector<Kernel> kernels;
  std::vector<Global> globals;
};

/// An image that a driver does not take, and what its compiler says.
struct Refusal {
  int result;
  std::string log;
};

/// PTX, a cubin or a fatbin. May throw Refusal.
Content read_image(const void* image);
Content read_ptx(std::string_view text);
Content read_cubin(const char* image);

}  // namespace stand_in
