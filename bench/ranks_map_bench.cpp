// SPDX-License-Identifier: Apache-2.0
// Maps on ranks: what gathering the output costs, and what ranks save.
#include <string>
#include <vector>

#include "check.hpp"
#include "ranks_bench.hpp"

namespace bench {
namespace {

/// `rows` rows of n samples: of 1 row axpy, of 3 drift3, which adds as many bytes a sample a row.
template <class T>
struct RankMap {
  RankMap(const Ranks& ranks, std::int64_t n, int rows)
      : samples(n), elements(rows * n), plugin(rows == 1 ? "axpy" : "drift3") {
    ranks.agree([&] {
      Planes& planes = Planes::of(elements, ranks.size);
      x = planes.filled<T>(0, centred_17);
      y = planes.scratch<T>(1);
      spare = planes.scratch<T>(2);
    });
    const auto rows_of = [&](auto* data) { return eagle::view(data, eagle::dtype_of<T>(), {rows, n}); };
    if (rows == 1) values = {{"x", plane(x, n)}, {"y", plane(y, n)}, {"a", 2}, {"b", 1}};
    else values = {{"p", rows_of(x)}, {"v", rows_of(x)}, {"q", rows_of(y)}, {"dt", 1}};
  }
  eagle::BoundPlan bind(bool gather) const { return bind_on_ranks(built_for<T>(plugin), values, gather); }

  std::int64_t samples, elements;
  std::string plugin;
  const T* x;
  T *y, *spare;
  eagle::Values values;
};

/// MPI_Allgatherv in place of `count` elements, cut as eagle cuts.
template <class T>
class PlainGather {
 public:
  PlainGather(const Ranks& ranks, T* data, std::int64_t count) : data_(data) {
    for (int r = 0; r < ranks.size; ++r) {
      const auto part = part_of_rank(ranks, count, r);
      counts_.push_back(static_cast<int>(part.count));
      places_.push_back(static_cast<int>(part.base));
    }
  }
  void operator()() const {
    must(MPI_Allgatherv(MPI_IN_PLACE, 0, mpi_type<T>(), data_, counts_.data(), places_.data(), mpi_type<T>(), MPI_COMM_WORLD),
         "MPI_Allgatherv");
  }

 private:
  T* data_;
  std::vector<int> counts_, places_;
};

/// A run with its gather against the same run without and one plain gather of as many bytes.
template <class T>
void gather(benchmark::State& state, const Ranks& ranks, std::int64_t n, int rows) {
  const RankMap<T> map(ranks, n, rows);
  auto with = map.bind(true), without = map.bind(false);
  const PlainGather<T> plain(ranks, map.y, map.elements);
  const auto ours = [&] { with.launch(); };
  ranks.agree([&] {
    fill(map.y, map.elements, centred_13<T>);
    ours();
    for (std::int64_t i = 0; i < map.elements; ++i) map.spare[i] = 2 * map.x[i] + (rows == 1 ? 1 : 0);
    require_same<T>(map.y, map.spare, map.elements);
  });
  compare(state, ranks, map.elements * static_cast<std::int64_t>(sizeof(T)), ours, [&] { without.launch(), plain(); });
}

/// The ranks' parts of a map against all of it on the first rank.
template <class T>
void scaling(benchmark::State& state, const Ranks& ranks, std::int64_t n) {
  const RankMap<T> map(ranks, n, 1);
  auto bound = map.bind(false);
  auto whole = eagle::plan(built_for<T>(map.plugin), {.structure = eagle::host_team({.threads = 1})}).bind(map.values);
  const auto ours = [&] { bound.launch(); };
  ranks.agree([&] {
    fill(map.y, n, centred_13<T>);
    ours();
    const auto part = part_of_rank(ranks, n, ranks.rank);
    for (std::int64_t i = part.base; i < part.end(); ++i) map.spare[i] = 2 * map.x[i] + 1;
    require_same<T>(map.y + part.base, map.spare + part.base, part.count);
  });
  compare(state, ranks, 2 * n * static_cast<std::int64_t>(sizeof(T)), ours, [&] {
    if (ranks.rank == 0) whole.launch();
  });
}

const std::vector<std::int64_t> plane_sizes = {1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22, 1 << 25};
const std::vector<std::int64_t> row_sizes = {1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22, 1 << 23};

template <class T>
void add_rank_maps_of(const Ranks& ranks) {
  add(name_of<T>("gather_plane", "mpi_allgatherv", ranks.size), shapes(plane_sizes, {1}),
      [&](benchmark::State& state, const Shape& shape) { gather<T>(state, ranks, shape.n, 1); });
  add(name_of<T>("gather_rows", "mpi_allgatherv", ranks.size), shapes(row_sizes, {1}),
      [&](benchmark::State& state, const Shape& shape) { gather<T>(state, ranks, shape.n, 3); });
  add(name_of<T>("map_axpy", "one_rank", ranks.size), shapes(plane_sizes, {1}),
      [&](benchmark::State& state, const Shape& shape) { scaling<T>(state, ranks, shape.n); });
}

}  // namespace

void add_rank_maps(const Ranks& ranks) {
  add_rank_maps_of<double>(ranks);
  add_rank_maps_of<float>(ranks);
}

}  // namespace bench
