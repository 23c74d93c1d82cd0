// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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
  auto all = static_cast<std::uint64_t>(mine);
  ranks.sum({&all, 1});
  return {ranks.before(mine), mine, static_cast<std::int64_t>(all)};
}

void agree_over_ranks(MPI_Comm comm, const std::exception_ptr& refusal, const Claims& claims) {
  agree(Ranks(comm), refusal, claims);
}

template <Reducible T>
std::vector<T> finish_over_ranks(MPI_Comm comm, std::vector<Span<T>>& spans, std::int64_t n) {
  const Ranks ranks(comm);
  merge_up(
      ranks, most_bytes(spans.size()),
      [&](std::span<const std::byte> bytes) {
        const std::vector<Span<T>> right = deserialise<T>(bytes);
        for (std::size_t c = 0; c < spans.size(); ++c) spans[c].merge(right[c]);
      },
      [&] { return serialise(std::span<const Span<T>>(spans)); });
  std::vector<T> values(spans.size());
  if (ranks.rank() == 0) std::transform(spans.begin(), spans.end(), values.begin(), [n](auto& each) { return each.finish(n); });
  ranks.copy_from_first(std::as_writable_bytes(std::span(values)));
  return values;
}

#define EAGLE_INSTANTIATE(T) template std::vector<T> finish_over_ranks(MPI_Comm, std::vector<Span<T>>&, std::int64_t);
EAGLE_EACH_REDUCIBLE(EAGLE_INSTANTIATE)

}  // namespace eagle::detail
