// Planes and tables of the types that other bodies do not use.
#include <eagle/body.hpp>

EAGLE_PLUGIN(kinds, (eagle::Scalar<double>, y), (eagle::Scalar<const std::int32_t>, wide),
             (eagle::Scalar<const std::int32_t>, a), (eagle::Scalar<const std::uint32_t>, b),
             (eagle::Scalar<const std::uint64_t>, c), (eagle::Scalar<const float>, table)) {
  y[i] = a[i] + double(b[i]) + double(c[i]) + double(table[i]) + wide[wide.size() - 1];
}
