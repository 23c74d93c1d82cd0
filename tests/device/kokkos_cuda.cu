// SPDX-License-Identifier: Apache-2.0
// A Kokkos code built with CUDA: the lambda API, views and plans on Kokkos::Cuda, and on Kokkos::OpenMP beside it.
#include <eagle/eagle.hpp>
#include <eagle/kokkos.hpp>

using Vector = Kokkos::View<double*, Kokkos::CudaSpace>;
using Pair = Kokkos::Array<double, 2>;

double reductions(const Kokkos::Cuda& space, const Vector& x, const Vector& y) {
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const double sum = eagle::mapreduce<eagle::Sum>(space, n, KOKKOS_LAMBDA(std::int64_t i) { return x(i) * y(i); });
  const Pair pair = eagle::mapreduce<eagle::Max>(space, n, KOKKOS_LAMBDA(std::int64_t i) { return Pair{x(i), -x(i)}; });
  eagle::for_each(space, n, KOKKOS_LAMBDA(std::int64_t i) { y(i) = 2.0 * x(i); });
  return sum + pair[0] + eagle::dot(space, x, y, eagle::Precision::compensated) + eagle::sum(space, x) + eagle::max(space, x) +
         eagle::asum(space, x) + eagle::nrm2(space, x);
}

double on_the_host(std::int64_t n) {
  return eagle::mapreduce<eagle::Sum>(Kokkos::OpenMP(), n, [](std::int64_t i) { return static_cast<double>(i); });
}

eagle::BoundPlan bound(const Kokkos::Cuda& space, const eagle::Plugin& axpy, const Vector& x, const Vector& y) {
  return eagle::plan(axpy, {.structure = eagle::device_kernel(space)})
      .bind({{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", 2.0}, {"b", 1.0}});
}
