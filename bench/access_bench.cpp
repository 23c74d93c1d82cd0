// SPDX-License-Identifier: Apache-2.0
// Bodies that reach other samples: a histogram (cross_sample_write) and a table look-up (cross_sample_read).
#include <string>
#include <vector>

#include "baselines.hpp"
#include "benchmarks.hpp"
#include "check.hpp"

namespace bench {
namespace {

constexpr std::int64_t bins = 256;
/// Elements of the table, which a second-level cache holds.
constexpr std::int64_t table_size = 1 << 16;

/// Multiples of 1/1024 in [0, 1).
template <class T>
T in_unit_interval(std::int64_t i) {
  return static_cast<T>(scattered(i) % 1024) / 1024;
}
std::int64_t scattered_place(std::int64_t i) { return static_cast<std::int64_t>(scattered(i) % table_size); }
std::int64_t next_place(std::int64_t i) { return i % table_size; }
template <class T>
T zero(std::int64_t) {
  return 0;
}

/// eagle runs a scatter whole, on one thread: no two samples may add to a place at once.
template <class T>
void add_histogram(const std::string& baseline, const std::vector<int>& teams,
                   void (*loop)(const Team&, const HistogramArguments<T>&)) {
  const auto body = [=](benchmark::State& state, const Shape& shape) {
    const Team team(shape.threads);
    std::vector<T> counts(bins), spare(bins);
    const HistogramArguments<T> args{shape.n, Planes::of(shape.n).filled<T>(0, in_unit_interval), 0, 1, bins, counts.data()};
    const eagle::Values values = {
        {"x", plane(args.x, args.n)}, {"bins", plane(args.bins, bins)}, {"lo", args.lo}, {"hi", args.hi}, {"nbins", bins}};
    auto bound = team.plan(built_for<T>("histogram")).bind(values);
    const auto ours = [&] { bound.launch(); };
    const auto counted = [&] { loop(team, args); };
    require_same_output<T>(counts.data(), spare.data(), bins, zero, ours, counted);
    compare(state, team, args.n * static_cast<std::int64_t>(sizeof(T)), ours, counted);
  };
  add(name_of<T>("scatter_histogram", baseline), usual_shapes(teams), body);
}

template <class T>
void add_gather(const std::string& what, Pattern<std::int64_t> places) {
  add(name_of<T>(what, "openmp"), usual_shapes(), [=](benchmark::State& state, const Shape& shape) {
    const Team team(shape.threads);
    Planes& planes = Planes::of(shape.n);
    std::vector<T> table(table_size);
    fill(table.data(), table_size, centred_17<T>);
    const GatherArguments<T> args{shape.n, planes.filled<std::int64_t>(2, places), table.data(), planes.scratch<T>(1)};
    auto bound =
        team.plan(built_for<T>("gather"))
            .bind({{"y", plane(args.y, args.n)}, {"k", plane(args.k, args.n)}, {"table", plane(args.table, table_size)}});
    const auto ours = [&] { bound.launch(); };
    const auto baseline = [&] { openmp_gather(team, args); };
    require_same_output<T>(args.y, planes.scratch<T>(0), args.n, centred_13, ours, baseline);
    compare(state, team, args.n * static_cast<std::int64_t>(sizeof(std::int64_t) + sizeof(T)), ours, baseline);
  });
}

template <class T>
void add_accesses_of() {
  add_histogram<T>("serial", {1}, serial_histogram<T>);
  add_histogram<T>("openmp", teams(), openmp_histogram<T>);
  add_gather<T>("lookup_gather_random", scattered_place);
  add_gather<T>("lookup_gather_sequential", next_place);
}

}  // namespace

void add_accesses() {
  add_accesses_of<double>();
  add_accesses_of<float>();
}

}  // namespace bench
