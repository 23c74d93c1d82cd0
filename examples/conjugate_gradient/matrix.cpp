// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "collect.hpp"

namespace example {

Matrix::Matrix(MPI_Comm comm, const Csr& rows)
    : comm_(comm), rows_(rows.rows), local_((find_ghosts(rows), plan_messages(), local(rows))) {}

void Matrix::find_ghosts(const Csr& rows) {
  for (const std::int64_t column : rows.column)
    if (column < rows_.base || column >= rows_.end()) ghosts_.push_back(column);
  std::sort(ghosts_.begin(), ghosts_.end());
  ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
  below_ = static_cast<std::size_t>(std::lower_bound(ghosts_.begin(), ghosts_.end(), rows_.base) - ghosts_.begin());
  if (ghosts_.size() + static_cast<std::size_t>(rows_.count) > std::numeric_limits<int>::max())
    throw std::length_error("a rank has more than 2^31 - 1 elements and ghosts: take more ranks");
}

std::size_t Matrix::place_of(std::int64_t column) const {
  if (column >= rows_.base && column < rows_.end()) return below_ + static_cast<std::size_t>(column - rows_.base);
  const auto ghost = static_cast<std::size_t>(std::lower_bound(ghosts_.begin(), ghosts_.end(), column) - ghosts_.begin());
  return ghost < below_ ? ghost : ghost + static_cast<std::size_t>(rows_.count);
}

/// Tells every owner which of its elements are wanted here.
void Matrix::plan_messages() {
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<int> wanted(size), asked(size), wanted_first(size), asked_first(size);
  for (int r = 0, first = 0; r < ranks; ++r) {
    const auto end = std::lower_bound(ghosts_.begin(), ghosts_.end(), rows_of(comm_, rows_.n_samples, r).end());
    const auto k = static_cast<std::size_t>(r);
    wanted_first[k] = first;
    wanted[k] = static_cast<int>(end - ghosts_.begin()) - first;
    if (wanted[k] > 0) received_from_.push_back({r, place_of(ghosts_[static_cast<std::size_t>(first)]), wanted[k]});
    first += wanted[k];
  }
  MPI_Alltoall(wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, comm_);
  int total = 0;
  for (std::size_t k = 0; k < size; ++k) {
    asked_first[k] = total;
    if (asked[k] > 0) sent_to_.push_back({static_cast<int>(k), static_cast<std::size_t>(total), asked[k]});
    total += asked[k];
  }
  std::vector<std::int64_t> columns(static_cast<std::size_t>(total));
  MPI_Alltoallv(ghosts_.data(), wanted.data(), wanted_first.data(), MPI_INT64_T, columns.data(), asked.data(),
                asked_first.data(), MPI_INT64_T, comm_);
  for (const std::int64_t column : columns) sent_.push_back(place_of(column));
}

LocalMatrix Matrix::local(const Csr& rows) const {
  Indices<std::size_t> start("start", rows.start.size());
  Indices<int> column("column", rows.column.size());
  Vector value("value", rows.value.size());
  for (std::size_t k = 0; k < rows.start.size(); ++k) start(k) = static_cast<std::size_t>(rows.start[k]);
  for (std::size_t k = 0; k < rows.column.size(); ++k) column(k) = static_cast<int>(place_of(rows.column[k]));
  for (std::size_t k = 0; k < rows.value.size(); ++k) value(k) = rows.value[k];
  return {static_cast<int>(ghosts_.size() + static_cast<std::size_t>(rows_.count)), start, column, value};
}

void Matrix::fill_ghosts(const Vector& x) const {
  std::vector<MPI_Request> requests;
  for (const auto& [rank, first, count] : received_from_)
    MPI_Irecv(&x(first), count, MPI_DOUBLE, rank, 0, comm_, &requests.emplace_back());
  std::vector<double> buffer;
  buffer.reserve(sent_.size());
  for (const std::size_t place : sent_) buffer.push_back(x(place));
  for (const auto& [rank, first, count] : sent_to_)
    MPI_Isend(&buffer[first], count, MPI_DOUBLE, rank, 0, comm_, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void Matrix::multiply(const Vector& x, const Vector& y) const {
  fill_ghosts(x);
  local_.multiply(x, y);
}

}  // namespace example
