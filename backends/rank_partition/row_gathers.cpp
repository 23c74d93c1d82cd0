// SPDX-License-Identifier: Apache-2.0
#include "row_gathers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace eagle::detail {
namespace {

/// Enough to keep both directions of a link busy.
constexpr std::size_t most_rows = 16;

MPI_Datatype type_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return MPI_DOUBLE;
    case DType::float32: return MPI_FLOAT;
    case DType::int64: return MPI_INT64_T;
    case DType::int32: return MPI_INT32_T;
    case DType::uint64: return MPI_UINT64_T;
    case DType::uint32: return MPI_UINT32_T;
    case DType::boolean: break;
  }
  return MPI_BYTE;
}

}  // namespace

RowGathers::~RowGathers() {
  if (!requests_.empty()) MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

void RowGathers::finish() {
  const int rc = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  cuts_.clear();
  check_mpi(rc, "MPI_Waitall");
}

template <class AnyCut>
const AnyCut& RowGathers::keep_cut(const Partition& partition) {
  AnyCut cut;
  for (int r = 0; r < ranks_.size(); ++r) {
    const Partition part = part_of(partition, ranks_.size(), r);
    cut.counts.push_back(static_cast<typename decltype(cut.counts)::value_type>(part.count));
    cut.places.push_back(static_cast<typename decltype(cut.places)::value_type>(part.base));
  }
  return std::get<AnyCut>(cuts_.emplace_back(std::move(cut)));
}

void RowGathers::add(void* row, DType dtype, const Partition& partition) {
  if (requests_.size() == most_rows) finish();
  const MPI_Datatype type = type_of(dtype);
  MPI_Request request = MPI_REQUEST_NULL;
  if (partition.end() <= most_count) {
    const auto& cut = keep_cut<SmallCut>(partition);
    check_mpi(MPI_Iallgatherv(MPI_IN_PLACE, 0, type, row, cut.counts.data(), cut.places.data(), type, ranks_.comm(), &request),
              "MPI_Iallgatherv");
    requests_.push_back(request);
    return;
  }
#if MPI_VERSION >= 4
  if (most_count == std::numeric_limits<int>::max()) {
    const auto& cut = keep_cut<LargeCut>(partition);
    check_mpi(
        MPI_Iallgatherv_c(MPI_IN_PLACE, 0, type, row, cut.counts.data(), cut.places.data(), type, ranks_.comm(), &request),
        "MPI_Iallgatherv_c");
    requests_.push_back(request);
    return;
  }
#endif
  in_pieces(row, dtype, partition);
}

void RowGathers::in_pieces(void* row, DType dtype, const Partition& partition) {
  for (int r = 0; r < ranks_.size(); ++r) {
    const Partition part = part_of(partition, ranks_.size(), r);
    for (std::int64_t offset = 0; offset < part.count; offset += most_count) {
      auto* const piece = static_cast<std::byte*>(row) + (part.base + offset) * size_of(dtype);
      const std::int64_t count = std::min(most_count, part.count - offset);
      check_mpi(MPI_Bcast(piece, static_cast<int>(count), type_of(dtype), r, ranks_.comm()), "MPI_Bcast");
    }
  }
}

}  // namespace eagle::detail
