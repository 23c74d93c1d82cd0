// Which thread ran a sample.
#include <chrono>
#include <eagle/body.hpp>
#include <thread>

EAGLE_PLUGIN(who, (eagle::Scalar<std::int64_t>, who), (std::int64_t, microseconds)) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  who[i] = std::int64_t(std::hash<std::thread::id>()(std::this_thread::get_id()));
}
