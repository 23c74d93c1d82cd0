// SPDX-License-Identifier: Apache-2.0
// Reads of PTX what a driver's user sees: kernels, their parameters, and global variables with their values.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <format>

#include "images.hpp"
#include "state.hpp"

namespace stand_in {
namespace {

constexpr bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '%';
}

/// Words and single marks, without comments and strings.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  const auto end_of = [&](std::string_view mark, std::size_t from) {
    return std::min(text.find(mark, from), text.size() - mark.size()) + mark.size();
  };
  for (std::size_t k = 0; k < text.size();) {
    if (text.substr(k).starts_with("//")) k = end_of("\n", k);
    else if (text.substr(k).starts_with("/*")) k = end_of("*/", k);
    else if (text[k] == '"') k = end_of("\"", k + 1);
    else if (std::isspace(static_cast<unsigned char>(text[k]))) ++k;
    else {
      std::size_t end = k + 1;
      while (is_word(text[k]) && end < text.size() && is_word(text[end])) ++end;
      tokens.push_back(text.substr(k, end - k));
      k = end;
    }
  }
  return tokens;
}

std::size_t number(std::string_view token) { return std::strtoull(std::string(token).c_str(), nullptr, 0); }

/// A variable: ".align 8 .b8 name[40]", whichever of it is there.
struct Variable {
  std::string name;
  std::size_t align = 0, width = 0, count = 1;
  bool open = false;  ///< name[], as long as its values
  std::size_t bytes() const { return width * count; }
};

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(tokens_of(text)) {}

  Content read() {
    check_balance();
    check_header();
    while (at_ < tokens_.size()) {
      const std::string_view token = next();
      if (token == ".entry") read_entry();
      else if (token == ".func") skip_to_body(), skip_body();
      else if (token == ".global" || token == ".const") read_global();
      else if (token == "{") --at_, skip_body();
    }
    return std::move(content_);
  }

 private:
  [[noreturn]] static void refuse(int result, const std::string& why) {
    throw Refusal{result, std::format("ptxas application ptx input, line 1; fatal   : {}", why)};
  }

  std::string_view peek() const { return at_ < tokens_.size() ? tokens_[at_] : std::string_view(); }
  std::string_view next() { return at_ < tokens_.size() ? tokens_[at_++] : std::string_view(); }
  bool take(std::string_view token) { return peek() == token && ++at_ != 0; }

  void check_balance() const {
    for (const auto& [open, close] : {std::pair("{", "}"), std::pair("(", ")"), std::pair("[", "]")})
      if (std::ranges::count(tokens_, open) != std::ranges::count(tokens_, close))
        refuse(invalid_ptx, std::format("Parsing error near '{}': syntax error", close));
  }

  std::string_view after(std::string_view directive) const {
    const auto found = std::ranges::find(tokens_, directive);
    if (found == tokens_.end() || found + 1 == tokens_.end())
      refuse(invalid_ptx, std::format("Missing {} directive", directive));
    return *(found + 1);
  }

  void check_header() const {
    const std::string version(after(".version"));
    int major = 0, minor = 0;
    if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2) refuse(invalid_ptx, "Malformed .version directive");
    const int cuda = state().settings.version;  // CUDA 12.0 has PTX 8.0, CUDA 13.0 PTX 9.0
    if (std::pair(major, minor) > std::pair(cuda / 1000 - 4, cuda % 1000 / 10))
      refuse(unsupported_ptx_version,
             std::format("Unsupported .version {}; current version is '{}.{}'", version, cuda / 1000 - 4, cuda % 1000 / 10));
    const std::string_view target = after(".target");
    const int capability = 10 * attribute(75) + attribute(76);
    if (!target.starts_with("sm_")) refuse(invalid_ptx, std::format("Unknown .target '{}'", target));
    if (std::atoi(std::string(target.substr(3)).c_str()) > capability)
      refuse(invalid_ptx, std::format("SM version specified by .target {} is higher than default SM version assumed", target));
  }

  Variable read_variable() {
    Variable variable;
    std::size_t vector = 1;
    for (; !peek().empty() && peek().starts_with('.'); next()) {
      const std::string_view token = peek();
      if (token == ".align") variable.align = number(tokens_.at(++at_));
      else if (token == ".pred") variable.width = 1;
      else if (token.size() == 3 && token[1] == 'v') vector = number(token.substr(2));
      else if (token.size() >= 3 && std::string_view("busf").find(token[1]) != std::string_view::npos && std::isdigit(token[2]))
        variable.width = number(token.substr(2)) / 8;
    }
    variable.width *= vector;
    variable.align = std::max({variable.align, variable.align == 0 ? variable.width : 1, std::size_t{1}});
    variable.name = next();
    while (take("[")) {
      variable.open |= peek() == "]";
      if (peek() != "]") variable.count *= number(next());
      next();
    }
    return variable;
  }

  void read_entry() {
    Kernel kernel;
    kernel.name = next();
    std::size_t offset = 0;
    if (take("("))
      while (!take(")") && at_ < tokens_.size()) {
        if (next() != ".param") continue;
        const Variable variable = read_variable();
        offset = (offset + variable.align - 1) / variable.align * variable.align;
        kernel.parameters.push_back({offset, variable.bytes()});
        offset += variable.bytes();
      }
    for (; at_ < tokens_.size() && peek() != "{" && peek() != ";"; next())
      if (peek() == ".maxntid") kernel.max_threads = static_cast<int>(number(tokens_.at(at_ + 1)));
    if (peek() != "{") return;
    skip_body();
    content_.kernels.push_back(std::move(kernel));
  }

  void skip_to_body() {
    while (at_ < tokens_.size() && peek() != "{" && peek() != ";") next();
  }

  void skip_body() {
    if (!take("{")) return;
    for (int open = 1; open > 0 && at_ < tokens_.size();) {
      const std::string_view token = next();
      open += token == "{" ? 1 : token == "}" ? -1 : 0;
    }
  }

  void read_global() {
    Variable variable = read_variable();
    std::vector<std::size_t> values;
    if (take("="))
      for (; at_ < tokens_.size() && peek() != ";"; next())
        if (std::isdigit(static_cast<unsigned char>(peek()[0]))) values.push_back(number(peek()));
    if (variable.open) variable.count = values.size();
    Global global{variable.name, std::vector<std::byte>(variable.bytes())};
    for (std::size_t k = 0; k < values.size() && (k + 1) * variable.width <= global.bytes.size(); ++k)
      std::memcpy(global.bytes.data() + k * variable.width, &values[k], std::min(variable.width, sizeof values[k]));
    if (variable.bytes() > 0) content_.globals.push_back(std::move(global));
  }

  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  Content content_;
};

}  // namespace

Content read_ptx(std::string_view text) {
  Content content = Reader(text).read();
  content.file = text;
  return content;
}

}  // namespace stand_in
