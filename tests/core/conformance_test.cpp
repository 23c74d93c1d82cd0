// SPDX-License-Identifier: Apache-2.0
// Works through tests/data/conformance/rows.json: each row is a small edit of a valid manifest or sidecar.
#include <eagle/manifest.hpp>
#include <eagle/sidecar.hpp>

#include <gmock/gmock.h>
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <functional>

#include "temporary_folder.hpp"

namespace eagle {
void PrintTo(const Finding& finding, std::ostream* stream) { *stream << finding.code << " " << to_string(finding); }
}  // namespace eagle

namespace {

using rapidjson::Document;
using rapidjson::Value;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::filesystem::path data = EAGLE_TEST_DATA;

Document parsed(const std::string& text) {
  Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(text.c_str(), text.size());
  if (document.HasParseError()) throw std::runtime_error("test data is no JSON");
  return document;
}

std::string written(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return buffer.GetString();
}

const Document& table() {
  static const Document document = parsed(read_bytes(data / "conformance" / "rows.json"));
  return document;
}

/// The text of one of a row's documents, "manifest" or "sidecar", after the row's edits.
std::string text_of(const Value& row, const char* document) {
  std::string text = read_bytes(data / table()["bases"][row["base"].GetString()][document].GetString());
  if (row.HasMember("text") && row["text"][0] == document) {
    const std::string from = row["text"][1].GetString();
    text.replace(text.find(from), from.size(), row["text"][2].GetString());
  }
  if (!row.HasMember("edits")) return text;
  Document edited = parsed(text);
  for (const Value& edit : row["edits"].GetArray()) {
    if (edit[0] != document) continue;
    const rapidjson::Pointer place(edit[1].GetString());
    if (edit.Size() == 3) place.Set(edited, Value(edit[2], edited.GetAllocator()));
    else EXPECT_TRUE(place.Erase(edited)) << written(edit) << " removes nothing";
  }
  return written(edited);
}

/// Writes the row's bundle: its manifest, and for every plugin of the starting point the sidecar and empty artifacts.
void write_bundle(const Value& row, const TemporaryFolder& folder) {
  write_bytes(folder / "manifest.json", text_of(row, "manifest"));
  const Document base = parsed(read_bytes(data / table()["bases"][row["base"].GetString()]["manifest"].GetString()));
  for (const Value& plugin : base["plugins"].GetArray()) {
    write_bytes(folder / plugin["sidecar"].GetString(), text_of(row, "sidecar"));
    const std::filesystem::path artifact = folder / plugin["artifact"].GetString();
    write_bytes(artifact, "");
    write_bytes(std::filesystem::path(artifact).replace_extension(".so"), "");
  }
}

void expect_outcome(const Value& row, const eagle::Findings& findings) {
  if (!row.HasMember("refused")) {
    EXPECT_THAT(findings, IsEmpty()) << to_string(findings.front());
    return;
  }
  for (const Value& words : row["refused"].GetArray())
    EXPECT_THAT(findings, Contains(AllOf(Field(&eagle::Finding::code, row["code"].GetString()),
                                         Field(&eagle::Finding::pointer, EndsWith(row["at"].GetString())),
                                         Field(&eagle::Finding::message, HasSubstr(words.GetString())))));
  if (!row.HasMember("more")) {
    EXPECT_THAT(findings, SizeIs(1));
  }
}

/// Runs every row of a kind and returns how many there are.
int run_rows(const std::string& where, const std::function<void(const Value&, const TemporaryFolder&)>& run) {
  int rows = 0;
  for (const Value& row : table()["rows"].GetArray()) {
    if (row["where"] != where.c_str()) continue;
    SCOPED_TRACE(written(row));
    const TemporaryFolder folder;
    run(row, folder);
    ++rows;
  }
  return rows;
}

TEST(Conformance, SidecarsOnTheirOwn) {
  const int rows = run_rows("S", [](const Value& row, const TemporaryFolder& folder) {
    expect_outcome(row, eagle::validate_sidecar(write_bytes(folder / "kernel.json", text_of(row, "sidecar"))));
  });
  EXPECT_GT(rows, 100);
}

TEST(Conformance, ManifestsOnTheirOwn) {
  const int rows = run_rows("M", [](const Value& row, const TemporaryFolder& folder) {
    expect_outcome(row, eagle::validate_manifest(write_bytes(folder / "manifest.json", text_of(row, "manifest"))));
  });
  EXPECT_GT(rows, 50);
}

TEST(Conformance, BundlesToBeLaunched) {
  const int rows = run_rows("L", [](const Value& row, const TemporaryFolder& folder) {
    write_bundle(row, folder);
    const eagle::BundleReading reading = eagle::read_bundle(folder.path());
    expect_outcome(row, reading.findings);
    EXPECT_EQ(reading.plugins.empty(), row.HasMember("refused"));
  });
  EXPECT_GT(rows, 30);
}

}  // namespace
