// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

/// What is computed on one rank, by Kokkos Kernels (kokkos_kernels.cpp) or without it (own_kernels.cpp).
namespace example {

using Space = Kokkos::OpenMP;
using Vector = Kokkos::View<double*, Space>;
template <class T>
using Indices = Kokkos::View<T*, Space>;

/// The rows of one rank, whose columns are numbered by the places of the vector that they read.
class LocalMatrix {
 public:
  LocalMatrix(int columns, const Indices<std::size_t>& start, const Indices<int>& column, const Vector& value);
  /// y = A x, each row's products added in the order of its entries, whatever the rows, threads and ranks beside it.
  void multiply(const Vector& x, const Vector& y) const;
  static const std::string_view name;

 private:
  struct Kernel;
  std::shared_ptr<Kernel> kernel_;
};

/// The dot product of what lies on this rank, in an order that depends on ranks and threads.
double local_dot(const Vector& x, const Vector& y);
extern const std::string_view local_dot_name;

}  // namespace example
