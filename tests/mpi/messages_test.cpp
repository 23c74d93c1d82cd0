// SPDX-License-Identifier: Apache-2.0
// Messages, counted by standing between eagle and MPI; and gathers that are cut because MPI counts in int.
#include <atomic>

#include "bed.hpp"
#include "rank_partition/ranks.hpp"

namespace {

struct Count {
  std::int64_t sends = 0, bytes = 0, floating_reductions = 0, gathers = 0, broadcasts = 0;
};
Count counted;

}  // namespace

extern "C" {
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++counted.sends;
  counted.bytes += static_cast<std::int64_t>(size) * count;
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  counted.floating_reductions += type == MPI_DOUBLE || type == MPI_FLOAT ? 1 : 0;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Iallgatherv(const void* in, int count, MPI_Datatype type, void* out, const int* counts, const int* places,
                    MPI_Datatype to, MPI_Comm comm, MPI_Request* request) {
  ++counted.gathers;
  return PMPI_Iallgatherv(in, count, type, out, counts, places, to, comm, request);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++counted.broadcasts;
  return PMPI_Bcast(data, count, type, root, comm);
}
}

namespace {

using eagle::view;

/// Up the tree one message, down it the value by one broadcast; and no message grows with the number of samples.
TEST(RanksMessages, OfAMapreduce) {
  for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{1} << 24}) {
    for (const std::int64_t parts : {1, 5}) {
      auto bound = bed::on_ranks("sum_index", {.npartitions = parts, .n_samples = n}).bind({});
      counted = {};
      bound.launch();
      EXPECT_EQ(counted.sends, bed::rank() > 0 ? 1 : 0);
      EXPECT_EQ(counted.broadcasts, bed::size() > 1 ? 1 : 0);
      EXPECT_EQ(counted.floating_reductions, 0);
      EXPECT_LE(counted.bytes, parts * (64 + 8 * (2 * 1023 + 60)));
      EXPECT_EQ(bound.result().value<std::int64_t>("total"), n * (n - 1) / 2);
    }
  }
}

TEST(RanksMessages, OfAGatherAreOneARow) {
  const std::int64_t n = 4001;
  auto p = support::uniforms(3 * 4001, 1);
  const auto plane = view(p.data(), eagle::DType::float64, {3, n});
  auto bound = bed::on_ranks("drift3", {.npartitions = 2}).bind({{"p", plane}, {"v", plane}, {"dt", 1.0}});
  counted = {};
  bound.launch();
  EXPECT_EQ(counted.gathers, bed::size() == 1 ? 0 : 2 * 3);
  EXPECT_EQ(counted.sends, 0);
}

/// With counts as small as 100 elements every gather and message is cut, and nothing else changes.
TEST(RanksMessages, CutWhereTheyAreTooLarge) {
  const std::int64_t before = std::exchange(eagle::detail::most_count, 100);
  const std::int64_t n = 3001;
  const auto x = support::uniforms(3001, 1);
  auto p = support::uniforms(3 * 3001, 2);
  const auto plane = view(p.data(), eagle::DType::float64, {3, n});
  counted = {};
  bed::expect_same(bed::single("axpy").run({{"x", view(x)}, {"a", 3.0}, {"b", 1.0}}),
                   bed::on_ranks("axpy", {.npartitions = 3}).run({{"x", view(x)}, {"a", 3.0}, {"b", 1.0}}), "axpy");
  EXPECT_EQ(counted.gathers, 0);
  if (bed::size() > 1) {
    EXPECT_GE(counted.broadcasts, n / 100);
  }
  bed::expect_same(bed::single("drift3").run({{"p", plane}, {"v", plane}, {"dt", 1.0}}),
                   bed::on_ranks("drift3").run({{"p", plane}, {"v", plane}, {"dt", 1.0}}), "drift3");
  bed::expect_same(bed::single("dot").run({{"x", view(x)}, {"y", view(x)}}),
                   bed::on_ranks("dot", {.npartitions = 4}).run({{"x", view(x)}, {"y", view(x)}}), "dot");
  eagle::detail::most_count = before;
}

}  // namespace
