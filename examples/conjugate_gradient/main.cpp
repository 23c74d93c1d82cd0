// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on MPI ranks, with eagle's dot product and with an ordinary one.
#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>

#include <eagle/mpi_mapreduce.hpp>

#include "collect.hpp"
#include "matrix_market.hpp"
#include "poisson.hpp"
#include "solver.hpp"

namespace {

using namespace example;

struct Options {
  std::vector<std::int64_t> grid{64};
  std::string matrix, solution;
  int iterations = 1000, every = 50;
  double tolerance = 1e-8;
};

void declare(CLI::App& app, Options& options) {
  const CLI::Range points(std::int64_t(1), std::int64_t(1) << 20);
  auto* grid = app.add_option("--grid", options.grid, "Points of the Poisson problem along x, y and z, or along each")
                   ->delimiter(',')
                   ->check(points)
                   ->expected(1, 3);
  app.add_option("--matrix", options.matrix, "A Matrix Market file with a symmetric matrix, in the Poisson problem's place")
      ->excludes(grid);
  app.add_option("--iterations", options.iterations, "At most so many")->check(CLI::PositiveNumber);
  app.add_option("--tolerance", options.tolerance, "Stop at a residual of so many times |b|; 0: after all iterations")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--every", options.every, "Iterations between two checkpoints")->check(CLI::PositiveNumber);
  app.add_option("--solution", options.solution, "A file for x of the first solver: float64, little-endian, nothing else");
}

Csr make_rows(MPI_Comm comm, const Options& options) {
  if (!options.matrix.empty()) return scatter(comm, [&] { return read_matrix_market(options.matrix); });
  const auto& g = options.grid;
  if (g.size() == 2) throw eagle::Error(eagle::Code::argument, "--grid takes one number or three, not two");
  const Grid grid = g.size() == 1 ? Grid{g[0], g[0], g[0]} : Grid{g[0], g[1], g[2]};
  const std::int64_t n = grid[0] * grid[1] * grid[2];
  if (n > std::numeric_limits<int>::max())
    throw eagle::Error(eagle::Code::limit, "--grid makes " + std::to_string(n) + " rows, at most 2^31 - 1 are accepted");
  return poisson(grid, rows_of(comm, n));
}

struct Run {
  MPI_Comm comm;
  int rank;
  const Options& options;
  const Matrix& a;
  Vector b;

  template <class... Values>
  void print(const char* format, Values... values) const {
    if (rank == 0) std::printf(format, values...);
  }

  /// |b - A x|, from x itself.
  [[nodiscard]] double true_residual(const Vector& x) const {
    const Vector room = a.make_vector(), r("r", x.extent(0)), b_ = b;
    Kokkos::deep_copy(a.own(room), x);
    a.multiply(room, r);
    eagle::for_each(Space(), static_cast<std::int64_t>(x.extent(0)), KOKKOS_LAMBDA(std::int64_t i) { r(i) = b_(i) - r(i); });
    return std::sqrt(eagle::dot(comm, r, r));
  }

  /// Prints what each checkpoint has, and returns x on rank 0.
  template <class Dot>
  std::vector<double> solve(const std::string& name, Dot dot) const {
    Solver solver(a, b, dot);
    const double norm = solver.residual();
    double seconds = 0;
    int k = 0;
    std::vector<double> x;
    const auto checkpoint = [&] {
      x = gather(comm, solver.x());
      print("%s: iteration %d residual %a x %016" PRIx64 "\n", name.c_str(), k, solver.residual(), digest(x));
    };
    while (k < options.iterations && solver.residual() > options.tolerance * norm) {
      if (k % options.every == 0) checkpoint();
      const Kokkos::Timer timer;
      solver.step();
      seconds += timer.seconds();
      ++k;
    }
    checkpoint();
    const bool done = options.tolerance == 0 || solver.residual() <= options.tolerance * norm;
    print("%s: %s %d iterations, |b - A x| / |b| = %.3g, %.3f ms an iteration\n", name.c_str(),
          done ? "done after" : "not converged after", k, true_residual(solver.x()) / norm, 1e3 * seconds / std::max(k, 1));
    if (!done) throw eagle::Error(eagle::Code::argument, "not converged: --iterations or --tolerance is too small");
    return x;
  }
};

void solve_twice(MPI_Comm comm, int rank, int ranks, const Options& options) {
  const Csr rows = make_rows(comm, options);
  const Matrix a(comm, rows);
  Run run{comm, rank, options, a, Vector("b", static_cast<std::size_t>(a.rows().count))};
  Kokkos::deep_copy(run.b, 1.0);
  run.print("%" PRId64 " rows on %d ranks of %d threads, A x by %s\n", a.rows().n_samples, ranks, Space().concurrency(),
            std::string(LocalMatrix::name).c_str());
  const auto x = run.solve("eagle::dot", [&](const Vector& u, const Vector& v) { return eagle::dot(comm, u, v); });
  if (rank == 0 && !options.solution.empty()) {
    std::ofstream file(options.solution, std::ios::binary);
    file.write(reinterpret_cast<const char*>(x.data()), static_cast<std::streamsize>(8 * x.size()));
    if (!file.flush()) throw std::runtime_error(options.solution + ": cannot be written");
  }
  run.solve(std::string(local_dot_name) + " + MPI_Allreduce", [&](const Vector& u, const Vector& v) {
    double sum = local_dot(u, v);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
  });
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0, ranks = 1, status = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options;
  CLI::App app("Conjugate gradients whose bits do not depend on ranks and threads.", "conjugate_gradient");
  declare(app, options);
  try {
    const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
    app.parse(argc, argv);
    solve_twice(MPI_COMM_WORLD, rank, ranks, options);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, error;
    status = app.exit(e, out, error) == 0 ? 0 : 2;
    if (rank == 0) std::fputs((out.str() + error.str()).c_str(), status == 0 ? stdout : stderr);
  } catch (const eagle::Error& e) {  // on every rank
    status = 1;
    if (rank == 0) std::fprintf(stderr, "conjugate_gradient: %s\n", e.what());
  } catch (const std::exception& e) {  // perhaps on this rank alone
    std::fprintf(stderr, "conjugate_gradient: rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
