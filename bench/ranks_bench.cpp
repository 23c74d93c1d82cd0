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

void compare(const char* name, int turns, int calls, const std::function<void()>& ours, const std::function<void()>& baseline) {
  std::vector<double> a, b;
  slowest(ours, calls), slowest(baseline, calls);
  for (int k = 0; k < turns; ++k) {
    a.push_back(slowest(ours, calls));
    b.push_back(slowest(baseline, calls));
  }
  if (rank_of_this == 0)
    std::printf("%-44s eagle %10.2f us, baseline %10.2f us, ratio %.2f\n", name, median(a) * 1e6, median(b) * 1e6,
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

/// A mapreduce of few samples against its bytes, sent bare up a binomial tree and down again, and one agreement.
void small_mapreduce() {
  const int calls = size_of_all <= 2 ? 1000 : 30;  // ranks beyond the cores wait for each other
  constexpr std::int64_t n = 1000;
  auto bound = bound_plan("sum_index", true, {}, n);
  std::vector<char> bytes(48 + 8 * n + 8);
  const int count = static_cast<int>(bytes.size());
  const auto bare = [&] {
    std::int64_t status = size_of_all;
    MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    int step = 1;
    for (; step < size_of_all && (rank_of_this & step) == 0; step *= 2)
      if (rank_of_this + step < size_of_all)
        MPI_Recv(bytes.data(), count, MPI_CHAR, rank_of_this + step, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank_of_this != 0) {
      MPI_Send(bytes.data(), count / size_of_all, MPI_CHAR, rank_of_this - step, 1, MPI_COMM_WORLD);
      MPI_Recv(bytes.data(), count, MPI_CHAR, rank_of_this - step, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (step /= 2; step > 0; step /= 2)
      if (rank_of_this + step < size_of_all) MPI_Send(bytes.data(), count, MPI_CHAR, rank_of_this + step, 2, MPI_COMM_WORLD);
  };
  compare("mapreduce of 1000 samples, bare messages", 21, calls, [&] { bound.launch(); }, bare);
  double value = 1;
  compare(
      "mapreduce of 1000 samples, MPI_Allreduce", 21, calls, [&] { bound.launch(); },
      [&] { MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_this);
  MPI_Comm_size(MPI_COMM_WORLD, &size_of_all);
  small_mapreduce();
  gathers();
  MPI_Finalize();
}
