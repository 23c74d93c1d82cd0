// SPDX-License-Identifier: Apache-2.0
// How folds of one or two planes to a value are compared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "baselines.hpp"
#include "benchmarks.hpp"
#include "check.hpp"

namespace bench {

template <class T>
using Fold = std::function<T()>;
/// Gets a fold ready for a team and its planes, which outlive it.
template <class T>
using MakeFold = std::function<Fold<T>(const Team&, const FoldArguments<T>&)>;

/// A fold that needs no more than its arguments.
template <class T>
MakeFold<T> function(T (*fold)(const Team&, const FoldArguments<T>&)) {
  return [fold](const Team& team, const FoldArguments<T>& args) { return [=, &team, &args] { return fold(team, args); }; };
}

/// A mapreduce of x and y, launched and read.
template <class T>
Fold<T> plugin_fold(const Team& team, const eagle::Plugin& plugin, const FoldArguments<T>& args) {
  const auto bound =
      std::make_shared<eagle::BoundPlan>(team.plan(plugin).bind({{"x", plane(args.x, args.n)}, {"y", plane(args.y, args.n)}}));
  return [bound] {
    bound->launch();
    return bound->result().template value<T>("total");
  };
}

template <class T>
struct FoldOptions {
  int planes = 1;                ///< how many are read: x, or x and y
  Pattern<T> x = centred_17<T>;  ///< what x holds; y holds centred_13
  double tolerance = 0;          ///< a sample: how far values may be apart
};

template <class T>
void add_fold(const std::string& what, const std::string& baseline, const MakeFold<T>& make_ours,
              const MakeFold<T>& make_baseline, const FoldOptions<T>& options = {}) {
  add(name_of<T>(what, baseline), usual_shapes(), [=](benchmark::State& state, const Shape& shape) {
    const Team team(shape.threads);
    Planes& planes = Planes::of(shape.n);
    const T* const x = planes.filled<T>(0, options.x);
    const FoldArguments<T> args{shape.n, x, options.planes == 2 ? planes.filled<T>(1, centred_13) : x};
    const auto ours = make_ours(team, args), theirs = make_baseline(team, args);
    require_close(ours(), theirs(), options.tolerance * static_cast<double>(shape.n));
    compare(
        state, team, options.planes * shape.n * static_cast<std::int64_t>(sizeof(T)), [&] { benchmark::DoNotOptimize(ours()); },
        [&] { benchmark::DoNotOptimize(theirs()); });
  });
}

}  // namespace bench
