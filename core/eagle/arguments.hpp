// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: arg_spec and the lists that declare what it names.
#pragma once

#include <vector>

#include <eagle/axis.hpp>
#include <eagle/declaration.hpp>
#include <eagle/reader.hpp>

namespace eagle::detail {

/// Longer argument lists are refused.
constexpr std::size_t most_arguments = 4096;

/// The arguments of a sidecar in arg_spec order, which may be absent unless it is needed. `scalar` is what scalar_type means
/// for elements. An argument that has a finding is left out.
std::vector<Argument> read_arguments(const Reader& sidecar, const Axis& axis, DType scalar, Need need);

}  // namespace eagle::detail
