// SPDX-License-Identifier: Apache-2.0
// What the tests on ranks share.
#pragma once

#include <mpi.h>

#include <limits>

#include <eagle/eagle.hpp>
#include <eagle/mpi.hpp>

#include "support.hpp"

namespace bed {

inline int rank(MPI_Comm comm = MPI_COMM_WORLD) {
  int value = 0;
  MPI_Comm_rank(comm, &value);
  return value;
}
inline int size(MPI_Comm comm = MPI_COMM_WORLD) {
  int value = 0;
  MPI_Comm_size(comm, &value);
  return value;
}

inline eagle::Plugin plugin(const std::string& name) { return eagle::load(support::bundle(name)).only(); }

inline eagle::Plan single(const std::string& name, eagle::PlanOptions options = {}) {
  options.structure = eagle::host_team({.threads = 1});
  return eagle::plan(plugin(name), std::move(options));
}

/// A plan on ranks, each with a team of its own.
inline eagle::Plan on_ranks(const std::string& name, eagle::PlanOptions options = {}, MPI_Comm comm = MPI_COMM_WORLD,
                            bool gather = true, int threads = 2) {
  options.structure = eagle::rank_partition(comm, eagle::host_team({.threads = threads}), gather);
  return eagle::plan(plugin(name), std::move(options));
}

inline void expect_same(const eagle::Result& a, const eagle::Result& b, const std::string& what) {
  ASSERT_EQ(a.outputs().size(), b.outputs().size()) << what;
  for (const auto& output : a.outputs()) {
    const eagle::ArrayView& other = b.array(output.name);
    ASSERT_EQ(other.shape, output.array.shape) << what;
    ASSERT_EQ(other.dtype, output.array.dtype) << what;
    ASSERT_EQ(std::memcmp(other.data, output.array.data, static_cast<std::size_t>(other.bytes())), 0)
        << what << " '" << output.name << "' on rank " << rank();
  }
}

}  // namespace bed
