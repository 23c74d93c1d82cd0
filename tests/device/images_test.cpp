// SPDX-License-Identifier: Apache-2.0
// Artifacts that a device does not take, or that are not what their declaration says.
#include "bed.hpp"
#include "folder.hpp"

namespace {

using namespace bed;

constexpr const char* device_text = "cuda:0 (Stand-in device 0, sm_90, CUDA 13.0)";

class Images : public Device {
 protected:
  static std::string refused(Code code, const eagle::Plugin& plugin, const eagle::Values& more = {}) {
    const OnDevice<double> x({1, 2});
    eagle::Values values = {{"x", x}, {"a", 1.0}, {"b", 0.0}};
    values.insert(more.begin(), more.end());
    return refusal(code, [&] { static_cast<void>(on_device(plugin).bind(values)); });
  }
  static std::filesystem::path variant(const std::string& name) { return std::filesystem::path(EAGLE_VARIANTS) / name; }
};

TEST_F(Images, ThatTheCompilerRefuses) {
  const eagle::Plugin axpy = plugin("axpy");
  stand_in::set_jit_log("ptxas application ptx input, line 7; fatal : what is this?\n");
  for (const int result : {218, 200, 209, 222, 221}) {
    stand_in::fail("cuModuleLoadDataEx", 1, result);
    EXPECT_THAT(refused(Code::bundle, axpy),
                AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("axpy.ptx (ptx"), HasSubstr(device_text)));
  }
  const Folder broken(support::bundle("axpy"));
  broken.replace("axpy.ptx", "ret;", "ret; }");
  EXPECT_THAT(refused(Code::bundle, eagle::load(broken.path()).only()),
              AllOf(HasSubstr((broken.path() / "axpy.ptx").string()), HasSubstr("(ptx"), HasSubstr("CUDA_ERROR_INVALID_PTX"),
                    HasSubstr(device_text),
                    testing::EndsWith("its compiler says: ptxas application ptx input, line 7; fatal : "
                                      "what is this?")));
}

TEST_F(Images, ForAnotherArchitectureOrANewerDriver) {
  stand_in::set_version(12010);
  EXPECT_THAT(refused(Code::bundle, plugin("axpy")), HasSubstr("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"));
  fresh();
  stand_in::set_attribute(75, 8);
  EXPECT_THAT(refused(Code::bundle, eagle::load(variant("axpy_cubin")).only()),
              AllOf(HasSubstr("(cubin for sm_90) is not taken"), HasSubstr("CUDA_ERROR_NO_BINARY_FOR_GPU")));
  EXPECT_THAT(refused(Code::bundle, eagle::load(variant("axpy_fatbin")).only()), HasSubstr("(fatbin) is not taken"));
}

/// What no reading of a fatbin shows before the driver has loaded it.
TEST_F(Images, WithAnotherKernel) {
  const Folder folder(variant("axpy_fatbin"));
  folder.replace("axpy_fatbin.json", "\"kernel\": \"axpy\"", "\"kernel\": \"axpi\"");
  EXPECT_THAT(refused(Code::bundle, eagle::load(folder.path()).only()),
              AllOf(HasSubstr("plugin 'axpy_fatbin'"), HasSubstr("no kernel 'axpi'"), HasSubstr(device_text)));
}

TEST_F(Images, WithOtherParameters) {
  const Folder folder(support::bundle("axpy"));
  const eagle::Plugin right = eagle::load(folder.path()).only();
  const OnDevice<double> x({1, 2});
  const auto kept = on_device(right).bind({{"x", x}, {"a", 1.0}, {"b", 0.0}});  // which keeps the kernel loaded
  std::string sidecar = read_file(folder.path() / "axpy.json");
  std::erase_if(sidecar, [](char c) { return c == ' ' || c == '\n'; });
  sidecar =
      replaced(sidecar, R"({"name":"b","dtype":"float"})", R"({"name":"b","dtype":"float"},{"name":"c","dtype":"float"})");
  write_file(folder.path() / "axpy.json", replaced(sidecar, R"(["uniform","b"])", R"(["uniform","b"],["uniform","c"])"));
  EXPECT_THAT(refused(Code::bundle, eagle::load(folder.path()).only(), {{"c", 1.0}}),
              AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("takes parameters of [32, 32, 8, 8, 8, 8, 8] bytes"),
                    HasSubstr("[32, 32, 8, 8, 8, 8, 8, 8]"), HasSubstr("rebuild")));
}

TEST_F(Images, WithOtherWordsOrTags) {
  const auto words = [](std::uint64_t index, std::uint64_t box) {
    const std::uint64_t all[] = {box, 32, 32, index, 24};
    return std::string(reinterpret_cast<const char*>(all), sizeof all);
  };
  const Folder boxes(variant("axpy_fatbin")), tag(variant("axpy_fatbin"));
  boxes.replace("axpy_fatbin.fatbin", words(4, 40), words(4, 48));
  EXPECT_THAT(refused(Code::bundle, eagle::load(boxes.path()).only()),
              AllOf(HasSubstr("plugin 'axpy_fatbin'"), HasSubstr("eagle_layout_sizes are [48, 32, 32, 4, 24]"),
                    HasSubstr("[40, 32, 32, 4, 24]")));
  tag.replace("axpy_fatbin.fatbin", "aether-abi/2", "aether-abi/9");
  EXPECT_THAT(refused(Code::bundle, eagle::load(tag.path()).only()),
              AllOf(HasSubstr("'aether-abi/9'"), HasSubstr("'aether-abi/2'")));
}

TEST_F(Images, AreWhatWasCheckedWhateverBecomesOfTheFile) {
  const Folder folder(support::bundle("axpy"));
  const eagle::Plugin axpy = eagle::load(folder.path()).only();
  const std::string checked = read_file(folder.path() / "axpy.ptx");
  write_file(folder.path() / "axpy.ptx", "no PTX");
  EXPECT_EQ(axpy.device_image(), checked);
  std::filesystem::remove(folder.path() / "axpy.ptx");
  const OnDevice<double> x({1, 2});
  EXPECT_NO_THROW(static_cast<void>(on_device(axpy).run({{"x", x}, {"a", 1.0}, {"b", 0.0}})));
}

/// A kernel is loaded once for all who hold it, and unloaded with the last.
TEST_F(Images, AreLoadedOnce) {
  const auto modules = [] { return stand_in::outstanding().modules; };
  const std::size_t before = modules();
  const OnDevice<double> x({1, 2}), other({1, 2}, 1);
  {
    const auto first = on_device(plugin("axpy")), second = on_device(plugin("axpy"));
    for (int k = 0; k < 3; ++k) {
      static_cast<void>(first.run({{"x", x}, {"a", 1.0}, {"b", 0.0}}));
      static_cast<void>(second.run({{"x", x}, {"a", 1.0}, {"b", 0.0}}));
    }
    EXPECT_EQ(modules(), before + 1);
    EXPECT_EQ(stand_in::calls("cuModuleLoadDataEx").size(), 1U);
    static_cast<void>(on_device(plugin("axpy"), {}, {.device = 1}).run({{"x", other}, {"a", 1.0}, {"b", 0.0}}));
    EXPECT_EQ(stand_in::calls("cuModuleLoadDataEx").size(), 2U);
  }
  EXPECT_EQ(modules(), before);
}

/// Whatever the file's times say.
TEST_F(Images, AreLoadedAgainWhereTheirBytesDiffer) {
  const Folder folder(support::bundle("axpy"));
  const auto ptx = folder.path() / "axpy.ptx";
  const OnDevice<double> x({1, 2});
  const auto old = on_device(eagle::load(folder.path()).only());
  static_cast<void>(old.run({{"x", x}, {"a", 1.0}, {"b", 0.0}}));
  const auto written = std::filesystem::last_write_time(ptx);
  write_file(ptx, read_file(ptx) + "\n");
  std::filesystem::last_write_time(ptx, written);
  static_cast<void>(on_device(eagle::load(folder.path()).only()).run({{"x", x}, {"a", 1.0}, {"b", 0.0}}));
  EXPECT_EQ(stand_in::calls("cuModuleLoadDataEx").size(), 2U);
}

TEST_F(Images, WhoseKernelTakesSmallerBlocks) {
  const Folder folder(support::bundle("axpy"));
  folder.replace("axpy.ptx", ")\n{", ")\n.maxntid 64, 1, 1\n{");
  const eagle::Plugin axpy = eagle::load(folder.path()).only();
  const OnDevice<double> x(std::vector<double>(100, 1.0));
  const auto run = [&](int block) {
    static_cast<void>(on_device(axpy, {}, {.block = block}).run({{"x", x}, {"a", 1.0}, {"b", 0.0}}));
    return stand_in::launches("axpy").back().block[0];
  };
  EXPECT_EQ(run(0), 64U);
  EXPECT_EQ(run(64), 64U);
  EXPECT_THAT(refusal(Code::argument, [&] { run(65); }),
              AllOf(HasSubstr("'axpy'"), HasSubstr("block of 65 threads"), HasSubstr("at most 64"), HasSubstr(device_text)));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::device_kernel({.block = 1025}); }), HasSubstr("1 to 1024"));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::device_kernel({.block = -1}); }), HasSubstr("1 to 1024"));
}

}  // namespace
