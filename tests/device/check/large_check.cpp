// SPDX-License-Identifier: Apache-2.0
// More samples than 31 bits count, against arithmetic.
#include <filesystem>

#include <eagle/cuda_fold.hpp>
#include <eagle/eagle.hpp>
#include <eagle/error.hpp>

#include "report.hpp"

namespace device_check {
namespace {

constexpr std::int64_t n = (std::int64_t{1} << 31) + 1;

eagle::Plugin worked(const char* name) { return eagle::load(std::filesystem::path(EAGLE_TEST_BUNDLES) / name).only(); }

void same(const std::string& what, std::int64_t found, std::int64_t expected) {
  require(found == expected, what + " is " + std::to_string(found) + ", and " + std::to_string(expected) + " is due");
}

/// An array on the device, zeroed. Skipped where it has no room.
eagle::Array made(const eagle::Memory& memory, eagle::DType dtype) {
  try {
    return memory.make(dtype, {n});
  } catch (const eagle::Error& e) {
    if (e.code() != eagle::Code::memory) throw;
    throw Skipped(e.what());
  }
}

std::int64_t sum_of(const eagle::Array& plane) {
  using Fold = eagle::detail::CudaFold<std::int64_t>;
  Fold fold(0, nullptr, eagle::Op::sum, eagle::Precision::working, 0, n);
  const auto* const samples = static_cast<const std::int64_t*>(plane.view().data);
  for (std::int64_t first = 0; first < n; first += Fold::tile_samples)
    fold.queue(samples + first, first, std::min(Fold::tile_samples, n - first));
  return fold.finish().finish(n);
}

/// No plane at all: the sum of the sample indices.
void sum_of_indices() {
  const auto plan = eagle::plan(worked("sum_index64"), {.structure = eagle::device_kernel(), .npartitions = 3, .n_samples = n});
  same("the sum of all indices", plan.run({}).value<std::int64_t>("total"), n / 2 * n);  // n is odd: (n - 1) / 2 * n
}

/// Adds by all samples into three places.
void counts_by_remainder() {
  std::vector<std::int64_t> counts(3);
  eagle::plan(worked("count_index64"), {.structure = eagle::device_kernel({.staging = true}), .n_samples = n})
      .run({{"counts", eagle::view(counts)}});
  for (std::int64_t r = 0; r < 3; ++r)
    same("the count of remainder " + std::to_string(r), counts[static_cast<std::size_t>(r)], (n - r + 2) / 3);
}

/// A plane of 2 GiB and one of 16 GiB, launched twice: what the second finds ended stays.
void planes_of_that_length() {
  const auto device = eagle::device_kernel();
  const eagle::Array left = made(device->memory(), eagle::DType::int64), done = made(device->memory(), eagle::DType::boolean);
  device->memory().fill(left.view(), 1);
  auto bound = eagle::plan(worked("countdown"), {.structure = device, .npartitions = 2})
                   .bind({{"left", left.view()}, {"done", done.view()}});
  bound.launch();
  static_cast<void>(bound.result());
  same("the sum of what is left", sum_of(left), 0);
  device->memory().fill(left.view(), 7);
  bound.launch();
  static_cast<void>(bound.result());
  same("the sum of what ended samples keep", sum_of(left), 7 * n);
}

}  // namespace

void check_large(Report& report) {
  const auto check = [&](const std::string& what, void (*f)()) {
    report.check(what + ", n = 2^31 + 1", [&] {
      if (report.small) throw Skipped("small sizes are asked for");
      f();
    });
  };
  check("a mapreduce without planes", sum_of_indices);
  check("counts of all samples", counts_by_remainder);
  check("a byte mask and a plane of integers", planes_of_that_length);
}

}  // namespace device_check
