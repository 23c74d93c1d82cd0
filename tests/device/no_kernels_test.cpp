// SPDX-License-Identifier: Apache-2.0
// An eagle that was built without nvcc: it has no kernels of its own, and folds on the host.
#include "bed.hpp"
#include "device_kernel/kernels_image.hpp"

// In the library's place.
std::span<const std::byte> eagle::detail::kernels_image() noexcept { return {}; }

namespace {

using namespace bed;
using eagle::DType;

class NoKernels : public Device {};

TEST_F(NoKernels, IsSaid) {
  EXPECT_THAT(eagle::device_kernel()->describe(), HasSubstr("built without nvcc"));
  const std::vector<double> x(5000, 1.0);
  EXPECT_EQ(on_device(plugin("dot"), {}, {.staging = true}).run({{"x", view(x)}, {"y", view(x)}}).value<double>("total"),
            5000.0);
  EXPECT_TRUE(stand_in::launches("eagle_fold_sum_float64").empty());
}

/// What would have to be rearranged or converted on the device is refused; from the host it comes rearranged.
TEST_F(NoKernels, ArraysThereCannotBeRearranged) {
  const std::vector<double> spread = {1, 0, 2, 0}, x = {1, 2};
  const Memory there(spread);
  const auto run = [&](const eagle::ArrayView& array) {
    const auto plan = on_device(plugin("axpy"), {}, {.staging = true});
    return values_of<double>(plan.run({{"x", array}, {"a", 2.0}, {"b", 0.5}}).array("y"));
  };
  EXPECT_THAT(refusal(Code::unsupported, [&] { run(there.view(DType::float64, {2}, {2})); }),
              AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("cuda:0"), HasSubstr("no nvcc"), HasSubstr("contiguous array")));
  EXPECT_THAT(run(view(spread.data(), DType::float64, {2}, {2})), testing::ElementsAre(2.5, 4.5));
  EXPECT_THAT(run(there.view(DType::float64, {2})), testing::ElementsAre(2.5, 0.5));
}

TEST_F(NoKernels, MutablesStartFromTheirDefaults) {
  const auto result = on_device(plugin("countdown"), {.n_samples = 3}).run({});
  EXPECT_THAT(values_of<std::int64_t>(result.array("left")), testing::ElementsAre(2, 2, 2));
}

}  // namespace
