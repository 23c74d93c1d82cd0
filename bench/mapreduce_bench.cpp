// SPDX-License-Identifier: Apache-2.0
// The canonical reduction against reductions whose values move with the team.
#include <functional>
#include <string>

#include <eagle/kokkos.hpp>

#include "baselines.hpp"
#include "benchmarks.hpp"
#include "check.hpp"
#include "folds.hpp"

namespace bench {
namespace {

template <class T>
T eagle_dot(const Team& team, const FoldArguments<T>& args) {
  return eagle::dot(team.space, args.x_view(), args.y_view());
}
template <class T>
T eagle_nrm2(const Team& team, const FoldArguments<T>& args) {
  return eagle::nrm2(team.space, args.x_view());
}
template <class T>
T eagle_sum(const Team& team, const FoldArguments<T>& args) {
  return eagle::sum(team.space, args.x_view());
}
template <class T>
T compensated_sum(const Team& team, const FoldArguments<T>& args) {
  return eagle::sum(team.space, args.x_view(), eagle::Precision::compensated);
}
template <class T>
T eagle_max(const Team& team, const FoldArguments<T>& args) {
  return eagle::max(team.space, args.x_view());
}
template <class T>
T eagle_mapreduce(const Team& team, const FoldArguments<T>& args) {
  return eagle::mapreduce<eagle::Sum>(team.space, args.n, [x = args.x_view()](std::int64_t i) { return x(i); });
}

template <class T>
void add_mapreduces_of() {
  const auto add_dots = [](const std::string& what, const MakeFold<T>& ours) {
    add_fold<T>(what, "openmp", ours, function(openmp_dot<T>), {.planes = 2});
    add_fold<T>(what, "kokkos_reduce", ours, function(kokkos_dot<T>), {.planes = 2});
    if constexpr (has_kokkos_blas) add_fold<T>(what, "kokkos_blas", ours, function(blas_dot<T>), {.planes = 2});
  };
  add_dots("dot_plugin",
           [](const Team& team, const FoldArguments<T>& args) { return plugin_fold(team, built_for<T>("dot"), args); });
  add_dots("dot_lambda", function(eagle_dot<T>));
  if constexpr (has_kokkos_blas)
    add_fold<T>("nrm2_lambda", "kokkos_blas", function(eagle_nrm2<T>), function(blas_nrm2<T>), {.x = sparse_ones});
  add_fold<T>("sum_lambda", "kokkos_reduce", function(eagle_sum<T>), function(kokkos_sum<T>));
  add_fold<T>("sum_lambda", "stream", function(eagle_sum<T>), function(stream_sum<T>));
  add_fold<T>("mapreduce_lambda", "kokkos_reduce", function(eagle_mapreduce<T>), function(kokkos_sum<T>));
  add_fold<T>("max_lambda", "sum_lambda", function(eagle_max<T>), function(eagle_sum<T>), {.x = single_one});
  add_fold<T>("compensated_sum_lambda", "sum_lambda", function(compensated_sum<T>), function(eagle_sum<T>));
}

}  // namespace

void add_mapreduces() {
  add_mapreduces_of<double>();
  add_mapreduces_of<float>();
}

}  // namespace bench
