// SPDX-License-Identifier: Apache-2.0
// A mapreduce of sqrt(x) y through a plugin's entry, which costs more than the addition, compiled for a generic CPU and for
// this one.
#include <memory>
#include <string>

#include <eagle/kokkos.hpp>

#include "folds.hpp"

namespace bench {
namespace {

using Arguments = FoldArguments<double>;

/// The same plugin's partials in a plane, then summed.
Fold<double> plane_and_fold(const Team& team, const eagle::Plugin& plugin, const Arguments& args) {
  double* const partials = Planes::of(args.n).scratch<double>(2);
  const auto bound = std::make_shared<eagle::BoundPlan>(
      team.plan(plugin, {.combine = false})
          .bind({{"x", plane(args.x, args.n)}, {"y", plane(args.y, args.n)}, {"total", plane(partials, args.n)}}));
  const Vector<const double> view(partials, static_cast<std::size_t>(args.n));
  return [bound, view, &team] {
    bound->launch();
    return eagle::sum(team.space, view);
  };
}

}  // namespace

void add_fused() {
  for (const std::string cpu : {"generic", "native"}) {
    const std::string plugin = "root_dot_" + cpu, what = "fused_" + plugin;
    const auto inlined = cpu == "native" ? openmp_root_dot_native : openmp_root_dot_generic;
    const MakeFold<double> ours = [=](const Team& team, const Arguments& args) {
      return plugin_fold(team, built(plugin), args);
    };
    add_fold<double>(what, "plane_and_fold", ours,
                     [=](const Team& team, const Arguments& args) { return plane_and_fold(team, built(plugin), args); },
                     {.planes = 2, .x = two_to_three});
    add_fold<double>(what, "openmp", ours,
                     [=](const Team& team, const Arguments& args) {
                       return [=, &team, &args] { return inlined(args.x, args.y, args.n, team.threads); };
                     },
                     {.planes = 2, .x = two_to_three, .tolerance = 1e-9});
  }
}

}  // namespace bench
