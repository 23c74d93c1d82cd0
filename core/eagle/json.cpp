// SPDX-License-Identifier: Apache-2.0
#include <eagle/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <system_error>

#include <eagle/text.hpp>
#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>

namespace eagle::detail::json {
namespace {

/// Builds the tree from the reader's events and says why when it stops it.
class Builder {
 public:
  bool Null() { return put({nullptr}); }
  bool Bool(bool b) { return put({b}); }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  /// Every number, converted here: RapidJSON 1.1 reads 0e300 as 1.3e300.
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const char* end = text + size;
    const auto is = [&](auto& value) {
      const auto [after, error] = std::from_chars(text, end, value);
      return after == end && error == std::errc();
    };
    std::int64_t whole = 0;
    if (is(whole)) return put({whole});
    std::uint64_t large = 0;
    if (is(large)) return put({large});
    double number = *text == '-' ? -0.0 : 0.0;  // what is too small becomes
    long double wider = 0;
    if (!is(number) && is(wider) && std::abs(wider) > 1) return stop("the number is too big to be stored in double");
    return put({number});
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return is_text({text, size}) && put({std::string(text, size)});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    Frame& frame = frames_.back();
    frame.key.assign(text, size);
    if (!is_text(frame.key)) {
      frame.key = printable(frame.key);
      return false;
    }
    return frame.keys.insert(frame.key).second || stop(fmt::format("the key {} is there twice", in_quotes(frame.key)));
  }
  bool StartObject() { return open({Object()}); }
  bool StartArray() { return open({Array()}); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  Value take() { return std::move(root_); }
  const std::string& why() const noexcept { return why_; }
  std::string pointer() const {
    std::string result;
    for (const Frame& frame : frames_) {
      if (const auto* array = frame.value.get<Array>()) result += step(array->size());
      else if (!frame.key.empty() || !frame.keys.empty()) result += step(frame.key);
    }
    return result;
  }

 private:
  struct Frame {
    Value value;
    std::string key;
    std::set<std::string> keys;  // not hashed: whoever writes a file can choose keys with one hash
  };

  bool stop(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool is_text(std::string_view text) {
    if (text.find('\0') != text.npos) return stop("NUL (\\u0000) is not accepted in a text");
    return is_utf8(text) || stop("half of a surrogate pair is no text");
  }

  /// Whether each byte belongs to a character. The reader has checked the bytes of the file, so that only escapes
  /// (\uD800 to \uDFFF, as bytes ED A0 80 to ED BF BF) can have brought in what is none.
  static bool is_utf8(std::string_view text) noexcept {
    for (std::size_t k = 0; k + 1 < text.size(); ++k)
      if (text[k] == '\xed' && static_cast<unsigned char>(text[k + 1]) >= 0xa0) return false;
    return true;
  }

  bool put(Value value) {
    if (frames_.empty()) root_ = std::move(value);
    else if (auto* array = std::get_if<Array>(&frames_.back().value.data)) array->push_back(std::move(value));
    else std::get<Object>(frames_.back().value.data).push_back({frames_.back().key, std::move(value)});
    return true;
  }

  bool open(Value value) {
    if (frames_.size() == most_depth) return stop(fmt::format("more than {} arrays and objects inside each other", most_depth));
    frames_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    Value value = std::move(frames_.back().value);
    frames_.pop_back();
    return put(std::move(value));
  }

  Value root_;
  std::vector<Frame> frames_;
  std::string why_;
};

[[noreturn]] void refuse(std::string_view text, std::size_t offset, std::string pointer, std::string_view why) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') + 1;
  throw SyntaxError(std::move(pointer),
                    fmt::format("line {}, column {} (byte {}): {}", line, before.size() - start + 1, offset, why));
}

template <class Writer>
void emit(Writer& writer, const Value& value) {
  const auto text = [&](const std::string& raw, bool is_key) {
    const std::string s = valid_utf8(raw);
    const auto size = static_cast<rapidjson::SizeType>(s.size());
    is_key ? writer.Key(s.c_str(), size) : writer.String(s.c_str(), size);
  };
  std::visit(
      [&]<class T>(const T& v) {
        if constexpr (std::is_same_v<T, std::nullptr_t>) writer.Null();
        else if constexpr (std::is_same_v<T, bool>) writer.Bool(v);
        else if constexpr (std::is_same_v<T, std::int64_t>) writer.Int64(v);
        else if constexpr (std::is_same_v<T, std::uint64_t>) writer.Uint64(v);
        else if constexpr (std::is_same_v<T, double>) std::isfinite(v) ? writer.Double(v) : writer.Null();
        else if constexpr (std::is_same_v<T, std::string>) text(v, false);
        else if constexpr (std::is_same_v<T, Array>) {
          writer.StartArray();
          for (const Value& each : v) emit(writer, each);
          writer.EndArray();
        } else {
          writer.StartObject();
          for (const Member& each : v) {
            text(each.key, true);
            emit(writer, each.value);
          }
          writer.EndObject();
        }
      },
      value.data);
}

template <class Writer>
std::string written(const Value& value) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  emit(writer, value);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

const Value* Value::find(std::string_view key) const noexcept {
  if (const auto* object = get<Object>())
    for (const Member& each : *object)
      if (each.key == key) return &each.value;
  return nullptr;
}

Value parse(std::string_view text) {
  if (text.size() > most_bytes)
    throw SyntaxError({}, fmt::format("{} bytes of JSON; at most {} are read", text.size(), most_bytes));
  if (text.starts_with("\xef\xbb\xbf"))
    refuse(text, 0, {}, "a byte order mark is not accepted: save the file as UTF-8 without one");
  if (const std::size_t nul = text.find('\0'); nul != text.npos) refuse(text, nul, {}, "a NUL byte is no text");
  constexpr unsigned flags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  Builder builder;
  const rapidjson::ParseResult result = reader.Parse<flags>(stream, builder);
  if (result.IsError())
    refuse(text, result.Offset(), builder.pointer(),
           builder.why().empty() ? rapidjson::GetParseError_En(result.Code()) : builder.why());
  return builder.take();
}

std::string write(const Value& value, bool pretty) {
  return pretty ? written<rapidjson::PrettyWriter<rapidjson::StringBuffer>>(value)
                : written<rapidjson::Writer<rapidjson::StringBuffer>>(value);
}

std::string step(std::string_view key) {
  std::string result = "/";
  for (const char c : key) {
    if (c == '~') result += "~0";
    else if (c == '/') result += "~1";
    else result += c;
  }
  return result;
}

std::string step(std::size_t index) { return fmt::format("/{}", index); }

std::string describe(const Value& value) {
  return std::visit(
      []<class T>(const T& v) -> std::string {
        if constexpr (std::is_same_v<T, std::nullptr_t>) return "null";
        else if constexpr (std::is_same_v<T, bool>) return v ? "true" : "false";
        else if constexpr (std::is_same_v<T, double>) return fmt::format("the number {}", write({v}));
        else if constexpr (std::is_same_v<T, std::string>) return fmt::format("the string {}", in_quotes(v));
        else if constexpr (std::is_same_v<T, Array>) return "an array";
        else if constexpr (std::is_same_v<T, Object>) return "an object";
        else return fmt::format("the integer {}", v);
      },
      value.data);
}

}  // namespace eagle::detail::json
