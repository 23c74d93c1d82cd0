// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "csr.hpp"
#include "kernels.hpp"

namespace example {

/// The part of n rows that a rank owns; r: this one.
eagle::Partition rows_of(MPI_Comm comm, std::int64_t n, int r);
eagle::Partition rows_of(MPI_Comm comm, std::int64_t n);

/// Makes a whole matrix on rank 0, where its eagle::Error is thrown on every rank, and returns each rank's rows.
Csr scatter(MPI_Comm comm, const std::function<Csr()>& make);

/// A vector that is distributed in rank order, whole on rank 0 and empty on the others.
std::vector<double> gather(MPI_Comm comm, const Vector& mine);

/// FNV-1a of 64 bits over the bytes of a vector, little-endian.
std::uint64_t digest(const std::vector<double>& vector);

}  // namespace example
