// SPDX-License-Identifier: Apache-2.0
// cross_sample_read of a plane of its own length: linear between values[0], values[1], ..., constant outside; 0 where there is
// none.
#include <eagle/body.hpp>

EAGLE_PLUGIN(interp, (eagle::Scalar<double>, y), (eagle::Scalar<const double>, values), (eagle::Scalar<const double>, x)) {
  if (values.size() < 2) {
    y[i] = values.size() == 1 ? values[0] : 0;
    return;
  }
  const double last = static_cast<double>(values.size() - 1);
  const double t = x[i] > 0 ? (x[i] < last ? x[i] : last) : 0;
  const auto k = static_cast<std::uint64_t>(t < last ? t : last - 1);
  y[i] = values[k] + (t - static_cast<double>(k)) * (values[k + 1] - values[k]);
}
