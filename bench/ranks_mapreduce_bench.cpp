// SPDX-License-Identifier: Apache-2.0
// Mapreduces on ranks against MPI's own reduction, whose value moves with the ranks, and against their messages alone.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <eagle/span.hpp>

#include "check.hpp"
#include "ranks_bench.hpp"

namespace bench {
namespace {

/// The sum of x y over all ranks, and over this one's part alone.
template <class T>
struct RankDot {
  RankDot(const Ranks& ranks, std::int64_t n) : part(part_of_rank(ranks, n, ranks.rank)) {
    ranks.agree([&] {
      Planes& planes = Planes::of(n, ranks.size);
      x = planes.filled<T>(0, centred_17);
      y = planes.filled<T>(1, centred_13);
    });
    bound.emplace(bind_on_ranks(built_for<T>("dot"), {{"x", plane(x, n)}, {"y", plane(y, n)}}));
  }
  T operator()() {
    bound->launch();
    return bound->result().template value<T>("total");
  }
  [[nodiscard]] T local() const {
    const T *const a = x + part.base, *const b = y + part.base;
    T total = 0;
#pragma omp simd reduction(+ : total)
    for (std::int64_t i = 0; i < part.count; ++i) total += a[i] * b[i];
    return total;
  }
  eagle::Partition part;
  const T *x = nullptr, *y = nullptr;
  std::optional<eagle::BoundPlan> bound;
};

/// Each rank's part in a plain loop, and MPI_Allreduce of what they gave.
template <class T>
void against_allreduce(benchmark::State& state, const Ranks& ranks, std::int64_t n) {
  RankDot<T> dot(ranks, n);
  const auto baseline = [&] {
    T total = dot.local();
    must(MPI_Allreduce(MPI_IN_PLACE, &total, 1, mpi_type<T>(), MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    return total;
  };
  ranks.agree([&] { require_close(dot(), baseline()); });
  compare(
      state, ranks, 2 * n * static_cast<std::int64_t>(sizeof(T)), [&] { benchmark::DoNotOptimize(dot()); },
      [&] { benchmark::DoNotOptimize(baseline()); });
}

/// The bytes of a mapreduce sent bare: one agreement, the parts up a binomial tree and the value down again.
class BareMessages {
 public:
  BareMessages(const Ranks& ranks, std::int64_t n) : ranks_(ranks) {
    while (step_ < ranks.size && (ranks.rank & step_) == 0) {
      if (ranks.rank + step_ < ranks.size) below_.push_back(ranks.rank + step_);
      step_ *= 2;
    }
    up_ = part_bytes(n, ranks.rank, std::min(ranks.rank + step_, ranks.size));
  }
  void operator()() {
    std::int64_t status = ranks_.size;
    must(MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    for (const int rank : below_) receive(rank);
    if (ranks_.rank != 0) {
      send(up_, ranks_.rank - step_);
      receive(ranks_.rank - step_);
    }
    std::for_each(below_.rbegin(), below_.rend(), [&](int rank) { send(sizeof(double), rank); });
  }

 private:
  /// What the parts of ranks [first, last) take together.
  [[nodiscard]] std::size_t part_bytes(std::int64_t n, int first, int last) const {
    const std::int64_t begin = part_of_rank(ranks_, n, first).base, end = part_of_rank(ranks_, n, last - 1).end();
    eagle::Span<double> part(eagle::Op::sum, begin);
    const std::vector<double> samples(static_cast<std::size_t>(end - begin));
    part.append(samples.data(), end - begin);
    return eagle::serialise(std::span<const eagle::Span<double>>(&part, 1)).size();
  }
  void send(std::size_t count, int to) {
    must(MPI_Send(bytes_.data(), static_cast<int>(count), MPI_BYTE, to, 1, MPI_COMM_WORLD), "MPI_Send");
  }
  void receive(int from) {
    must(MPI_Recv(bytes_.data(), static_cast<int>(bytes_.size()), MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
         "MPI_Recv");
  }

  const Ranks& ranks_;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1 << 16);  // more than any part takes
  std::vector<int> below_;
  int step_ = 1;
  std::size_t up_ = 0;
};

/// `with_part`: and this rank's part folded by eagle without ranks.
void against_messages(benchmark::State& state, const Ranks& ranks, std::int64_t n, bool with_part) {
  RankDot<double> dot(ranks, n);
  BareMessages messages(ranks, n);
  const std::int64_t base = dot.part.base, count = dot.part.count;
  auto part = eagle::plan(built_for<double>("dot"), {.structure = eagle::host_team({.threads = 1})})
                  .bind({{"x", plane(dot.x + base, count)}, {"y", plane(dot.y + base, count)}});
  compare(
      state, ranks, 2 * n * 8, [&] { benchmark::DoNotOptimize(dot()); },
      [&] {
        if (with_part) part.launch();
        messages();
      });
}

}  // namespace

void add_rank_mapreduces(const Ranks& ranks) {
  const std::vector<Shape> all = shapes({1 << 6, 1 << 10, 1 << 14, 1 << 18, 1 << 20}, {1});
  add(name_of<double>("dot_plugin", "mpi_allreduce", ranks.size), all,
      [&](benchmark::State& state, const Shape& shape) { against_allreduce<double>(state, ranks, shape.n); });
  add(name_of<float>("dot_plugin", "mpi_allreduce", ranks.size), all,
      [&](benchmark::State& state, const Shape& shape) { against_allreduce<float>(state, ranks, shape.n); });
  add(name_of<double>("dot_plugin", "bare_messages", ranks.size), shapes({1 << 6, 1 << 10, 1 << 14}, {1}),
      [&](benchmark::State& state, const Shape& shape) { against_messages(state, ranks, shape.n, false); });
  add(name_of<double>("dot_plugin", "part_and_messages", ranks.size), all,
      [&](benchmark::State& state, const Shape& shape) { against_messages(state, ranks, shape.n, true); });
}

}  // namespace bench
