// An aether-abi/1 host entry: the whole view, n samples; arguments in the order of its arg_spec.
#include <eagle/abi.h>

extern "C" EAGLE_EXPORT void scale_host(void* const* params, int32_t n) {
  const auto* x = static_cast<const double*>(static_cast<const ScalarHandle*>(params[0])->data);
  auto* y = static_cast<double*>(static_cast<const ScalarHandle*>(params[1])->data);
  const double factor = *static_cast<const double*>(params[2]);
  for (int32_t i = 0; i < n; ++i) y[i] = factor * x[i];
}
