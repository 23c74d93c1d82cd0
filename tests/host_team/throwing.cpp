// A body that throws, which the ABI does not forbid.
#include <eagle/body.hpp>
#include <stdexcept>

EAGLE_PLUGIN(throwing, (eagle::Scalar<double>, y), (eagle::Scalar<const double>, x), (double, limit)) {
  if (x[i] > limit) throw std::runtime_error("x is above the limit");
  y[i] = x[i];
}
