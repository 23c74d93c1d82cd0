// SPDX-License-Identifier: Apache-2.0
// The canonical reduction on the device, in one part and in two, against its frozen bits (tests/data/reduction).
#include <cstring>
#include <fstream>

#include <eagle/cuda_fold.hpp>
#include <eagle/eagle.hpp>

#include "report.hpp"
#include "samples.hpp"

namespace device_check {
namespace {

struct Row {
  std::string line, kind;
  eagle::DType dtype;
  eagle::Op op;
  std::int64_t n;
  std::uint64_t seed, bits;
  eagle::Precision precision;
};

/// The text behind "key": in a row, which is one line of the file; empty where there is none.
std::string field(const std::string& line, const std::string& key) {
  const std::string start = "\"" + key + "\": ";
  const std::size_t at = line.find(start);
  if (at == std::string::npos) return "";
  const std::size_t from = at + start.size() + (line[at + start.size()] == '"' ? 1 : 0);
  return line.substr(from, line.find_first_of("\",}", from) - from);
}

/// The rows of the file's first list.
std::vector<Row> golden_rows() {
  std::ifstream file(std::string(EAGLE_TEST_DATA) + "/reduction/tree_v1_golden.json");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line) && line.find("\"spans\"") == std::string::npos;) {
    if (field(line, "bits").empty()) continue;
    const std::string precision = field(line, "precision");
    rows.push_back({line, field(line, "kind"), eagle::dtype_from(field(line, "dtype")).value(),
                    eagle::op_from(field(line, "op")).value(), std::stoll(field(line, "n")), std::stoull(field(line, "seed")),
                    std::stoull(field(line, "bits"), nullptr, 16),
                    precision.empty() ? eagle::Precision::working : eagle::precision_from(precision).value()});
  }
  return rows;
}

template <class T>
eagle::Span<T> folded(const Row& row, const T* samples, std::int64_t begin, std::int64_t end) {
  eagle::detail::CudaFold<T> fold(0, nullptr, row.op, row.precision, begin, end);
  if (end > begin) fold.queue(samples + begin, begin, end - begin);
  return fold.finish();
}

template <class T>
void check_row(const Row& row, const eagle::Memory& memory) {
  const std::vector<T> values = samples::generate<T>(row.kind, row.seed, static_cast<std::size_t>(row.n));
  const eagle::Array there = memory.make(eagle::dtype_of<T>(), {row.n});
  memory.copy(eagle::view(values), there.view());
  const T* const samples = static_cast<const T*>(there.view().data);
  const auto agrees = [&](const eagle::Span<T>& span, const char* way) {
    const T value = span.finish(row.n);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    require(bits == row.bits, std::string(way) + ": " + row.line);
  };
  agrees(folded(row, samples, 0, row.n), "in one part");
  const std::int64_t cut = row.n / 3;
  eagle::Span<T> left = folded(row, samples, 0, cut);
  left.merge(folded(row, samples, cut, row.n));
  agrees(left, "in two parts");
}

}  // namespace

void check_golden(Report& report) {
  report.check("the canonical reduction has its frozen bits", [&] {
    const auto rows = golden_rows();
    require(rows.size() == 2636, "the file has " + std::to_string(rows.size()) + " rows, and 2636 are due");
    const auto device = eagle::device_kernel();
    for (std::size_t k = 0; k < rows.size(); k += report.small ? 8 : 1)
      eagle::visit(rows[k].dtype, [&]<class T>(T) {
        if constexpr (eagle::Reducible<T>) check_row<T>(rows[k], device->memory());
      });
  });
}

}  // namespace device_check
