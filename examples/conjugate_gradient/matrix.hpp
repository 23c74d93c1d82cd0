// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "csr.hpp"
#include "kernels.hpp"

namespace example {

/// A square sparse matrix, its rows distributed as rows_of says. A rank's rows also read elements that others own, its ghosts.
/// They are numbered with its own by their place in the whole vector, so that ghosts lie before and behind: a row whose
/// entries are in order, as libraries expect them, has one order and one sum on any number of ranks.
class Matrix {
 public:
  /// Collective. std::length_error, on one rank alone, for more than 2^31 - 1 own elements and ghosts.
  Matrix(MPI_Comm comm, const Csr& rows);

  [[nodiscard]] const eagle::Partition& rows() const { return rows_; }
  /// A vector with room for ghosts.
  [[nodiscard]] Vector make_vector() const { return Vector("vector", static_cast<std::size_t>(rows_.count) + ghosts_.size()); }
  /// The own elements of such a vector.
  [[nodiscard]] Vector own(const Vector& vector) const {
    return Kokkos::subview(vector, std::pair(below_, below_ + static_cast<std::size_t>(rows_.count)));
  }
  /// y = A x: fills the ghosts of x, which is a make_vector(), and multiplies. Collective.
  void multiply(const Vector& x, const Vector& y) const;

 private:
  struct Message {
    int rank;
    std::size_t first;  ///< of the ghosts, or of what is sent
    int count;
  };
  void find_ghosts(const Csr& rows);
  [[nodiscard]] std::size_t place_of(std::int64_t column) const;
  void plan_messages();
  [[nodiscard]] LocalMatrix local(const Csr& rows) const;
  void fill_ghosts(const Vector& x) const;

  MPI_Comm comm_;
  eagle::Partition rows_;
  std::vector<std::int64_t> ghosts_{};  ///< columns that others own, ascending
  std::size_t below_ = 0;               ///< how many of them lie before the own ones
  std::vector<std::size_t> sent_{};     ///< the places of what others want, rank by rank
  std::vector<Message> received_from_{}, sent_to_{};
  LocalMatrix local_;
};

}  // namespace example
