// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <eagle/access.hpp>
#include <eagle/tree.hpp>

/// The innermost loop of the canonical reduction (docs/reproducibility.md): whole blocks of samples to block values, compiled
/// once an instruction set, all with the same bits.
namespace eagle::detail {

/// Folds `blocks` whole blocks, one after the other in memory, to one canonical term each.
template <Reducible T>
using FoldBlocks = void (*)(const T* samples, std::int64_t blocks, Term<T>* values);

/// The functions of one instruction set.
struct BlockPath {
  std::string_view name;  ///< "generic", "avx2", "avx512"
  bool (*supported)();    ///< whether this CPU has it
  /// The function for an operator; compensated counts for sums of floating-point types only.
  FoldBlocks<double> (*float64)(Op op, bool compensated);
  FoldBlocks<float> (*float32)(Op op, bool compensated);
  FoldBlocks<std::int64_t> (*int64)(Op op, bool compensated);
  FoldBlocks<std::uint64_t> (*uint64)(Op op, bool compensated);
  FoldBlocks<std::int32_t> (*int32)(Op op, bool compensated);
  FoldBlocks<std::uint32_t> (*uint32)(Op op, bool compensated);
};

/// All paths of this build, the slowest first; tests walk them.
std::span<const BlockPath> block_paths();

/// Makes every later fold of this process use one path; null: the fastest that the CPU has, which is the default. Not to be
/// called while something folds.
void use_block_path(const BlockPath* path);

/// The function in use.
template <Reducible T>
FoldBlocks<T> fold_blocks(Op op, bool compensated);

/// Folds a short block, 1 <= count <= block_samples, of lifted samples.
template <Reducible T>
Term<T> fold_short_block(Op op, bool compensated, const T* lifted, std::int64_t count);

/// Combines two terms and makes a NaN canonical.
template <Reducible T>
Term<T> combine(Op op, bool compensated, const Term<T>& left, const Term<T>& right);

}  // namespace eagle::detail
