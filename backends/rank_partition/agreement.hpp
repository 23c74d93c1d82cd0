// SPDX-License-Identifier: Apache-2.0
// Private to eagle::mpi: ranks that fail or differ are found by all, at once.
#pragma once

#include <exception>

#include <eagle/structure.hpp>

#include "ranks.hpp"

namespace eagle::detail {

/// Throws on every rank where any has a refusal: an Error of the first such rank's code, naming it and its message. Then, where
/// the claims differ, Error(partition) that names what differs and the first rank that differs from rank 0.
void agree(const Ranks& ranks, std::exception_ptr refusal, const Claims& claims);
/// The same where every rank has one number, which tells bound plans from each other: what a launch has time for.
void agree(const Ranks& ranks, const std::exception_ptr& refusal, std::uint64_t token);

}  // namespace eagle::detail
