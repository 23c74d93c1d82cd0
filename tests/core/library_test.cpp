// SPDX-License-Identifier: Apache-2.0
#include <eagle/library.hpp>

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <link.h>
#include <locale.h>
#include <sys/stat.h>

#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>
#include <tuple>

#include <eagle/abi.h>
#include <eagle/error.hpp>
#include <eagle/image.hpp>

#include "temporary_folder.hpp"

namespace {

using eagle::Library;
using testing::AllOf;
using testing::HasSubstr;
using Path = std::filesystem::path;

const Path faulty = FAULTY_PLUGINS;

template <class Call>
std::string refusal(const Call& call, eagle::Code code = eagle::Code::bundle) {
  try {
    call();
  } catch (const eagle::Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "accepted";
}

std::string refusal_to_open(const Path& path, eagle::Code code = eagle::Code::bundle) {
  return refusal([&] { Library::open(path); }, code);
}

/// What the plugin makes of 1.
double run(const Library& library) {
  double x[] = {1.0, 1.0};
  const ScalarHandle box = {x, 2, 1, EAGLE_DEVICE_CPU, 0};
  void* const params[] = {const_cast<ScalarHandle*>(&box)};
  reinterpret_cast<eagle_host_entry_v2>(library.symbol("twice_host"))(params, 1, 1, 2);
  EXPECT_EQ(x[0], 1.0);
  return x[1];
}

bool subnormals_are_kept() {
  volatile double least = std::numeric_limits<double>::min();
  return least / 2 > 0;
}

class LibraryTest : public testing::Test {
 protected:
  LibraryTest() { ::setenv("EAGLE_TEST_TRACE", (folder_ / "trace").c_str(), 1); }
  ~LibraryTest() override { ::unsetenv("EAGLE_TEST_TRACE"); }

  std::string trace() const { return std::filesystem::exists(folder_ / "trace") ? read_bytes(folder_ / "trace") : ""; }
  /// As a linker does it: a new file takes the place of the old one.
  void replace(const Path& destination, const std::string& plugin) const {
    std::filesystem::copy_file(faulty / plugin, folder_ / "new");
    std::filesystem::rename(folder_ / "new", destination);
  }

  TemporaryFolder folder_;
};

TEST_F(LibraryTest, OpensOnceAndClosesWithTheLastCopy) {
  {
    const Library first = Library::open(faulty / "good.so");
    EXPECT_EQ(trace(), "constructed\n");
    EXPECT_EQ(run(first), 2.0);
    EXPECT_EQ(first.path(), faulty / "good.so");
    auto second = std::make_unique<Library>(Library::open(faulty / "good.so"));
    const Library third = *second;
    second.reset();
    EXPECT_EQ(third.symbol("twice_host"), first.symbol("twice_host"));
    EXPECT_EQ(trace(), "constructed\n");
  }
  EXPECT_EQ(trace(), "constructed\ndestructed\n");
}

TEST_F(LibraryTest, SymbolsStayLocal) {
  const Library library = Library::open(faulty / "good.so");
  EXPECT_EQ(::dlsym(RTLD_DEFAULT, "another_function"), nullptr);
  EXPECT_THAT(
      refusal([&] { static_cast<void>(library.symbol("no_such_symbol")); }),
      AllOf(HasSubstr((faulty / "good.so").string()), HasSubstr("symbol 'no_such_symbol'"), HasSubstr("undefined symbol")));
}

TEST_F(LibraryTest, KeepsTheFloatingPointEnvironment) {
  std::fenv_t before;
  std::fegetenv(&before);
  void* handle = ::dlopen((faulty / "floating_point.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(std::fegetround(), FE_UPWARD) << "the plugin is to change the environment, or this test shows nothing";
#if defined(__x86_64__)
  EXPECT_FALSE(subnormals_are_kept());
#endif
  ::dlclose(handle);
  std::fesetenv(&before);
  EXPECT_TRUE(subnormals_are_kept());

  std::filesystem::remove(folder_ / "trace");
  const Library library = Library::open(faulty / "floating_point.so");
  EXPECT_EQ(trace(), "constructed\n");
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_TRUE(subnormals_are_kept());
  EXPECT_EQ(run(library), 2.0);

  std::feclearexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_DOWNWARD);
  Library::open(faulty / "triples.so");
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  std::fesetenv(&before);
}

TEST_F(LibraryTest, KeepsSignalMaskAndLocale) {
  const auto state = [] {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return std::tuple(std::string(::setlocale(LC_ALL, nullptr)), ::uselocale(nullptr), ::sigismember(&blocked, SIGINT));
  };
  const auto before = state();
  ASSERT_EQ(std::get<0>(before), "C");
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  void* handle = ::dlopen((faulty / "state.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  EXPECT_NE(std::get<0>(state()), "C") << "the plugin is to change the state, or this test shows nothing";
  EXPECT_NE(std::get<1>(state()), std::get<1>(before));
  EXPECT_EQ(std::get<2>(state()), 1);
  ::uselocale(LC_GLOBAL_LOCALE);
  ::dlclose(handle);
  ::setlocale(LC_ALL, "C");
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);

  const Library library = Library::open(faulty / "state.so");
  EXPECT_EQ(state(), before);
}

TEST_F(LibraryTest, ANameIsAFileOfTheCurrentFolder) {
  const Path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_THAT(refusal_to_open("libm.so.6", eagle::Code::not_found), HasSubstr((folder_ / "libm.so.6").string()));
  std::filesystem::copy_file(faulty / "good.so", "libm.so.6");
  EXPECT_EQ(run(Library::open("libm.so.6")), 2.0);
  std::filesystem::current_path(before);
}

TEST_F(LibraryTest, RefusalsNamePathAndReason) {
  ASSERT_EQ(::mkfifo((folder_ / "fifo.so").c_str(), 0600), 0);
  write_bytes(folder_ / "text.so", "no library, but longer than the header of an ELF file: " + std::string(64, ' '));
  write_bytes(folder_ / "cut.so", read_bytes(faulty / "good.so").substr(0, 1000));
  std::string unresolved = read_bytes(faulty / "good.so");
  unresolved.replace(unresolved.find("fopen"), 5, "fopem");
  write_bytes(folder_ / "unresolved.so", unresolved);
  EXPECT_THAT(refusal_to_open(folder_ / "missing.so", eagle::Code::not_found), HasSubstr((folder_ / "missing.so").string()));
  for (const char* name : {"", "fifo.so"})
    EXPECT_THAT(refusal_to_open(folder_ / name, eagle::Code::io),
                AllOf(HasSubstr((folder_ / name).string()), HasSubstr("no regular file")));
  for (const auto& [name, reason] :
       {std::pair{"cut.so", "cut off"}, {"text.so", "invalid ELF header"}, {"unresolved.so", "undefined symbol: fopem"}})
    EXPECT_THAT(refusal_to_open(folder_ / name), AllOf(HasSubstr((folder_ / name).string()), HasSubstr(reason))) << name;
  EXPECT_EQ(trace(), "");
}

TEST_F(LibraryTest, NoOtherFileThanTheOneThatWasReadIsOpened) {
  for (const char* word : {"$LIB", "${ORIGIN}", "$PLATFORM", "a$"}) {
    std::filesystem::create_directory(folder_ / word);
    std::filesystem::copy_file(faulty / "good.so", folder_ / word / "plugin.so");
    EXPECT_THAT(refusal_to_open(folder_ / word / "plugin.so"), AllOf(HasSubstr(word), HasSubstr("a path without '$'"))) << word;
  }
  EXPECT_EQ(trace(), "");
}

TEST_F(LibraryTest, AReplacedFileIsNotTakenForTheOldOne) {
  const Path path = folder_ / "plugin.so";
  replace(path, "good.so");
  {
    const Library old = Library::open(path);
    EXPECT_EQ(run(Library::open(path)), 2.0);
    replace(path, "triples.so");
    EXPECT_THAT(refusal_to_open(path), AllOf(HasSubstr(path.string()), HasSubstr("has changed since it was opened")));
    EXPECT_EQ(run(old), 2.0);
  }
  EXPECT_EQ(run(Library::open(path)), 3.0);
}

TEST_F(LibraryTest, AnImageOpensOnlyTheFileThatWasRead) {
  const Path path = folder_ / "plugin.so";
  replace(path, "good.so");
  const eagle::Image image = eagle::read_image(path);
  EXPECT_EQ(run(Library::open(image)), 2.0);
  replace(path, "triples.so");
  std::filesystem::remove(folder_ / "trace");
  EXPECT_THAT(refusal([&] { Library::open(image); }), HasSubstr("has changed since it was checked"));
  std::filesystem::remove(path);
  EXPECT_THAT(refusal([&] { Library::open(image); }), HasSubstr("has changed since it was checked"));
  EXPECT_EQ(trace(), "");
}

TEST_F(LibraryTest, AFileThatWasWrittenOverIsAnotherWhateverItsTimesSay) {
  const Path path = folder_ / "plugin.so";
  replace(path, "good.so");
  const auto written = std::filesystem::last_write_time(path);
  const eagle::Image image = eagle::read_image(path);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the system's clock of files has steps
  std::string other = *image.bytes;
  other[15] ^= 1;  // e_ident's padding
  write_bytes(path, other);
  std::filesystem::last_write_time(path, written);
  EXPECT_THAT(refusal([&] { Library::open(image); }), HasSubstr("has changed since it was checked"));
  EXPECT_EQ(trace(), "");
}

TEST_F(LibraryTest, PermissionsAndLinksAreNoChange) {
  const Path path = folder_ / "plugin.so";
  replace(path, "good.so");
  const eagle::Image image = eagle::read_image(path);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::filesystem::create_hard_link(path, folder_ / "backup.so");
  const Library first = Library::open(image);
  EXPECT_EQ(run(first), 2.0);
  std::filesystem::remove(folder_ / "backup.so");
  EXPECT_EQ(run(Library::open(path)), 2.0);
}

/// The loader itself looks at no such segment.
TEST_F(LibraryTest, NoMemoryIsReadThatIsNotMapped) {
  std::string bytes = read_bytes(faulty / "good.so");
  ElfW(Ehdr) header = {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  int changed = 0;
  for (int k = 0; k < header.e_phnum; ++k) {
    char* const place = bytes.data() + header.e_phoff + k * sizeof(ElfW(Phdr));
    ElfW(Phdr) segment = {};
    std::memcpy(&segment, place, sizeof(segment));
    if (segment.p_type != PT_GNU_EH_FRAME) continue;
    segment.p_vaddr = std::uint64_t{1} << 40;
    std::memcpy(place, &segment, sizeof(segment));
    ++changed;
  }
  ASSERT_EQ(changed, 1);
  write_bytes(folder_ / "plugin.so", bytes);
  EXPECT_EQ(run(Library::open(folder_ / "plugin.so")), 2.0);
}

TEST_F(LibraryTest, ACopyOfAFileWithALongName) {
  const Path path = folder_ / (std::string(250, 'y') + ".so");
  std::filesystem::copy_file(faulty / "good.so", path);
  EXPECT_EQ(run(Library::open(eagle::read_image(path), Library::From::copy)), 2.0);
}

/// A file may change at any moment, and its times may lie.
TEST_F(LibraryTest, WhatIsMappedIsComparedWithWhatWasRead) {
  const Path path = folder_ / "plugin.so";
  replace(path, "good.so");
  eagle::Image image = eagle::read_image(path);
  std::string other = *image.bytes;
  other[other.find(EAGLE_ABI_V2)] ^= 1;
  image.bytes = std::make_shared<const std::string>(other);
  EXPECT_THAT(refusal([&] { Library::open(image); }), HasSubstr("has changed while it was opened"));
  EXPECT_EQ(run(Library::open(path)), 2.0);
}

TEST_F(LibraryTest, ACopyIsWhatWasReadWhateverBecomesOfTheFile) {
  const Path path = folder_ / "plugin.so";
  std::filesystem::copy_file(faulty / "good.so", path);
  const eagle::Image image = eagle::read_image(path);
  write_bytes(path, read_bytes(faulty / "triples.so"));
  {
    const Library copy = Library::open(image, Library::From::copy);
    EXPECT_EQ(run(copy), 2.0);
    std::filesystem::remove(path);
    const Library another = Library::open(image, Library::From::copy);
    EXPECT_EQ(run(another), 2.0);
    EXPECT_NE(another.symbol("twice_host"), copy.symbol("twice_host"));
    EXPECT_EQ(trace(), "constructed\nconstructed\n");
  }
  EXPECT_EQ(trace(), "constructed\nconstructed\ndestructed\ndestructed\n");
  const eagle::Image triples = eagle::read_image(faulty / "triples.so");
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(run(Library::open(image, Library::From::copy)), 2.0);
    EXPECT_EQ(run(Library::open(triples, Library::From::copy)), 3.0);
  }
}

}  // namespace
