// SPDX-License-Identifier: Apache-2.0
#include "matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>

#include <eagle/error.hpp>

namespace example {
namespace {

struct Entry {
  std::int64_t row, column;
  double value;
  std::int64_t line;
  [[nodiscard]] auto place() const { return std::tuple(row, column); }
  [[nodiscard]] std::string text() const { return "(" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + ")"; }
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path), file_(path) {
    if (!file_) throw eagle::Error(eagle::Code::not_found, path.string() + ": cannot be opened");
  }

  Csr read() {
    read_banner();
    read_size();
    for (std::int64_t k = 0; k < count_; ++k) read_entry(k);
    if (next_line()) refuse("text after the " + std::to_string(count_) + " entries that the size line announces");
    return sorted();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { refuse(line_, what); }
  [[noreturn]] void refuse(std::int64_t line, const std::string& what) const {
    throw eagle::Error(eagle::Code::argument, path_.string() + ":" + std::to_string(line) + ": " + what);
  }

  /// The words of the next line that is neither empty nor a comment; false at the end of the file.
  bool next_line() {
    for (std::string text; std::getline(file_, text);) {
      ++line_;
      words_.clear();
      std::istringstream stream(text);
      for (std::string word; stream >> word;) words_.push_back(word);
      if (!words_.empty() && (line_ == 1 || words_[0][0] != '%')) return true;
    }
    return false;
  }

  template <class T>
  T number(std::size_t k) const {
    T value{};
    const std::string& word = words_[k];
    const char* first = word.data() + (word[0] == '+');
    const char* end = word.data() + word.size();
    if (const auto [last, error] = std::from_chars(first, end, value); last != end || error != std::errc())
      refuse("'" + word + "' is not a number that fits");
    return value;
  }

  void read_banner() {
    if (!next_line() || words_.size() != 5 || words_[0] != "%%MatrixMarket")
      refuse("the first line is not '%%MatrixMarket matrix coordinate real symmetric' or alike");
    for (std::string& word : words_) std::transform(word.begin(), word.end(), word.begin(), ::tolower);
    symmetric_ = words_[4] == "symmetric";
    const bool known = words_[1] == "matrix" && words_[2] == "coordinate" && (words_[3] == "real" || words_[3] == "integer") &&
                       (symmetric_ || words_[4] == "general");
    if (!known)
      refuse("'" + words_[1] + " " + words_[2] + " " + words_[3] + " " + words_[4] +
             "' is not accepted: matrix coordinate, real or integer, symmetric or general");
  }

  void read_size() {
    if (!next_line() || words_.size() != 3) refuse("the size line, 'rows columns entries', is missing");
    rows_ = number<std::int64_t>(0);
    count_ = number<std::int64_t>(2);
    if (rows_ != number<std::int64_t>(1)) refuse("a matrix of " + words_[0] + " x " + words_[1] + " is not square");
    constexpr auto most = std::numeric_limits<int>::max();
    if (rows_ < 1 || rows_ > most || count_ < 0 || count_ > most) refuse("1 to 2^31 - 1 rows and less entries are accepted");
  }

  void read_entry(std::int64_t k) {
    if (!next_line()) refuse("truncated: " + std::to_string(k) + " of " + std::to_string(count_) + " entries are there");
    if (words_.size() != 3) refuse("an entry is 'row column value'");
    const Entry entry{number<std::int64_t>(0) - 1, number<std::int64_t>(1) - 1, number<double>(2), line_};
    if (std::min(entry.row, entry.column) < 0 || std::max(entry.row, entry.column) >= rows_)
      refuse("entry " + entry.text() + " lies outside 1 to " + std::to_string(rows_));
    if (!std::isfinite(entry.value)) refuse("entry " + entry.text() + " is " + words_[2] + ", not finite");
    if (symmetric_ && entry.row < entry.column)
      refuse("entry " + entry.text() + " lies above the diagonal, of which a symmetric file holds nothing");
    entries_.push_back(entry);
    if (symmetric_ && entry.row > entry.column) entries_.push_back({entry.column, entry.row, entry.value, line_});
  }

  Csr sorted() {
    const auto before = [](const Entry& a, const Entry& b) { return a.place() < b.place(); };
    std::stable_sort(entries_.begin(), entries_.end(), before);
    Csr a{eagle::Partition::whole(rows_)};
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const Entry& entry = entries_[k];
      if (k > 0 && entries_[k - 1].place() == entry.place()) refuse(entry.line, "entry " + entry.text() + " is there twice");
      const Entry mirror{entry.column, entry.row, entry.value, 0};
      const auto found = std::lower_bound(entries_.begin(), entries_.end(), mirror, before);
      if (found == entries_.end() || found->place() != mirror.place() || found->value != entry.value)
        refuse(entry.line, "not symmetric: entry " + mirror.text() + " differs from " + entry.text());
      while (static_cast<std::int64_t>(a.start.size()) <= entry.row) a.end_row();
      a.add(entry.column, entry.value);
    }
    while (static_cast<std::int64_t>(a.start.size()) <= rows_) a.end_row();
    return a;
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::int64_t line_ = 0, rows_ = 0, count_ = 0;
  bool symmetric_ = false;
  std::vector<std::string> words_;
  std::vector<Entry> entries_;
};

}  // namespace

Csr read_matrix_market(const std::filesystem::path& path) { return Reader(path).read(); }

}  // namespace example
