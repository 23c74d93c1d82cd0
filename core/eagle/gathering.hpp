// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core and to structures that share a run out among processes or devices: what has to be put together again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <eagle/structure.hpp>

namespace eagle::detail {

/// Whether everyone writes the own samples of an argument, so that parts have to be gathered.
bool is_gathered(const Call& call, std::size_t argument);

/// The counters that bodies add to, each everyone's own, so that what was added has to be summed.
std::vector<std::size_t> counters_of(const Plugin& plugin);
/// The elements of a counter, zero-extended; sums of them have the low bytes of its own type.
std::vector<std::uint64_t> read_counter(const Memory& memory, const ArrayView& counter);
void write_counter(const Memory& memory, const ArrayView& counter, std::span<const std::uint64_t> values);

}  // namespace eagle::detail
