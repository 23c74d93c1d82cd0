// SPDX-License-Identifier: Apache-2.0
#include <eagle/ptx.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include <eagle/bytes.hpp>
#include <eagle/image.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

constexpr std::string_view blank = " \t\r\n\v\f";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

std::string_view until_zero(std::string_view file) { return file.substr(0, file.find('\0')); }

/// Splits a text into words and single characters, without blanks, comments and quoted strings.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  /// The next token; empty at the end of the text.
  std::string_view next() {
    skip_blank();
    std::size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    return take(std::max<std::size_t>(length, 1));
  }

 private:
  void skip_blank() {
    for (;;) {
      take(std::min(rest_.find_first_not_of(blank), rest_.size()));
      if (rest_.starts_with("//")) take_through("\n", 2);
      else if (rest_.starts_with("/*")) take_through("*/", 2);
      else if (rest_.starts_with('"')) take_through("\"", 1);
      else return;
    }
  }

  void take_through(std::string_view end, std::size_t from) {
    const std::size_t found = rest_.find(end, from);
    take(found == std::string_view::npos ? rest_.size() : found + end.size());
  }

  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

class Ptx {
 public:
  Ptx(std::string_view text, Image& image) : tokens_(text), image_(image) {}

  void read() {
    for (std::string_view token = tokens_.next(); !token.empty(); token = tokens_.next()) {
      if (token == ".version") image_.ptx_version = need();
      else if (token == ".target") image_.architecture = need();
      else if (token == ".address_size") address_size();
      else if (token == ".entry") entry();
      else if (token == ".global" || token == ".const") variable();
      else if (token == "{" || token == "(") skip_group();
    }
  }

 private:
  std::string_view need() {
    const std::string_view token = tokens_.next();
    if (token.empty())
      throw Defect{"truncated", "the text ends inside a statement: the file is cut off, build or copy it again"};
    return token;
  }

  /// What stands between a bracket that has been read and the one that closes it.
  void skip_group() {
    for (std::uint64_t depth = 1; depth > 0;) {
      const char c = need().front();
      if (c == '{' || c == '(') ++depth;
      if (c == '}' || c == ')') --depth;
    }
  }

  void address_size() {
    const std::uint64_t bits = number(need());
    if (bits != 32 && bits != 64) malformed(fmt::format(".address_size is {}: 32 or 64 is accepted", bits));
    image_.bits = static_cast<int>(bits);
  }

  /// A kernel counts once its body has been read to the end.
  void entry() {
    const std::string_view kernel = need();
    for (std::string_view token = need(); token != ";"; token = need()) {
      if (token != "{" && token != "(") continue;
      skip_group();
      if (token == "(") continue;
      take_function(image_, kernel);
      return;
    }
  }

  /// [attributes] .type name [count] [= {values}] ;
  void variable() {
    std::string_view type, symbol;
    for (std::string_view token = need(); token != ";"; token = need()) {
      if (token == "{" || token == "(") skip_group();
      else if (token == "[" && lacks_export(image_, symbol)) return array(symbol, type);
      else if (token.front() == '.') type = token;
      else symbol = token;
    }
  }

  /// An initialiser leaves out zeros at its end.
  void array(std::string_view symbol, std::string_view type) {
    const std::uint64_t width = number(type.substr(std::min<std::size_t>(type.size(), 2))) / 8;
    const std::uint64_t count = number(need());
    constexpr std::uint64_t most = 4096;
    if (width == 0 || width > 8 || count > most / width)
      malformed(fmt::format("{} must be an array of integers with a given length", symbol));
    std::string bytes(width * count, '\0');
    std::uint64_t at = 0;
    for (std::string_view token = need(); token != ";"; token = need()) {
      if (token == "]" || token == "=" || token == "{" || token == "}" || token == ",") continue;
      if (at == bytes.size()) malformed(fmt::format("{} is given more values than it has", symbol));
      const std::uint64_t value = number(token);
      std::memcpy(bytes.data() + at, &value, width);
      at += width;
    }
    take_export(image_, symbol, bytes);
  }

  static std::uint64_t number(std::string_view token) {
    const int base = token.starts_with("0x") || token.starts_with("0X") ? 16 : 10;
    const std::string_view digits = token.substr(base == 16 ? 2 : 0);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    const std::string_view suffix = digits.substr(static_cast<std::size_t>(end - digits.data()));
    if (error != std::errc{} || !(suffix.empty() || suffix == "U"))
      malformed(fmt::format("{} is no number, and one is needed there", in_quotes(token)));
    return value;
  }

  [[noreturn]] static void malformed(std::string message) { throw Defect{"malformed", std::move(message)}; }

  Tokens tokens_;
  Image& image_;
};

}  // namespace

bool is_ptx(std::string_view file) noexcept { return Tokens(until_zero(file)).next() == ".version"; }

void read_ptx(std::string_view file, Image& image) {
  image.kind = ImageKind::ptx;
  image.bits = 32;  // where .address_size is left out
  Ptx(until_zero(file), image).read();
}

}  // namespace eagle::detail
