// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <eagle/kokkos.hpp>

namespace example {

struct LocalMatrix::Kernel {
  Indices<std::size_t> start;
  Indices<int> column;
  Vector value;
};

LocalMatrix::LocalMatrix(int /*columns*/, const Indices<std::size_t>& start, const Indices<int>& column, const Vector& value)
    : kernel_(std::make_shared<Kernel>(Kernel{start, column, value})) {}

void LocalMatrix::multiply(const Vector& x, const Vector& y) const {
  const Kernel a = *kernel_;
  eagle::for_each(
      Space(), static_cast<std::int64_t>(y.extent(0)), KOKKOS_LAMBDA(std::int64_t i) {
        double sum = 0;
        for (std::size_t k = a.start(i); k < a.start(i + 1); ++k) sum += a.value(k) * x(a.column(k));
        y(i) = sum;
      });
}
const std::string_view LocalMatrix::name = "eagle::for_each";

double local_dot(const Vector& x, const Vector& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "local_dot", Kokkos::RangePolicy<Space>(0, x.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& part) { part += x(i) * y(i); }, sum);
  return sum;
}
const std::string_view local_dot_name = "Kokkos::parallel_reduce";

}  // namespace example
