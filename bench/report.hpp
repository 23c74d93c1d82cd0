// SPDX-License-Identifier: Apache-2.0
// What a run says: tables for people, and what it ran on.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// What the figures depend on, by name: cpu, eagle, kokkos, kokkos_kernels, compiler, flags.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts();

/// A table for each case and baseline.
class Reporter final : public benchmark::BenchmarkReporter {
 public:
  explicit Reporter(Facts facts) : facts_(std::move(facts)) {}
  bool ReportContext(const Context& machine) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;
  /// Benchmarks whose results differed or that failed.
  [[nodiscard]] int errors() const { return errors_; }

 private:
  Facts facts_;
  std::string table_;
  int errors_ = 0;
};

}  // namespace bench
