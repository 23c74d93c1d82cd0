// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: typed access to JSON that notes every refusal and goes on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <eagle/finding.hpp>
#include <eagle/json.hpp>

namespace eagle::detail {

/// How many findings are kept of one reading, so that a hostile file cannot fill the memory with them.
inline constexpr std::size_t most_findings = 1000;

/// Where the findings about one file go.
class Report {
 public:
  /// Reads with a report: `read(report)` gives findings, of which each is about `file`. Where there are most_findings, one more
  /// says so, and the reading ends there; where there were already, nothing is read.
  template <class Read>
  static void of(Findings& findings, std::string file, const Read& read) {
    if (findings.size() >= most_findings) return;
    Report report(findings, std::move(file), {});
    try {
      read(report);
    } catch (const Full&) {
      findings.push_back({"too-many", "", report.file_, "more findings are left out: mend these first"});
    }
  }
  void add(std::string_view code, std::string_view pointer, std::string message);
  /// A finding about whatever it says itself.
  void add(Finding finding);
  /// The same place to write to, about a plugin.
  [[nodiscard]] Report about(std::string plugin) const { return {findings_, file_, std::move(plugin)}; }
  /// The same place to write to, about another file.
  [[nodiscard]] Report in(std::string file) const { return {findings_, std::move(file), plugin_}; }
  /// How many findings there are, of all files.
  [[nodiscard]] std::size_t count() const noexcept { return findings_.size(); }

 private:
  struct Full {};
  Report(Findings& findings, std::string file, std::string plugin)
      : findings_(findings), file_(std::move(file)), plugin_(std::move(plugin)) {}
  Findings& findings_;
  std::string file_;
  std::string plugin_;
};

/// The JSON of a file's text, or nothing and a finding "json".
std::optional<json::Value> parse_json(std::string_view text, Report& report);
/// The same of a file. Error(not_found), Error(io) where it cannot be read.
std::optional<json::Value> read_json(const std::filesystem::path& path, Report& report);

enum class Need : bool { optional, required };

/// One JSON object of a file. It borrows the object and the report.
class Reader {
 public:
  Reader(const json::Value& object, Report& report, std::string pointer = {})
      : object_(object), report_(report), pointer_(std::move(pointer)) {}

  /// The member `key`; null where it is absent or null.
  [[nodiscard]] const json::Value* find(std::string_view key) const noexcept;
  /// Whether the member is there: neither absent nor null nor an empty text, list or object.
  [[nodiscard]] bool has(std::string_view key) const noexcept;
  /// The member as a T: bool, std::int64_t, std::string, json::Array or json::Object. Null where it is absent or null
  /// (required: with a finding), and where it is something else (with a finding).
  template <class T>
  const T* get(std::string_view key, Need need = Need::optional) const;
  /// The member as a text that is not empty. An empty one is a finding where it is required, else as good as none.
  [[nodiscard]] const std::string* text(std::string_view key, Need need = Need::optional) const;
  /// A text that is_name().
  [[nodiscard]] const std::string* name(std::string_view key, Need need = Need::optional) const;
  /// The elements of a list of objects, without those that are none (with findings).
  [[nodiscard]] std::vector<Reader> objects(std::string_view key, Need need = Need::optional) const;

  /// Whether a text may be the name of something: at most 1024 bytes of printable characters. A finding where it may not.
  bool is_name(std::string_view text, std::string_view key, std::string_view more = {}) const;

  /// Notes a finding about the place "<key>", or "<key>/<more>".
  void refuse(std::string_view code, std::string_view key, std::string message, std::string_view more = {}) const;
  [[nodiscard]] const json::Value& value() const noexcept { return object_; }
  [[nodiscard]] Report& report() const noexcept { return report_; }
  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }

 private:
  const json::Value& object_;
  Report& report_;
  std::string pointer_;
};

}  // namespace eagle::detail
