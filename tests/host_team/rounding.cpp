// A body that leaves the thread rounding upwards, with subnormals flushed and a flag of long double, after one sample.
#include <cfenv>
#include <eagle/body.hpp>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

EAGLE_PLUGIN(rounding, (eagle::Scalar<double>, total), (eagle::Scalar<const double>, x), (std::int64_t, last)) {
  total[i] = x[i] / 2;
  if (std::int64_t(i) != last) return;
  volatile long double zero = 0, result = 1 / zero;
  static_cast<void>(result);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  std::fesetround(FE_UPWARD);
}
