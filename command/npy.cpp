// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::npy {
namespace fs = std::filesystem;
using detail::Descriptor;
using detail::in_quotes;
using detail::refuse_file;

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_preamble = 12;
constexpr std::size_t longest_header = 1 << 20;
constexpr std::size_t most_axes = 64;

struct TypeCode {
  std::string_view code;
  DType dtype;
};
constexpr TypeCode type_codes[] = {{"<f8", DType::float64}, {"<f4", DType::float32}, {"<i8", DType::int64},
                                   {"<i4", DType::int32},   {"<u8", DType::uint64},  {"<u4", DType::uint32},
                                   {"|b1", DType::boolean}, {"|u1", DType::boolean}};

/// Reads the header's Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class Header {
 public:
  Header(const fs::path& path, std::string_view text) : path_(path), text_(text) {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") read_descr();
      else if (key == "fortran_order") read_order();
      else if (key == "shape") read_shape();
      else bad(fmt::format("has the unknown key {}", in_quotes(key)));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) bad("has text behind its dictionary");
    if (!dtype_ || !fortran_ || !shape_) bad("lacks one of 'descr', 'fortran_order' and 'shape'");
  }

  [[nodiscard]] DType dtype() const { return *dtype_; }
  [[nodiscard]] bool fortran() const { return *fortran_; }
  [[nodiscard]] const Extents& shape() const { return *shape_; }

 private:
  [[noreturn]] void bad(const std::string& why) const { refuse_file(path_, "the .npy header " + why); }

  void skip_space() {
    while (!text_.empty() && std::strchr(" \t\n", text_.front()) != nullptr && text_.front() != '\0') text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad(fmt::format("is no dictionary that NumPy writes ('{}' expected)", c));
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::string quoted() {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) bad("has a key or type that is no string");
    const char quote = text_.front();
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) bad("has a string without an end");
    std::string result(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return result;
  }

  void read_descr() {
    if (dtype_) bad("repeats 'descr'");
    skip_space();
    if (!text_.empty() && text_.front() == '[') bad("has a structured type: plain arrays are accepted");
    const std::string code = quoted();
    for (const TypeCode& each : type_codes)
      if (each.code == code) dtype_ = each.dtype;
    if (!dtype_)
      bad(fmt::format(
          "has type {}: float64, float32, int64, int32, uint64, uint32, bool and uint8 in little-endian order are accepted",
          in_quotes(code)));
  }

  void read_order() {
    if (fortran_) bad("repeats 'fortran_order'");
    if (accept_word("True")) fortran_ = true;
    else if (accept_word("False")) fortran_ = false;
    else bad("has a 'fortran_order' that is neither True nor False");
  }

  void read_shape() {
    if (shape_) bad("repeats 'shape'");
    shape_.emplace();
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) bad("has a shape that is no tuple of counts");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (text_.starts_with('L')) text_.remove_prefix(1);  // as Python 2 wrote it
      if (shape_->size() == most_axes) bad(fmt::format("has more than {} axes", most_axes));
      shape_->push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  const fs::path& path_;
  std::string_view text_;
  std::optional<DType> dtype_;
  std::optional<bool> fortran_;
  std::optional<Extents> shape_;
};

Extents column_major_strides(const Extents& shape) {
  Extents reversed(shape.rbegin(), shape.rend());
  Extents strides = row_major_strides(reversed);
  std::reverse(strides.begin(), strides.end());
  return strides;
}

/// Where the data starts, and the header's text.
std::pair<std::size_t, std::string_view> split(const fs::path& path, std::string_view bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < 10) refuse_file(path, "is no .npy file (its magic is missing)");
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    refuse_file(path, fmt::format(".npy format version {} is unknown: 1, 2 and 3 are accepted", major));
  const std::size_t width = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + width) refuse_file(path, "the .npy header is truncated");
  std::size_t length = 0;
  for (std::size_t k = 0; k < width; ++k) length |= std::size_t{static_cast<unsigned char>(bytes[8 + k])} << (8 * k);
  if (length > longest_header)
    refuse_file(path, fmt::format("the .npy header has {} bytes: at most {} are accepted", length, longest_header));
  if (bytes.size() < 8 + width + length) refuse_file(path, "the .npy header is truncated");
  return {8 + width + length, bytes.substr(8 + width, length)};
}

}  // namespace

Content content_of(const fs::path& path, std::string_view head, std::uint64_t size) {
  const auto [start, text] = split(path, head);
  const Header header(path, text);
  ArrayView array{nullptr, header.dtype(), header.shape(), {}, {}, false};
  std::uint64_t bytes = 0;
  try {
    bytes = static_cast<std::uint64_t>(checked_bytes(array.dtype, array.shape));
  } catch (const Error& e) {
    refuse_file(path, e.what());
  }
  array.strides = header.fortran() ? column_major_strides(array.shape) : row_major_strides(array.shape);
  if (bytes != size - start)
    refuse_file(path, fmt::format("holds {} bytes of data, and {} take {}", size - start, to_string(array), bytes));
  return {start, std::move(array)};
}

std::string header_of(const ArrayView& array, bool fortran) {
  std::string code;
  for (const TypeCode& each : type_codes)
    if (each.dtype == array.dtype && code.empty()) code = each.code;
  std::string shape;
  for (const std::int64_t extent : array.shape) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
  if (array.shape.size() == 1) shape += ",";
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", code, fortran ? "True" : "False", shape);
  const std::size_t preamble = magic.size() + 4;
  text.append(63 - (preamble + text.size()) % 64, ' ');
  text += '\n';
  std::string bytes(magic);
  bytes += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

File::File(const fs::path& path) {
  const Descriptor file = detail::open_file(path);
  const std::uint64_t size = detail::size_of(file, path);
  if (size == 0) refuse_file(path, "is no .npy file (it is empty)");
  std::string head(std::min<std::uint64_t>(size, longest_preamble + longest_header), '\0');
  detail::read_at(file, 0, head.data(), head.size(), path);
  auto [start, array] = content_of(path, head, size);
  try {
    const Array memory(array.dtype, {array.size()});
    memory_ = memory.storage();
    array.data = memory.view().data;
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("{}: {}", detail::printable(path.string()), e.what()));
  }
  view_ = std::move(array);
  detail::read_at(file, start, view_.data, size - start, path);
}

void Output::write(const ArrayView& array) const {
  ArrayView reversed = array;
  std::reverse(reversed.shape.begin(), reversed.shape.end());
  std::reverse(reversed.strides.begin(), reversed.strides.end());
  const bool fortran = !array.is_contiguous();
  if (fortran && !reversed.is_contiguous())
    throw Error(Code::internal, fmt::format("{}: an array with gaps cannot be written", detail::printable(path().string())));
  const std::string header = header_of(array, fortran);
  file_.write(header);
  file_.write({static_cast<const char*>(array.data), static_cast<std::size_t>(array.bytes())});
}

}  // namespace eagle::npy
