// SPDX-License-Identifier: Apache-2.0
#include <eagle/reader.hpp>

#include <eagle/file.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

template <class T>
constexpr std::string_view kind = "";
template <>
constexpr std::string_view kind<bool> = "true or false";
template <>
constexpr std::string_view kind<std::int64_t> = "an integer";
template <>
constexpr std::string_view kind<std::string> = "a string";
template <>
constexpr std::string_view kind<json::Array> = "a list";
template <>
constexpr std::string_view kind<json::Object> = "an object";

constexpr std::size_t longest = 1000;  // of what a finding names

}  // namespace

void Report::add(std::string_view code, std::string_view pointer, std::string message) {
  add({std::string(code), plugin_, fmt::format("{}#{}", cut(file_, longest), cut(pointer, longest)), std::move(message)});
}

void Report::add(Finding finding) {
  finding.plugin = cut(finding.plugin, longest);
  finding.message = cut(finding.message, 4 * longest);
  findings_.push_back(std::move(finding));
  if (findings_.size() >= most_findings) throw Full();
}

std::optional<json::Value> parse_json(std::string_view text, Report& report) {
  try {
    return json::parse(text);
  } catch (const json::SyntaxError& error) {
    report.add("json", error.pointer(), error.what());
    return std::nullopt;
  }
}

std::optional<json::Value> read_json(const std::filesystem::path& path, Report& report) {
  return parse_json(read_file(path, json::most_bytes), report);
}

const json::Value* Reader::find(std::string_view key) const noexcept {
  const json::Value* member = object_.find(key);
  return member && !member->is_null() ? member : nullptr;
}

bool Reader::has(std::string_view key) const noexcept {
  const json::Value* member = find(key);
  if (!member) return false;
  if (const auto* text = member->get<std::string>()) return !text->empty();
  if (const auto* array = member->get<json::Array>()) return !array->empty();
  if (const auto* object = member->get<json::Object>()) return !object->empty();
  return true;
}

template <class T>
const T* Reader::get(std::string_view key, Need need) const {
  const json::Value* member = find(key);
  if (!member) {
    if (need == Need::required) refuse("missing-key", key, fmt::format("{} is missing: {} is needed", key, kind<T>));
    return nullptr;
  }
  const T* value = member->get<T>();
  if (!value) refuse("wrong-type", key, fmt::format("{} must be {}, not {}", key, kind<T>, json::describe(*member)));
  return value;
}

template const bool* Reader::get(std::string_view, Need) const;
template const std::int64_t* Reader::get(std::string_view, Need) const;
template const std::string* Reader::get(std::string_view, Need) const;
template const json::Array* Reader::get(std::string_view, Need) const;
template const json::Object* Reader::get(std::string_view, Need) const;

const std::string* Reader::text(std::string_view key, Need need) const {
  const auto* value = get<std::string>(key, need);
  if (!value || !value->empty()) return value;
  if (need == Need::required) refuse("bad-value", key, fmt::format("{} is empty: a non-empty '{}' is needed", key, key));
  return nullptr;
}

std::vector<Reader> Reader::objects(std::string_view key, Need need) const {
  std::vector<Reader> result;
  const auto* array = get<json::Array>(key, need);
  if (!array) return result;
  for (std::size_t k = 0; k < array->size(); ++k) {
    const json::Value& element = (*array)[k];
    if (element.get<json::Object>()) result.emplace_back(element, report_, pointer_ + json::step(key) + json::step(k));
    else
      refuse("wrong-type", key, fmt::format("{}[{}] must be an object, not {}", key, k, json::describe(element)),
             std::to_string(k));
  }
  return result;
}

const std::string* Reader::name(std::string_view key, Need need) const {
  const std::string* value = text(key, need);
  return value && is_name(*value, key) ? value : nullptr;
}

bool Reader::is_name(std::string_view text, std::string_view key, std::string_view more) const {
  constexpr std::size_t most = 1024;
  if (text.size() <= most && printable(text) == text) return true;
  refuse("bad-value", key,
         fmt::format("{} {} is no name: at most {} bytes of printable characters are accepted", key, in_quotes(text), most),
         more);
  return false;
}

void Reader::refuse(std::string_view code, std::string_view key, std::string message, std::string_view more) const {
  report_.add(code, pointer_ + json::step(key) + (more.empty() ? std::string() : json::step(more)), std::move(message));
}

}  // namespace eagle::detail
