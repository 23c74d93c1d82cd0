// SPDX-License-Identifier: Apache-2.0
#include <KokkosBlas1_dot.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include "kernels.hpp"

namespace example {

using Matrix = KokkosSparse::CrsMatrix<double, int, Space, void, std::size_t>;

struct LocalMatrix::Kernel {
  Matrix matrix;
  // SPMV_NATIVE: a thread adds up a row from its first entry to its last, on the host whatever the schedule. Not
  // SPMV_DEFAULT, which may be another library's; not SPMV_MERGE_PATH, where threads share rows. On a device the lanes that
  // share a row are chosen by the average row of this rank, so one is asked for.
  KokkosSparse::SPMVHandle<Space, Matrix, Vector, Vector> handle{KokkosSparse::SPMV_NATIVE};
};

LocalMatrix::LocalMatrix(int columns, const Indices<std::size_t>& start, const Indices<int>& column, const Vector& value)
    : kernel_(std::make_shared<Kernel>(
          Matrix("A", static_cast<int>(start.extent(0)) - 1, columns, value.extent(0), value, start, column))) {
  kernel_->handle.vector_length = 1;
}

void LocalMatrix::multiply(const Vector& x, const Vector& y) const {
  KokkosSparse::spmv(Space(), &kernel_->handle, "N", 1.0, kernel_->matrix, x, 0.0, y);
}
const std::string_view LocalMatrix::name = "KokkosSparse::spmv";

double local_dot(const Vector& x, const Vector& y) { return KokkosBlas::dot(x, y); }
const std::string_view local_dot_name = "KokkosBlas::dot";

}  // namespace example
