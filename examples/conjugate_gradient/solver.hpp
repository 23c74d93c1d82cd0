// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/kokkos.hpp>

#include "matrix.hpp"

namespace example {

/// Conjugate gradients for A x = b from x = 0; dot(x, y) is the dot product of distributed vectors. All else is element by
/// element, or row by row, so the iterates have the same bits on any ranks and threads where dot has. Collective.
template <class Dot>
class Solver {
 public:
  Solver(const Matrix& a, const Vector& b, Dot dot)
      : a_(a),
        dot_(std::move(dot)),
        x_("x", b.extent(0)),
        r_("r", b.extent(0)),
        q_("q", b.extent(0)),
        room_(a.make_vector()),
        p_(a.own(room_)) {
    Kokkos::deep_copy(r_, b);
    Kokkos::deep_copy(p_, b);
    squares_ = dot_(r_, r_);
  }

  /// One iteration. Error(argument) where it shows that the matrix is not positive definite.
  void step() {
    a_.multiply(room_, q_);
    const double curvature = dot_(p_, q_);
    if (!(curvature > 0))
      throw eagle::Error(eagle::Code::argument,
                         "conjugate gradients need a positive definite matrix: p . A p is " + std::to_string(curvature));
    const double alpha = squares_ / curvature;
    const std::int64_t n = a_.rows().count;
    const Vector x = x_, r = r_, p = p_, q = q_;
    eagle::for_each(
        Space(), n, KOKKOS_LAMBDA(std::int64_t i) {
          x(i) += alpha * p(i);
          r(i) -= alpha * q(i);
        });
    const double squares = dot_(r_, r_);
    const double beta = squares / std::exchange(squares_, squares);
    eagle::for_each(Space(), n, KOKKOS_LAMBDA(std::int64_t i) { p(i) = r(i) + beta * p(i); });
  }

  [[nodiscard]] const Vector& x() const { return x_; }
  /// The norm of b - A x, as the recurrence has it.
  [[nodiscard]] double residual() const { return std::sqrt(squares_); }

 private:
  const Matrix& a_;
  Dot dot_;
  Vector x_, r_, q_, room_, p_;
  double squares_ = 0;
};

}  // namespace example
