// SPDX-License-Identifier: Apache-2.0
#include "collect.hpp"

#include <bit>
#include <string>

#include <eagle/error.hpp>

namespace example {
namespace {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// What rank 0 failed with, or nothing, on every rank.
std::string agree(MPI_Comm comm, std::string problem) {
  auto length = static_cast<int>(problem.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  problem.resize(static_cast<std::size_t>(length));
  MPI_Bcast(problem.data(), length, MPI_CHAR, 0, comm);
  return problem;
}

/// Sends rank r `whole[first[r]], ..., whole[first[r + 1] - 1]`; first is known to rank 0 alone.
template <class T>
std::vector<T> scatter_parts(MPI_Comm comm, const std::vector<T>& whole, const std::vector<int>& first, MPI_Datatype type) {
  std::vector<int> counts;
  for (std::size_t r = 1; r < first.size(); ++r) counts.push_back(first[r] - first[r - 1]);
  int count = 0;
  MPI_Scatter(counts.data(), 1, MPI_INT, &count, 1, MPI_INT, 0, comm);
  std::vector<T> mine(static_cast<std::size_t>(count));
  MPI_Scatterv(whole.data(), counts.data(), first.data(), type, mine.data(), count, type, 0, comm);
  return mine;
}

}  // namespace

eagle::Partition rows_of(MPI_Comm comm, std::int64_t n, int r) {
  return eagle::part_of(eagle::Partition::whole(n), size_of(comm), r);
}
eagle::Partition rows_of(MPI_Comm comm, std::int64_t n) { return rows_of(comm, n, rank_of(comm)); }

Csr scatter(MPI_Comm comm, const std::function<Csr()>& make) {
  Csr whole;
  std::string problem;
  if (rank_of(comm) == 0) try {
      whole = make();
    } catch (const eagle::Error& error) {
      problem = error.what();
    }
  problem = agree(comm, problem);
  if (!problem.empty()) throw eagle::Error(eagle::Code::argument, problem);

  std::int64_t n = whole.rows.n_samples;
  MPI_Bcast(&n, 1, MPI_INT64_T, 0, comm);
  std::vector<std::int64_t> lengths;
  std::vector<int> first_row, first_entry;
  if (rank_of(comm) == 0) {
    for (std::size_t i = 1; i < whole.start.size(); ++i) lengths.push_back(whole.start[i] - whole.start[i - 1]);
    for (int r = 0; r < size_of(comm); ++r) first_row.push_back(static_cast<int>(rows_of(comm, n, r).base));
    first_row.push_back(static_cast<int>(n));
    for (const int row : first_row) first_entry.push_back(static_cast<int>(whole.start[static_cast<std::size_t>(row)]));
  }
  Csr mine{rows_of(comm, n)};
  lengths = scatter_parts(comm, lengths, first_row, MPI_INT64_T);
  for (const std::int64_t length : lengths) mine.start.push_back(mine.start.back() + length);
  mine.column = scatter_parts(comm, whole.column, first_entry, MPI_INT64_T);
  mine.value = scatter_parts(comm, whole.value, first_entry, MPI_DOUBLE);
  return mine;
}

std::vector<double> gather(MPI_Comm comm, const Vector& mine) {
  const auto count = static_cast<int>(mine.extent(0));
  std::vector<int> counts(static_cast<std::size_t>(size_of(comm))), first(counts.size() + 1);
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  if (rank_of(comm) == 0)
    for (std::size_t r = 0; r < counts.size(); ++r) first[r + 1] = first[r] + counts[r];
  std::vector<double> whole(static_cast<std::size_t>(first.back()));
  MPI_Gatherv(mine.data(), count, MPI_DOUBLE, whole.data(), counts.data(), first.data(), MPI_DOUBLE, 0, comm);
  return whole;
}

std::uint64_t digest(const std::vector<double>& vector) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const double value : vector)
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= std::bit_cast<std::uint64_t>(value) >> (8 * byte) & 0xff;
      hash *= 0x100000001b3;
    }
  return hash;
}

}  // namespace example
