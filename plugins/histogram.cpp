// SPDX-License-Identifier: Apache-2.0
// cross_sample_write: counts x in nbins equal bins of [lo, hi); what lies outside counts in the first or last one.
// The length of bins is not known here, so nbins is the caller's to get right; without a bin nothing is counted.
#include <eagle/body.hpp>

EAGLE_PLUGIN(histogram, (eagle::Scalar<double>, bins), (eagle::Scalar<const double>, x), (double, hi), (double, lo),
             (std::int64_t, nbins)) {
  if (nbins < 1) return;
  const double t = (x[i] - lo) / (hi - lo) * static_cast<double>(nbins);
  const std::int64_t bin = t < static_cast<double>(nbins) ? static_cast<std::int64_t>(t > 0 ? t : 0) : nbins - 1;
  eagle::add(bins[static_cast<std::uint64_t>(bin)], 1.0);
}
