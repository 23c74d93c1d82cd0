// A body that takes its time.
#include <chrono>
#include <eagle/body.hpp>

EAGLE_PLUGIN(slow, (eagle::Scalar<std::int64_t>, y), (std::int64_t, microseconds)) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
  y[i] = 1;
}
