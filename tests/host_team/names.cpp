// Arguments called like eagle's own options.
#include <eagle/body.hpp>

EAGLE_PLUGIN(names, (eagle::Scalar<double>, structure), (eagle::Scalar<const double>, layout),
             (eagle::Scalar<const double>, self), (double, partitions)) {
  structure[i] = self[i] + 10 * layout[i] + 100 * partitions;
}
