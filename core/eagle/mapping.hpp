// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: libraries as the loader has mapped them.
#pragma once

#include <string_view>

namespace eagle::detail {

/// Whether an open library (what dlopen gave) is the ELF file with these bytes: program headers, notes and constant data are
/// compared. Code is not, since debuggers and tracers write into it.
bool is_mapped_from(void* handle, std::string_view file);

}  // namespace eagle::detail
