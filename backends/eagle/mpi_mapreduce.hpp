// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <eagle/blas.hpp>
#include <eagle/mapreduce.hpp>
#include <eagle/partition.hpp>
#include <eagle/structure.hpp>

/// Canonical reductions over Kokkos execution spaces and MPI ranks: the value of a single process, on every rank. All
/// functions are collective over the communicator; an exception on one rank is thrown on all, naming the first.
namespace eagle {
namespace detail {

/// This rank's part of n samples, and where `mine` samples lie among those of all ranks in rank order.
Partition rank_part(MPI_Comm comm, std::int64_t n);
Partition rank_slice(MPI_Comm comm, std::int64_t mine);
void agree_over_ranks(MPI_Comm comm, const std::exception_ptr& refusal, const Claims& claims = {});
/// The values, one a component, of the run [0, n) of which each rank has a part.
template <Reducible T>
std::vector<T> finish_over_ranks(MPI_Comm comm, std::vector<Span<T>>& spans, std::int64_t n);

/// Folds samples [part.base, part.end()) here, sample i being f(offset + i), and those of all ranks together.
template <class O, class Space, class F>
ValueOf<F> mapreduce_over(MPI_Comm comm, const Space& space, const Partition& part, std::int64_t offset, const F& f,
                          Precision precision) {
  SpansOf<F> spans;
  std::exception_ptr refusal;
  try {
    spans = map_spans<O>(space, part.base, part.end(), offset, precision, f);
  } catch (...) {
    refusal = std::current_exception();
  }
  using T = typename Components<ValueOf<F>>::Element;
  agree_over_ranks(comm, refusal, [&] {
    return std::vector<Claim>{
        {"the reduction", std::string(eagle::name(O::op)) + " of " + std::string(eagle::name(dtype_of<T>())) + ", " +
                              std::string(eagle::name(precision))},
        {"the range", std::to_string(offset) + ", " + std::to_string(part.n_samples) + " samples"}};
  });
  const auto values = finish_over_ranks(comm, spans, part.n_samples);
  return Components<ValueOf<F>>::make([&](std::size_t c) { return values[c]; });
}

}  // namespace detail

/// The canonical reduction of f(begin), f(begin + 1), ... over one range that all ranks name alike; each computes its
/// contiguous part of it. See eagle::mapreduce of <eagle/mapreduce.hpp>.
template <class O, class Space, class F>
detail::ValueOf<F> mapreduce(MPI_Comm comm, const Space& space, IndexRange range, const F& f,
                             Precision precision = Precision::working) {
  return detail::mapreduce_over<O>(comm, space, detail::rank_part(comm, range.count()), range.begin, f, precision);
}

/// The dot product of two vectors that are distributed in rank order, any number of elements a rank.
template <class ViewX, class ViewY>
auto dot(MPI_Comm comm, const ViewX& x, const ViewY& y, Precision precision = Precision::working) {
  detail::check_vector<ViewX>();
  detail::check_vector<ViewY>();
  using T = detail::ElementOf<ViewX>;
  static_assert(std::is_same_v<T, detail::ElementOf<ViewY>>, "dot takes Views of one element type");
  std::exception_ptr refusal;
  if (x.extent(0) != y.extent(0))
    refusal = std::make_exception_ptr(Error(
        Code::argument, "dot: x has " + std::to_string(x.extent(0)) + " elements and y has " + std::to_string(y.extent(0))));
  detail::agree_over_ranks(comm, refusal);
  const Partition part = detail::rank_slice(comm, static_cast<std::int64_t>(x.extent(0)));
  return detail::mapreduce_over<Sum>(comm, typename ViewX::execution_space(), part, 0,
                                     detail::Products<ViewX, ViewY>{x, y, part.base}, precision);
}

}  // namespace eagle
