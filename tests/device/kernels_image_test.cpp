// SPDX-License-Identifier: Apache-2.0
// The kernels that are embedded in the library, as far as they can be looked at without a device.
#include "device_kernel/kernels_image.hpp"

#include <cstring>
#include <iterator>
#include <sstream>

#include <eagle/image.hpp>

#include "core/temporary_folder.hpp"
#include "kernels_on_host.hpp"
#include "support.hpp"

namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

std::string_view bytes() {
  const auto image = eagle::detail::kernels_image();
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

template <class T>
T load(std::string_view from, std::size_t offset) {
  T value;
  std::memcpy(&value, from.substr(offset, sizeof value).data(), sizeof value);
  return value;
}

/// The parts of an uncompressed fatbin: 16 bytes with its length from byte 8 on, and parts, each a header, whose length is in
/// bytes 4 to 7, and as many bytes as bytes 8 to 15 say.
std::vector<std::string_view> parts() {
  std::string_view rest = bytes();
  EXPECT_EQ(load<std::uint32_t>(rest, 0), 0xba55ed50U);
  EXPECT_EQ(load<std::uint64_t>(rest, 8), rest.size() - 16);
  std::vector<std::string_view> result;
  for (rest.remove_prefix(16); !rest.empty();) {
    const auto header = load<std::uint32_t>(rest, 4);
    const auto size = load<std::uint64_t>(rest, 8);
    result.push_back(rest.substr(header, size));
    rest.remove_prefix(header + size);
  }
  return result;
}

TEST(KernelsImage, IsThereWhereNvccWas) { EXPECT_EQ(bytes().empty(), words(EAGLE_ARCHITECTURES).empty()); }

TEST(KernelsImage, HasEveryKernelForEveryArchitecture) {
  if (bytes().empty()) GTEST_SKIP() << "eagle was built without nvcc";
  const TemporaryFolder folder;
  std::vector<std::string> cubins, texts;
  for (const std::string_view part : parts()) {
    const auto image = eagle::read_image(write_bytes(folder / "part", std::string(part)));
    ASSERT_FALSE(image.defect);
    EXPECT_THAT(image.functions, UnorderedElementsAreArray(eagle::detail::kernel_names()));
    (image.kind == eagle::ImageKind::cubin ? cubins : texts).push_back(image.architecture);
  }
  EXPECT_THAT(cubins, UnorderedElementsAreArray(words(EAGLE_ARCHITECTURES)));
  EXPECT_THAT(texts, testing::ElementsAre("sm_80"));
}

TEST(KernelsImage, ContractsNothing) {
  if (bytes().empty()) GTEST_SKIP() << "eagle was built without nvcc";
  const std::string text(bytes());
  for (const char* expected : {"add.rn.f64", "mul.rn.f64", "add.rn.f32", "mul.rn.f32"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected;
  for (const char* contracted : {"fma.rn.f64", "fma.rn.f32"}) EXPECT_EQ(text.find(contracted), std::string::npos) << contracted;
}

}  // namespace
