// SPDX-License-Identifier: Apache-2.0
// What the built artifacts are, read as files.
#include <gmock/gmock.h>

#include <filesystem>

#include <eagle/bundle.hpp>
#include <eagle/finding.hpp>
#include <eagle/image.hpp>

#include "core/temporary_folder.hpp"
#include "plugins/host_call.hpp"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// The folders of all worked bundles.
std::vector<fs::path> bundles() {
  const fs::directory_iterator folder(EAGLE_TEST_BUNDLES);
  std::vector<fs::path> paths(begin(folder), end(folder));
  EXPECT_GE(paths.size(), 20U);
  return paths;
}

bool is_64_bit(const std::string& plugin) { return plugin.ends_with("64"); }
std::string kernel_of(const std::string& plugin) { return is_64_bit(plugin) ? plugin.substr(0, plugin.size() - 2) : plugin; }

void expect_exports(const eagle::Image& image, const std::string& plugin, const std::string& entry) {
  SCOPED_TRACE(image.path.string());
  EXPECT_FALSE(image.defect);
  EXPECT_EQ(image.abi_tag, "aether-abi/2");
  ASSERT_TRUE(image.layout_words);
  EXPECT_THAT(*image.layout_words, ElementsAre(40, 32, 32, is_64_bit(plugin) ? 8 : 4, 24));
  EXPECT_THAT(image.functions, ElementsAre(entry));
}

TEST(Artifact, HostLibrariesExportEntryTagAndLayoutAndNothingElse) {
  for (const fs::path& bundle : bundles()) {
    const std::string plugin = bundle.filename().string();
    const eagle::Image image = eagle::read_image(library_of(plugin));
    EXPECT_EQ(image.kind, eagle::ImageKind::host);
    expect_exports(image, plugin, kernel_of(plugin) + "_host");
  }
}

TEST(Artifact, DeviceFilesAreThereWhereNvccIs) {
  for (const fs::path& bundle : bundles()) {
    const std::string plugin = bundle.filename().string(), manifest = read_bytes(bundle / "manifest.json");
    const fs::path ptx = bundle / (plugin + ".ptx");
    const bool expected = EAGLE_TEST_NVCC && plugin != "solve4";  // which calls a library that is built for the host
    EXPECT_EQ(fs::exists(ptx), expected);
    EXPECT_EQ(manifest.find("\"device\"") != std::string::npos, expected);
    if (!expected) continue;
    const eagle::Image image = eagle::read_image(ptx);
    EXPECT_EQ(image.kind, eagle::ImageKind::ptx);
    expect_exports(image, plugin, kernel_of(plugin));
    EXPECT_THAT(read_bytes(ptx), Not(HasSubstr("fma"))) << ptx;
  }
}

TEST(Artifact, EagleFindsNothingWrongWithAnyBundle) {
  for (const fs::path& bundle : bundles())
    for (const eagle::Finding& finding : eagle::check(bundle)) ADD_FAILURE() << bundle << ": " << eagle::to_string(finding);
}

/// Operations without an explicit rounding may be contracted when the driver compiles the PTX.
TEST(Artifact, DeviceArithmeticNamesItsRounding) {
  if (!EAGLE_TEST_NVCC) GTEST_SKIP() << "built without nvcc";
  EXPECT_THAT(read_bytes(fs::path(EAGLE_TEST_BUNDLES) / "axpy/axpy.ptx"),
              testing::AllOf(HasSubstr("mul.rn.f64"), HasSubstr("add.rn.f64")));
}

TEST(Artifact, OtherDeviceFormats) {
  if (!EAGLE_TEST_NVCC) GTEST_SKIP() << "built without nvcc";
  const eagle::Image cubin = eagle::read_image(EAGLE_TEST_CUBIN);
  EXPECT_EQ(cubin.kind, eagle::ImageKind::cubin);
  EXPECT_EQ(cubin.architecture, "sm_90");
  expect_exports(cubin, "axpy", "axpy");
  const eagle::Image fatbin = eagle::read_image(EAGLE_TEST_FATBIN);
  EXPECT_EQ(fatbin.kind, eagle::ImageKind::fatbin);
  EXPECT_THAT(read_bytes(EAGLE_TEST_FATBIN), HasSubstr("eagle_layout_sizes"));
}

}  // namespace
