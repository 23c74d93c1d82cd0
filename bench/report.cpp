// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <Kokkos_Core.hpp>
#include <array>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace bench {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

/// The parts of CASE/DTYPE/BASELINE/n:N/threads:T[/ranks:R].
struct Parts {
  std::string what, dtype, baseline, n, threads, ranks;
};
Parts parts_of(std::string_view name) {
  Parts parts;
  for (std::string* const part : {&parts.what, &parts.dtype, &parts.baseline, &parts.n, &parts.threads, &parts.ranks}) {
    const auto end = name.find('/');
    *part = name.substr(0, end);
    if (const auto colon = part->find(':'); colon != std::string::npos) part->erase(0, colon + 1);
    if (end == std::string_view::npos) break;
    name.remove_prefix(end + 1);
  }
  return parts;
}

std::string time_text(double seconds) {
  constexpr std::array<const char*, 4> units = {"s ", "ms", "us", "ns"};
  std::size_t unit = 0;
  for (; unit < 3 && seconds < 0.9995; ++unit) seconds *= 1000;
  return fmt::format("{:.{}f} {}", seconds, seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0, units[unit]);
}

std::string ratio_text(double ratio) { return ratio < 0.1 ? fmt::format("{:.1g}", ratio) : fmt::format("{:.2f}", ratio); }

std::string heading(const Parts& parts) {
  std::string text = parts.what;
  if (parts.dtype != "-") text += ", " + parts.dtype;
  if (parts.baseline != "-") text += ", against " + parts.baseline;
  return parts.ranks.empty() ? text : text + fmt::format(", {} rank{}", parts.ranks, parts.ranks == "1" ? "" : "s");
}

/// Columns of a table, or of one without a baseline.
std::string row(const Parts& parts, char mark, const std::string& ours, const std::string& baseline, const std::string& ratio,
                const std::string& gigabytes) {
  std::string text = fmt::format("{} {:>10} {:>7} {:>10}", mark, parts.n, parts.threads, ours);
  if (parts.baseline != "-") text += fmt::format(" {:>10}  {:<24} {:>7}", baseline, ratio, gigabytes);
  return text;
}

std::string head(Parts parts) {
  parts.n = "n";
  parts.threads = "threads";
  return row(parts, ' ', "ours", "baseline", "ratio (quartiles)", "GB/s");
}

std::string row(const Parts& parts, const benchmark::UserCounters& counters) {
  const auto value = [&](const std::string& name) {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : found->second.value;
  };
  const double gigabytes = value("bytes") / value("ours") * 1e-9;
  return row(
      parts, value("noisy") != 0 ? '~' : ' ', time_text(value("ours")), time_text(value("baseline")),
      fmt::format("{} ({} to {})", ratio_text(value("ratio")), ratio_text(value("ratio_low")), ratio_text(value("ratio_high"))),
      gigabytes > 0 ? fmt::format("{:.1f}", gigabytes) : "");
}

}  // namespace

Facts facts() {
  return {{"cpu", cpu_model()},
          {"eagle", EAGLE_BENCH_VERSION},
          {"kokkos", fmt::format("{}.{}.{}", KOKKOS_VERSION_MAJOR, KOKKOS_VERSION_MINOR, KOKKOS_VERSION_PATCH)},
          {"kokkos_kernels", EAGLE_BENCH_KOKKOS_KERNELS},
          {"compiler", EAGLE_BENCH_COMPILER},
          {"flags", EAGLE_BENCH_FLAGS}};
}

bool Reporter::ReportContext(const Context& machine) {
  fmt::print(GetOutputStream(), "{} cores at {:.0f} MHz\n", machine.cpu_info.num_cpus,
             machine.cpu_info.cycles_per_second / 1e6);
  for (const auto& [name, value] : facts_) fmt::print(GetOutputStream(), "{}: {}\n", name, value);
  return true;
}

void Reporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    const Parts parts = parts_of(run.run_name.function_name);
    if (const std::string table = heading(parts); table != table_) {
      table_ = table;
      fmt::print(GetOutputStream(), "\n{}\n{}\n", table, head(parts));
    }
    if (run.skipped == benchmark::internal::NotSkipped) {
      fmt::print(GetOutputStream(), "{}\n", row(parts, run.counters));
    } else {
      const bool error = run.skipped == benchmark::internal::SkippedWithError;
      errors_ += error;
      fmt::print(GetOutputStream(), "{} {:>10} {:>7}  {}: {}\n", error ? '!' : ' ', parts.n, parts.threads,
                 error ? "error" : "skipped", run.skip_message);
    }
  }
  GetOutputStream().flush();
}

void Reporter::Finalize() {
  fmt::print(GetOutputStream(),
             "\nMedians of turns. ratio: baseline / ours, above 1 eagle is faster. GB/s: what ours must move, once.\n"
             "~: noisy, the quartiles are more than 10 % apart or most turns were disturbed.\n");
  if (errors_ > 0) fmt::print(GetOutputStream(), "!: {} with errors.\n", errors_);
}

}  // namespace bench
