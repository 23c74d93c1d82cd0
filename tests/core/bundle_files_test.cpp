// SPDX-License-Identifier: Apache-2.0
// Which files a bundle may name, and what becomes of those that are not there.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include <eagle/bundle.hpp>
#include <eagle/error.hpp>

#include "support.hpp"
#include "written_bundle.hpp"

namespace {

namespace fs = std::filesystem;
using eagle::BundleReading;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using written::axis;
using written::Bundle;
using written::entry;
using written::finding;
using written::TwoTargets;
using written::with;

TEST(BundleFiles, FindsTheHostLibraryOfATwoTargetPlugin) {
  const std::string named = R"(, "host_artifact": "lib/b.so")";
  const struct {
    std::string manifest, sidecar;
    std::vector<std::string> files;
    std::string found;
  } rows[] = {
      {"", "", {"a.so"}, "a.so"},
      {named, "", {"a.so", "lib/b.so"}, "lib/b.so"},
      {"", named, {"a.so", "lib/b.so"}, "lib/b.so"},
      {named, named, {"lib/b.so"}, "lib/b.so"},
      {R"(, "host_artifact": null)", R"(, "host_artifact": "")", {"a.so"}, "a.so"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.manifest + row.sidecar);
    const TwoTargets bundle(row.manifest, row.sidecar);
    for (const std::string& file : row.files) bundle.write(file, "");
    const BundleReading reading = bundle.read();
    ASSERT_THAT(reading.plugins, SizeIs(1));
    EXPECT_EQ(reading.plugins[0].host_artifact, fs::canonical(bundle.folder / row.found));
  }
}

TEST(BundleFiles, NamesBothPlacesOfAHostLibraryThatIsMissing) {
  EXPECT_THAT(TwoTargets("", "").read().findings, ElementsAre(finding("not-found", "manifest.json#/plugins/0/host_artifact",
                                                                      "neither host_artifact (not given) nor 'a.so'")));
  const TwoTargets named("", R"(, "host_artifact": "b.so")");
  EXPECT_THAT(named.read().findings,
              ElementsAre(finding("not-found", "host_artifact", "neither host_artifact ('b.so') nor 'a.so'")));
  const TwoTargets differing(R"(, "host_artifact": "b.so")", R"(, "host_artifact": "c.so")");
  EXPECT_THAT(differing.read().findings,
              ElementsAre(finding("mismatch", "host_artifact", "'b.so' here and 'c.so' in the sidecar")));
}

TEST(BundleFiles, FilesMustBeThere) {
  const Bundle bundle(entry("a"));
  EXPECT_THAT(bundle.read().findings, ElementsAre(finding("not-found", "manifest.json#/plugins/0/artifact", "'a.so'"),
                                                  finding("not-found", "manifest.json#/plugins/0/sidecar", "'a.json'")));
  bundle.add("a");
  EXPECT_THAT(bundle.read().findings, IsEmpty());
  fs::remove(bundle.folder / "a.so");
  fs::create_directory(bundle.folder / "a.so");
  EXPECT_THAT(bundle.read().findings, ElementsAre(finding("not-found", "#/plugins/0/artifact", "no regular file")));
  fs::remove(bundle.folder / "a.so");
  ASSERT_EQ(::mkfifo((bundle.folder / "a.so").c_str(), 0600), 0);
  EXPECT_THAT(bundle.read().findings, ElementsAre(finding("not-found", "#/plugins/0/artifact", "no regular file")));
}

TEST(BundleFiles, ASidecarThatCannotBeReadIsAFinding) {
  const Bundle bundle(entry("a"));
  bundle.add("a");
  bundle.write("a.json", std::string((4 << 20) + 1, ' '));
  EXPECT_THAT(bundle.read().findings,
              ElementsAre(finding("unreadable", "manifest.json#/plugins/0/sidecar", "at most 4194304")));
}

std::string entries_of_one_plugin(int count) {
  std::string entries;
  for (int k = 0; k < count; ++k)
    entries += (k == 0 ? "" : ", ") + with(entry("a"), R"("id": "a")", R"("id": "a)" + std::to_string(k) + '"');
  return entries;
}

/// However often the same file is named.
TEST(BundleFiles, TheSidecarsOfABundleAreBoundedTogether) {
  const Bundle bundle(entries_of_one_plugin(20));
  bundle.add("a");
  std::string sidecar = read_bytes(bundle.folder / "a.json");
  sidecar += std::string((4 << 20) - sidecar.size(), ' ');
  bundle.write("a.json", sidecar);
  const BundleReading reading = bundle.read();
  EXPECT_THAT(reading.plugins, SizeIs(16));
  EXPECT_THAT(reading.findings, SizeIs(4));
  EXPECT_THAT(reading.findings.front(), finding("unreadable", "#/plugins/16/sidecar", "at most 0 are read"));
}

TEST(BundleFiles, AManifestHasAThousandPluginsAtMost) {
  const Bundle bundle(entries_of_one_plugin(1025));
  bundle.add("a");
  EXPECT_THAT(bundle.read().findings,
              ElementsAre(finding("bad-value", "manifest.json#/plugins", "has 1025 entries: at most 1024")));
  EXPECT_THAT(bundle.read().plugins, IsEmpty());
}

TEST(BundleFiles, FindingsAreBounded) {
  std::string entries;
  for (int k = 0; k < 1000; ++k)
    entries += (k ? ", " : "") + std::string(R"({"id": ")") + std::string(4000, 'i') + R"(", "order": "0"})";
  const eagle::Findings findings = Bundle(entries).read().findings;
  EXPECT_THAT(findings, SizeIs(1001));
  EXPECT_THAT(findings.back(), finding("too-many", "manifest.json", "mend these first"));
  for (const eagle::Finding& each : findings) EXPECT_LE(to_string(each).size(), 2500);
}

TEST(BundleFiles, FindingsAboutArtifactsAreBoundedWithTheOthers) {
  const Bundle bundle(entries_of_one_plugin(1024));
  bundle.add("a");  // whose library is empty
  const eagle::Findings findings = eagle::check(bundle.folder.path());
  EXPECT_THAT(findings, SizeIs(1001));
  EXPECT_THAT(findings.front(), finding("format", "a.so", "is empty"));
  EXPECT_THAT(findings.back(), finding("too-many", "manifest.json", "mend these first"));
}

/// A link that alternates between a file inside and one outside, while the bundle is read: what is read is inside, or refused.
TEST(BundleFiles, NoLinkLeadsOutWhileItChanges) {
  const TemporaryFolder outside;
  const Bundle bundle(entry("a"));
  bundle.add("a");
  fs::rename(bundle.folder / "a.json", bundle.folder / "inside.json");
  write_bytes(outside / "a.json", "outside");
  fs::create_symlink("inside.json", bundle.folder / "a.json");
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const fs::path link = bundle.folder / "a.json";
    while (!stop) {
      fs::create_symlink(outside / "a.json", bundle.folder / "out");
      fs::rename(bundle.folder / "out", link);
      fs::create_symlink("inside.json", bundle.folder / "in");
      fs::rename(bundle.folder / "in", link);
    }
  });
  int refused = 0;
  for (int k = 0; k < 2000; ++k) {
    const BundleReading reading = bundle.read();
    for (const auto& each : reading.findings) {
      EXPECT_EQ(each.code, "path") << each.message;
      ++refused;
    }
  }
  stop = true;
  writer.join();
  EXPECT_GT(refused, 0) << "the link never led out while it was read";
  EXPECT_LT(refused, 2000);
}

TEST(BundleFiles, NoLinkLeadsOutOfIt) {
  const TemporaryFolder outside;
  for (const char* file : {"a.so", "a.json"}) {
    const Bundle bundle(entry("a"));
    bundle.add("a");
    fs::rename(bundle.folder / file, outside / file);
    fs::create_symlink(outside / file, bundle.folder / file);
    const std::string key = file == std::string("a.so") ? "artifact" : "sidecar";
    EXPECT_THAT(bundle.read().findings,
                ElementsAre(finding("path", "manifest.json#/plugins/0/" + key, "leads out of the bundle")));
    EXPECT_THAT(bundle.read().plugins, IsEmpty());
  }
  {
    const Bundle bundle(entry("a"));
    bundle.add("a");
    fs::rename(bundle.folder / "manifest.json", outside / "manifest.json");
    fs::create_symlink(outside / "manifest.json", bundle.folder / "manifest.json");
    EXPECT_THAT(bundle.read().findings, ElementsAre(finding("path", "manifest.json#", "leads out of the bundle")));
    EXPECT_THAT(bundle.read().plugins, IsEmpty());
  }
  const Bundle folder(with(entry("a"), "a.so", "lib/a.so"));
  folder.add("a");
  fs::create_directory_symlink(outside.path(), folder.folder / "lib");
  EXPECT_THAT(folder.read().findings, ElementsAre(finding("path", "#/plugins/0/artifact", "leads out of the bundle")));
  const TwoTargets library("", "");
  fs::create_symlink(outside / "a.so", library.folder / "a.so");
  EXPECT_THAT(library.read().findings, ElementsAre(finding("path", "#/plugins/0/host_artifact", "leads out of the bundle")));
}

TEST(BundleFiles, NoLinkLeadsToANameThatIsNotPrintable) {
  const Bundle bundle(entry("a"));
  bundle.add("a");
  fs::rename(bundle.folder / "a.so", bundle.folder / "a\nb.so");
  fs::create_symlink("a\nb.so", bundle.folder / "a.so");
  EXPECT_THAT(bundle.read().findings,
              ElementsAre(finding("path", "artifact", "'a.so' leads to 'a\\x0ab.so': a name of printable")));
}

TEST(BundleFiles, AFolderWhoseNameOnlyBeginsLikeTheBundlesIsOutside) {
  const TemporaryFolder parent;
  fs::create_directory(parent / "bundle");
  fs::create_directory(parent / "bundle_of_others");
  write_bytes(parent / "bundle_of_others/a.so", "");
  write_bytes(parent / "bundle/manifest.json", "{" + axis + R"(, "plugins": [)" + entry("a") + "]}");
  write_bytes(parent / "bundle/a.json", "{" + axis + R"(, "kernel": "a", "arg_spec": []})");
  fs::create_symlink("../bundle_of_others/a.so", parent / "bundle/a.so");
  EXPECT_THAT(eagle::read_bundle(parent / "bundle").findings,
              ElementsAre(finding("path", "artifact", "leads out of the bundle")));
}

TEST(BundleFiles, LinksInsideAndToItAreFollowed) {
  const Bundle bundle(entry("a"));
  bundle.add("a");
  fs::create_directory(bundle.folder / "store");
  fs::rename(bundle.folder / "a.so", bundle.folder / "store/1.so");
  fs::create_symlink("store/1.so", bundle.folder / "a.so");
  const TemporaryFolder elsewhere;
  fs::create_directory_symlink(bundle.folder.path(), elsewhere / "link");
  for (const fs::path& path : {bundle.folder.path(), elsewhere / "link", elsewhere / "link/manifest.json"}) {
    const BundleReading reading = eagle::read_bundle(path);
    ASSERT_THAT(reading.plugins, SizeIs(1)) << path;
    EXPECT_EQ(reading.plugins[0].artifact, fs::canonical(bundle.folder / "store/1.so"));
  }
}

TEST(BundleFiles, TakesARelativePath) {
  const Bundle bundle(entry("a"));
  bundle.add("a");
  const fs::path before = fs::current_path();
  fs::current_path(bundle.folder.path());
  const BundleReading here = eagle::read_bundle("manifest.json");
  const BundleReading dot = eagle::read_bundle(".");
  fs::current_path(before);
  for (const BundleReading* reading : {&here, &dot}) {
    ASSERT_THAT(reading->plugins, SizeIs(1));
    EXPECT_EQ(reading->plugins[0].manifest, fs::canonical(bundle.folder / "manifest.json"));
  }
}

TEST(BundleFiles, WithoutAManifestIsAnError) {
  const TemporaryFolder folder;
  const auto read = [](const fs::path& path) { return [path] { (void)eagle::read_bundle(path); }; };
  EXPECT_THAT(support::refusal(eagle::Code::not_found, read(folder.path())), HasSubstr("manifest.json"));
  EXPECT_THAT(support::refusal(eagle::Code::not_found, read(folder / "none")), HasSubstr("none"));
  write_bytes(folder / "manifest.json", "[1]");
  EXPECT_THAT(eagle::read_bundle(folder.path()).findings,
              ElementsAre(finding("wrong-type", "manifest.json#", "a manifest must be an object")));
  write_bytes(folder / "manifest.json", "{,}");
  EXPECT_THAT(eagle::read_bundle(folder.path()).findings, ElementsAre(finding("json", "manifest.json#", "line 1, column 2")));
}

}  // namespace
