// SPDX-License-Identifier: Apache-2.0
// Private to eagle::mpi: rows of planes that ranks complete.
#pragma once

#include <mpi.h>

#include <deque>
#include <variant>
#include <vector>

#include <eagle/dtype.hpp>
#include <eagle/partition.hpp>

#include "ranks.hpp"

namespace eagle::detail {

/// Rows under way, a few at a time, which is faster than one after the other. Waits for them at its end.
class RowGathers {
 public:
  explicit RowGathers(const Ranks& ranks) : ranks_(ranks) {}
  ~RowGathers();
  RowGathers(const RowGathers&) = delete;
  RowGathers& operator=(const RowGathers&) = delete;

  /// Completes, in place, the samples of one partition in a row, of which each rank has its part.
  void add(void* row, DType dtype, const Partition& partition);
  /// Waits for all rows. Error(internal) where MPI fails.
  void finish();

 private:
  /// Counts and places of all ranks, in elements, kept while a row is under way.
  template <class Count, class Place>
  struct Cut {
    std::vector<Count> counts;
    std::vector<Place> places;
  };
  using SmallCut = Cut<int, int>;
  using LargeCut = Cut<MPI_Count, MPI_Aint>;
  template <class AnyCut>
  const AnyCut& keep_cut(const Partition& partition);
  void in_pieces(void* row, DType dtype, const Partition& partition);

  const Ranks& ranks_;
  std::deque<std::variant<SmallCut, LargeCut>> cuts_;
  std::vector<MPI_Request> requests_;
};

}  // namespace eagle::detail
