// SPDX-License-Identifier: Apache-2.0
#include <eagle/mpi_mapreduce.hpp>

#include "agreement.hpp"
#include "exchange.hpp"
#include "ranks.hpp"

namespace eagle::detail {

Partition rank_part(MPI_Comm comm, std::int64_t n) {
  const Ranks ranks(comm);
  return part_of(Partition::whole(n), ranks.size(), ranks.rank());
}

Partition rank_slice(MPI_Comm comm, std::int64_t mine) {
  const Ranks ranks(comm);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(ranks.size()));
  ranks.gather_one(&mine, sizeof mine, lengths.data());
  Partition slice{0, mine, 0};
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    if (r < static_cast<std::size_t>(ranks.rank())) slice.base += lengths[r];
    slice.n_samples += lengths[r];
  }
  return slice;
}

void agree_over_ranks(MPI_Comm comm, const std::exception_ptr& refusal) { agree(Ranks(comm), refusal, {}); }

template <Reducible T>
void merge_over_ranks(MPI_Comm comm, std::vector<Span<T>>& spans) {
  const Ranks ranks(comm);
  const std::size_t most = most_bytes(spans.size());
  merge_up(
      ranks, most,
      [&](std::span<const std::byte> bytes) {
        const std::vector<Span<T>> right = deserialise<T>(bytes);
        for (std::size_t c = 0; c < spans.size(); ++c) spans[c].merge(right[c]);
      },
      [&] { return serialise(std::span<const Span<T>>(spans)); });
  std::vector<std::byte> all;
  if (ranks.rank() == 0) all = serialise(std::span<const Span<T>>(spans));
  ranks.broadcast(all, 0, most);
  if (ranks.rank() != 0) spans = deserialise<T>(all);
}

#define EAGLE_INSTANTIATE(T) template void merge_over_ranks(MPI_Comm, std::vector<Span<T>>&);
EAGLE_EACH_REDUCIBLE(EAGLE_INSTANTIATE)

}  // namespace eagle::detail
