// SPDX-License-Identifier: Apache-2.0
#include <eagle/names.hpp>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace eagle::detail {
namespace {

/// Edit distance in which two neighbouring letters that changed places count as one edit (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({row[j] + (a[i] == b[j] ? 0 : 1), next[j] + 1, row[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row.back();
}

bool same_letter(unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }

}  // namespace

std::string near_name(std::string_view text, std::span<const std::string> names) {
  std::size_t left = std::size_t{1} << 20;  // pairs of letters: text and names may be a stranger's
  std::string best;
  std::size_t least = std::min(std::max<std::size_t>(1, text.size() / 3) + 1, text.size());
  for (const std::string& each : names) {
    if (std::equal(each.begin(), each.end(), text.begin(), text.end(), same_letter)) return each;
    const auto [shorter, longer] = std::minmax({text.size(), each.size()});
    if (longer - shorter >= least || shorter * longer > left) continue;
    left -= shorter * longer;
    if (const std::size_t d = distance(text, each); d < least) {
      least = d;
      best = each;
    }
  }
  return best;
}

}  // namespace eagle::detail
