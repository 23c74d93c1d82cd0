#include <eagle/body.hpp>

EAGLE_PLUGIN(triple, (eagle::Scalar<double>, y), (eagle::Scalar<const double>, x)) { y[i] = 3 * x[i]; }
