// SPDX-License-Identifier: Apache-2.0
// What eagle adds to ranks: `mpiexec -n 2 eagle_ranks_bench`. Candidate and baseline take turns behind barriers; a time is that
// of the slowest rank, a figure the median over turns; ratio = baseline / eagle.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <eagle/eagle.hpp>
#include <eagle/mpi.hpp>

namespace {

int rank_of_this = 0, size_of_all = 1;

double slowest(const std::function<void()>& f, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  for (int k = 0; k < calls; ++k) f();
  seconds = (seconds + MPI_Wtime()) / calls;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const std::string& name, int turns, int calls, const std::function<void()>& ours,
             const std::function<void()>& baseline) {
  std::vector<double> a, b;
  slowest(ours, calls), slowest(baseline, calls);
  for (int k = 0; k < turns; ++k) {
    a.push_back(slowest(ours, calls));
    b.push_back(slowest(baseline, calls));
  }
  if (rank_of_this == 0)
    std::printf("%-44s eagle %10.2f us, baseline %10.2f us, ratio %.2f\n", name.c_str(), median(a) * 1e6, median(b) * 1e6,
                median(b) / median(a));
}

eagle::BoundPlan bound_plan(const std::string& bundle, bool gather, const eagle::Values& values,
                            std::optional<std::int64_t> n = {}) {
  const auto structure = eagle::rank_partition(MPI_COMM_WORLD, eagle::host_team({.threads = 1}), gather);
  return eagle::plan(eagle::load(std::string(EAGLE_BUNDLES) + "/" + bundle).only(), {.structure = structure, .n_samples = n})
      .bind(values);
}

/// One in-place MPI_Allgatherv of `count` doubles, cut as eagle cuts.
std::function<void()> plain_gather(double* data, std::int64_t count) {
  std::vector<int> counts, places;
  for (int r = 0; r < size_of_all; ++r) {
    const auto part = eagle::part_of(eagle::Partition::whole(count), size_of_all, r);
    counts.push_back(static_cast<int>(part.count));
    places.push_back(static_cast<int>(part.base));
  }
  return [=] { MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, data, counts.data(), places.data(), MPI_DOUBLE, MPI_COMM_WORLD); };
}

/// A run with its gather against the same run without and one plain gather of as many bytes.
void gathers() {
  constexpr std::int64_t n = std::int64_t{1} << 25, third = n / 3;
  std::vector<double> x(n, 1.0), y(n);
  const eagle::Values scalar = {{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", 2.0}, {"b", 1.0}};
  auto with = bound_plan("axpy", true, scalar), without = bound_plan("axpy", false, scalar);
  const auto plain = plain_gather(y.data(), n);
  compare("gather of a 256 MiB plane", 7, 1, [&] { with.launch(); }, [&] { without.launch(), plain(); });
  const auto plane = [](std::vector<double>& a) { return eagle::view(a.data(), eagle::DType::float64, {3, third}); };
  const eagle::Values vector = {{"p", plane(x)}, {"v", plane(x)}, {"q", plane(y)}, {"dt", 0.5}};
  auto rows = bound_plan("drift3", true, vector), alone = bound_plan("drift3", false, vector);
  const auto rows_plain = plain_gather(y.data(), 3 * third);
  compare("gather of a 256 MiB plane of 3 rows", 7, 1, [&] { rows.launch(); }, [&] { alone.launch(), rows_plain(); });
}

/// A mapreduce of few samples against its bytes, sent bare up a binomial tree and down again, and one agreement; against those
/// and this rank's own part of the samples, folded without ranks; and against MPI's own reduction of one number.
void small_mapreduce(std::int64_t n) {
  const int calls = size_of_all <= 2 ? 1000 : 30;  // ranks beyond the cores wait for each other
  auto bound = bound_plan("sum_index", true, {}, n);
  const std::int64_t mine = eagle::part_of(eagle::Partition::whole(n), size_of_all, rank_of_this).count;
  std::vector<char> bytes(56 + 8 * n);
  const auto send = [&](std::int64_t count, int to) {
    MPI_Send(bytes.data(), static_cast<int>(count), MPI_CHAR, to, 1, MPI_COMM_WORLD);
  };
  const auto receive = [&](int from) {
    MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  const auto bare = [&] {
    std::int64_t status = size_of_all;
    MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    int step = 1;
    for (; step < size_of_all && (rank_of_this & step) == 0; step *= 2)
      if (rank_of_this + step < size_of_all) receive(rank_of_this + step);
    if (rank_of_this != 0) {
      send(56 + 8 * mine * std::min(step, size_of_all - rank_of_this), rank_of_this - step);
      receive(rank_of_this - step);
    }
    for (step /= 2; step > 0; step /= 2)
      if (rank_of_this + step < size_of_all) send(8, rank_of_this + step);
  };
  auto part = eagle::plan(eagle::load(std::string(EAGLE_BUNDLES) + "/sum_index").only(),
                          {.structure = eagle::host_team({.threads = 1}), .n_samples = mine})
                  .bind({});
  double value = 1;
  const auto all = [&] { bound.launch(); };
  const std::string name = "mapreduce of " + std::to_string(n) + " samples";
  compare(name + ", bare messages", 21, calls, all, bare);
  compare(name + ", part and messages", 21, calls, all, [&] { part.launch(), bare(); });
  compare(name + ", MPI_Allreduce", 21, calls, all,
          [&] { MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_this);
  MPI_Comm_size(MPI_COMM_WORLD, &size_of_all);
  for (const std::int64_t n : {100, 1000}) small_mapreduce(n);
  gathers();
  MPI_Finalize();
}
