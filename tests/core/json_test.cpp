// SPDX-License-Identifier: Apache-2.0
// What is refused as JSON, seen through sidecars: "{}" is a valid one.
#include <eagle/sidecar.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include <eagle/error.hpp>

#include "support.hpp"
#include "temporary_folder.hpp"

namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::size_t most_bytes = 4 << 20;

std::string repeated(std::size_t times, const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < times; ++k) result += text;
  return result;
}

eagle::Findings validate(const std::string& text) {
  const TemporaryFolder folder;
  return eagle::validate_sidecar(write_bytes(folder / "a.json", text));
}

struct Refused {
  std::string text;
  std::string words;
  std::string pointer = "a.json#";
};

void expect_refused(const std::vector<Refused>& table) {
  for (const Refused& row : table) {
    SCOPED_TRACE(row.text.substr(0, 80));
    EXPECT_THAT(validate(row.text),
                ElementsAre(testing::AllOf(Field(&eagle::Finding::code, "json"), Field(&eagle::Finding::pointer, row.pointer),
                                           Field(&eagle::Finding::message, HasSubstr(row.words)))));
  }
}

TEST(Json, RefusesWhatIsNoJson) {
  expect_refused({
      {"", "empty"},
      {" \n", "empty"},
      {"{", "Missing a name for object member"},
      {"{\"a\": 1", "Missing a comma or '}' after", "a.json#/a"},
      {"{\"a\": 1,}", "line 1, column 9 (byte 8): Missing a name for object member", "a.json#/a"},
      {"{\"a\": [1,]}", "Invalid value", "a.json#/a/1"},
      {"{\"a\" 1}", "Missing a colon", "a.json#/a"},
      {"{'a': 1}", "Missing a name"},
      {"{a: 1}", "Missing a name"},
      {"{} {}", "must not be followed by other values"},
      {"{}x", "must not be followed by other values"},
      {"{} // end", "must not be followed by other values"},
      {"/* start */ {}", "Invalid value"},
      {"{\"a\": /* in */ 1}", "Invalid value", "a.json#/a"},
      {"{\"a\": True}", "Invalid value", "a.json#/a"},
      {"{\"a\": \"x\ny\"}", "Invalid", "a.json#/a"},
      {"{\"a\": \"x\ty\"}", "Invalid", "a.json#/a"},
      {"{\"a\": \"\\x41\"}", "Invalid escape", "a.json#/a"},
  });
}

TEST(Json, RefusesNumbersThatAreNone) {
  for (const char* number : {"NaN", "nan", "Infinity", "-Infinity", "inf", "01", "+1", ".5", "1.", "1e", "0x10", "1e400",
                             "-1e400", "1.8e308", "-1.8e308"}) {
    SCOPED_TRACE(number);
    EXPECT_THAT(validate(std::string("{\"a\": ") + number + "}"), ElementsAre(Field(&eagle::Finding::code, "json")));
  }
}

TEST(Json, RefusesKeysTwiceAtEveryLevel) {
  expect_refused({
      {R"({"a": 1, "b": 2, "a": 1})", "the key 'a' is there twice", "a.json#/a"},
      {R"({"a": 1, "\u0061": 1})", "the key 'a' is there twice", "a.json#/a"},
      {R"({"a": {"b": {"c": 1, "c": 2}}})", "the key 'c' is there twice", "a.json#/a/b/c"},
      {R"({"a": [0, [{"b": 1}, {"b": 1, "x": {}, "b": 1}]]})", "the key 'b' is there twice", "a.json#/a/1/1/b"},
      {R"({"": 1, "": 1})", "the key '' is there twice", "a.json#/"},
      {R"({"m/n~": {"k": 1, "k": 1}})", "the key 'k' is there twice", "a.json#/m~1n~0/k"},
  });
}

TEST(Json, RefusesTextThatIsNoUtf8) {
  for (const char* bytes :
       {"\x80", "\xc0\xaf", "\xc2", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xf0\x9f\x98"}) {
    SCOPED_TRACE(bytes);
    EXPECT_THAT(validate(std::string("{\"a\": \"x") + bytes + "\"}"), ElementsAre(Field(&eagle::Finding::code, "json")));
    EXPECT_THAT(validate(std::string("{\"x") + bytes + "\": 1}"), ElementsAre(Field(&eagle::Finding::code, "json")));
  }
  for (const char* escape : {"\\ud800", "\\ud800x", "\\ud800\\ud800", "\\udc00", "\\udfff", "\\udc00\\ud800"}) {
    SCOPED_TRACE(escape);
    EXPECT_THAT(validate(std::string("{\"a\": \"") + escape + "\"}"), ElementsAre(Field(&eagle::Finding::code, "json")));
  }
  EXPECT_THAT(validate("{\"\xc3\xa9\": \"\xf0\x9f\x98\x80 \\ud83d\\ude00 \xed\x9f\xbf\"}"), IsEmpty());
}

TEST(Json, RefusesMarksAndNul) {
  expect_refused({
      {"\xef\xbb\xbf{}", "byte order mark"},
      {"\xff\xfe{}", "Invalid value"},
      {std::string("{\"a\": 1}\0", 9), "NUL"},
      {std::string("\0{}", 3), "NUL"},
      {std::string("{}\0{\"pattern\": 3}", 17), "byte 2"},
      {"{\"kernel\": \"a\\u0000b\"}", "NUL", "a.json#/kernel"},
      {"{\"a\\u0000b\": 1}", "NUL", "a.json#/a\\x00b"},
  });
}

TEST(Json, NamesLineAndColumn) {
  expect_refused({{"{\n  \"a\": 1,\n  \"b\": [1, x]\n}", "line 3, column 12 (byte 23): Invalid value", "a.json#/b/1"}});
}

TEST(Json, LimitsDepthAndSize) {
  expect_refused({
      {repeated(100000, "["), "more than 64", "a.json#" + repeated(64, "/0")},
      {repeated(100000, "{\"a\":"), "more than 64", "a.json#" + repeated(64, "/a")},
      {"{\"a\":" + repeated(64, "[") + repeated(64, "]") + "}", "more than 64", "a.json#/a" + repeated(63, "/0")},
  });
  EXPECT_THAT(validate("{\"a\":" + repeated(63, "[") + repeated(63, "]") + "}"), IsEmpty());
  EXPECT_THAT(validate("{}" + std::string(most_bytes - 2, ' ')), IsEmpty());
}

TEST(Json, ReadsManyKeysInGoodTime) {
  std::string text = "{\"k\": 0";
  for (int k = 0; k < 200000; ++k) text += ",\"k" + std::to_string(k) + "\": 0";
  EXPECT_THAT(validate(text + "}"), IsEmpty());
}

/// Texts of 16 bytes that have one std::hash in libstdc++, whose seed is fixed: 8 bytes that differ, and 8 that make up for
/// them.
std::vector<std::string> texts_of_one_hash(std::size_t count) {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995, seed = 0xc70f6907;
  std::uint64_t inverse = 1;
  for (int k = 0; k < 6; ++k) inverse *= 2 - factor * inverse;
  const auto mix = [](std::uint64_t v) { return v ^ (v >> 47); };  // twice is none
  std::vector<std::string> texts;
  for (std::uint64_t k = 0; texts.size() < count; ++k) {
    std::string text(16, 'A');
    for (unsigned place = 0; place < 8; ++place) text[place] = static_cast<char>('A' + (k >> 4 * place & 15));
    std::uint64_t first = 0;
    std::memcpy(&first, text.data(), 8);
    const std::uint64_t state = (seed ^ (16 * factor) ^ (mix(first * factor) * factor)) * factor;
    const std::uint64_t second = mix(state * inverse) * inverse;
    std::memcpy(text.data() + 8, &second, 8);
    if (std::ranges::all_of(text, [](char c) { return c > 0; })) texts.push_back(text);  // one byte a character, no NUL
  }
  return texts;
}

/// Seconds that it takes to read an object with those keys.
double seconds_to_read(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    text += (text.empty() ? "{\"" : ",\"") + key.substr(0, 8);
    for (const char c : key.substr(8)) text += std::string("\\u00") + "01234567"[c / 16] + "0123456789abcdef"[c % 16];
    text += "\":0";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(validate(text + "}"), IsEmpty());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Json, ReadsKeysOfOneHashAsFastAsOthers) {
  constexpr std::size_t count = 65000;
  const std::vector<std::string> chosen = texts_of_one_hash(count);
  std::vector<std::string> others = chosen;
  for (std::size_t k = 0; k < count; ++k) others[k].back() = static_cast<char>('a' + k % 26);
  const std::hash<std::string> hash;
  if (!std::ranges::all_of(chosen, [&](const std::string& each) { return hash(each) == hash(chosen[0]); }))
    GTEST_SKIP() << "this standard library hashes texts in another way";
  EXPECT_LT(seconds_to_read(chosen), 10 * seconds_to_read(others) + 0.5);
}

TEST(Json, TakesNoOtherRootThanAnObject) {
  for (const char* text : {"[]", "3", "\"x\"", "null", "true"})
    EXPECT_THAT(validate(text), ElementsAre(Field(&eagle::Finding::message, HasSubstr("a sidecar must be an object"))));
}

TEST(Json, TellsIntegersFromOtherNumbers) {
  for (const char* number : {"1.0", "1e0", "10e-1", "1E0", "18446744073709551616", "-9223372036854775809"}) {
    SCOPED_TRACE(number);
    EXPECT_THAT(validate(std::string("{\"schema_version\": ") + number + "}"),
                ElementsAre(Field(&eagle::Finding::code, "wrong-type")));
  }
  EXPECT_THAT(validate("{\"schema_version\": 1}"), IsEmpty());
}

TEST(Json, ReadsRegularFilesOnly) {
  const TemporaryFolder folder;
  const auto read = [](const std::filesystem::path& path) { return [path] { (void)eagle::validate_sidecar(path); }; };
  EXPECT_THAT(support::refusal(eagle::Code::not_found, read(folder / "none.json")), HasSubstr("none.json"));
  write_bytes(folder / "file", "{}");
  support::refusal(eagle::Code::not_found, read(folder / "file/a.json"));
  EXPECT_THAT(support::refusal(eagle::Code::io, read(folder.path())), HasSubstr("no regular file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(support::refusal(eagle::Code::io, read(folder / "pipe")), HasSubstr("no regular file"));
  EXPECT_THAT(support::refusal(eagle::Code::io, read("/dev/zero")), HasSubstr("no regular file"));
  write_bytes(folder / "large", "{}" + std::string(most_bytes - 1, ' '));
  EXPECT_THAT(support::refusal(eagle::Code::io, read(folder / "large")), HasSubstr("at most 4194304"));
}

TEST(Json, FindingsAreValidUtf8WhateverTheyHold) {
  const std::pair<std::string, std::string> rows[] = {
      {"plain \t \"", R"(plain \t \")"},
      {"\xff", R"(\\xff)"},
      {"a\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x85", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x85"},
      {"\xe2\x82", R"(\\xe2\\x82)"},           // cut off
      {"\xc0\xaf", R"(\\xc0\\xaf)"},           // overlong
      {"\xe0\x80\xaf", R"(\\xe0\\x80\\xaf)"},  // overlong
      {"\xed\xa0\x80", R"(\\xed\\xa0\\x80)"},  // half of a surrogate pair
      {"\xf4\x90\x80\x80", R"(\\xf4\\x90\\x80\\x80)"},
  };
  for (const auto& [bytes, written] : rows)
    EXPECT_THAT(eagle::to_json({{"code", bytes, bytes, bytes}}), HasSubstr("\"message\": \"" + written + "\"")) << written;
  EXPECT_THAT(to_string(eagle::Finding{"code", "", "p", "\xff\x1b\xc2\x9b"}), HasSubstr(R"(\xff\x1b\x9b)"));
}

TEST(Json, MessagesCarryNoControlCharacters) {
  const eagle::Findings findings = validate("{\"pattern\": \"\\u001b[31m\\u0085\", \"arg_widths\": {\"\\u001b\": 0}}");
  ASSERT_THAT(findings, SizeIs(2));
  for (const eagle::Finding& finding : findings) EXPECT_THAT(to_string(finding), Not(HasSubstr("\x1b")));
  EXPECT_THAT(findings[0].message, HasSubstr("'\\x1b[31m\\x85'"));
  EXPECT_THAT(findings[1].pointer, HasSubstr("#/arg_widths/\x1b"));
  const eagle::Findings longer = validate("{\"pattern\": \"" + std::string(1000, 'x') + "\"}");
  ASSERT_THAT(longer, SizeIs(1));
  EXPECT_LT(longer[0].message.size(), 300U);
}

}  // namespace
