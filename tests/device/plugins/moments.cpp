// SPDX-License-Identifier: Apache-2.0
// A mapreduce of two outputs of different types; samples below zero are left out.
#include <eagle/body.hpp>

EAGLE_PLUGIN(moments, (eagle::Scalar<std::int64_t>, count), (eagle::Scalar<double>, total), (eagle::Scalar<const double>, x)) {
  if (x[i] < 0) return;
  count[i] = 1;
  total[i] = x[i];
}
