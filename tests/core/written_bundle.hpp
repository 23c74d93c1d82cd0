// SPDX-License-Identifier: Apache-2.0
// Small bundles that tests write.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include <eagle/manifest.hpp>

#include "temporary_folder.hpp"

namespace written {

inline auto finding(const std::string& code, const std::string& pointer, const std::string& words) {
  return testing::AllOf(testing::Field(&eagle::Finding::code, code),
                        testing::Field(&eagle::Finding::pointer, testing::EndsWith(pointer)),
                        testing::Field(&eagle::Finding::message, testing::HasSubstr(words)));
}

/// The text with every `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

inline const std::string axis = R"("schema_version": 2, "pattern": "pure", "aether_abi": "aether-abi/2",
  "exec_targets": ["host"], "exec_access": "sample_local")";
inline const std::string two_axis = with(axis, R"(["host"])", R"(["device", "host"])");

inline std::string entry(const std::string& id, const std::string& more = {}, const std::string& order = "0") {
  return R"({"id": ")" + id + R"(", "order": )" + order + R"(, "enabled": true, "artifact": ")" + id + R"(.so", "sidecar": ")" +
         id + R"(.json", "format": "host")" + more + "}";
}

/// Writes a bundle of host plugins, each with a sidecar that takes one plane, and empty artifacts.
struct Bundle {
  TemporaryFolder folder;
  explicit Bundle(const std::string& plugins, const std::string& keys = axis) {
    write("manifest.json", "{" + keys + ", \"plugins\": [" + plugins + "]}");
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder / name).parent_path());
    write_bytes(folder / name, text);
  }
  void add(const std::string& id, const std::string& keys = axis) const {
    write(id + ".json", "{" + keys + R"(, "kernel": ")" + id + R"(", "per_sample": ["x"], "arg_spec": [["per_sample", "x"]]})");
    write(id + ".so", "");
  }
  eagle::BundleReading read() const { return eagle::read_bundle(folder.path()); }
};

/// A plugin for two targets, whose artifact is a.ptx; the host library is not there yet.
struct TwoTargets : Bundle {
  TwoTargets(const std::string& in_manifest, const std::string& in_sidecar)
      : Bundle(with(with(entry("a", in_manifest), "a.so", "a.ptx"), "\"host\"", "\"ptx\""), two_axis) {
    write("a.json", "{" + two_axis + R"(, "kernel": "a", "arg_spec": [])" + in_sidecar + "}");
    write("a.ptx", "");
  }
};

}  // namespace written
