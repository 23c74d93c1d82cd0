// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <eagle/blocks.hpp>

namespace eagle {

/// How a sum is carried: in its type, or with the rounding errors beside it (sums of floating-point types only).
enum class Precision : std::uint8_t { working, compensated };

std::string_view name(Precision precision) noexcept;
std::optional<Precision> precision_from(std::string_view text) noexcept;

/// A part of a canonical reduction, over the samples [begin, end) of a run: raw samples before the first block border, whole
/// subtrees, raw samples after the last border. Touching parts merge, in any grouping, to the same bits; the part [0, N)
/// finishes to the value, which depends on operator, type and the ordered samples alone (docs/reproducibility.md). Its memory
/// does not grow with the number of samples: at most 2046 samples and 126 subtrees. Samples are counted from 0 in 64 bits.
/// The caller's rounding mode and flushing of subnormals do not matter.
template <Reducible T>
class Span {
 public:
  /// An empty part at `begin`. Error(placement) for a compensated precision of anything but a floating-point sum,
  /// Error(partition) if begin is negative.
  explicit Span(Op op, std::int64_t begin = 0, Precision precision = Precision::working);

  [[nodiscard]] Op op() const noexcept { return op_; }
  [[nodiscard]] Precision precision() const noexcept { return precision_; }
  [[nodiscard]] std::int64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::int64_t end() const noexcept { return end_; }

  /// Takes the next `count` samples, end() and on, from contiguous memory. Whole blocks that start at a border are folded
  /// where they lie.
  void append(const T* samples, std::int64_t count);
  /// Takes the next `count` subtrees of 1024 * 2^level samples each, whose values were found elsewhere. Error(partition) unless
  /// end() is where one begins.
  void append_nodes(int level, const detail::Term<T>* values, std::int64_t count);
  /// Takes the part that starts where this one ends. An empty part is neutral. Error(partition) if they do not touch,
  /// Error(placement) if operator or precision differ.
  void merge(const Span& right);
  /// The value of the whole run. Error(partition) unless the part is [0, n); the identity for n = 0.
  [[nodiscard]] T finish(std::int64_t n) const;
  /// The value before the last rounding of a compensated sum: {sum, error}. For n > 0.
  [[nodiscard]] detail::Term<T> root(std::int64_t n) const;

  /// A whole subtree of 1024 * 2^level samples, the index-th of its level.
  struct Node {
    int level;
    std::int64_t index;
    detail::Term<T> value;
  };
  [[nodiscard]] const std::vector<T>& front() const noexcept { return front_; }
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<T>& back() const noexcept { return back_; }
  /// Sets the parts that deserialise() has read for [begin(), end).
  void assign(std::vector<T> front, std::vector<Node> nodes, std::vector<T> back, std::int64_t end);

 private:
  void append_raw(const T* lifted, std::int64_t count);
  void push(Node node);
  [[nodiscard]] bool compensated() const noexcept { return precision_ == Precision::compensated; }

  Op op_;
  Precision precision_;
  std::int64_t begin_;
  std::int64_t end_;
  std::vector<T> front_;
  std::vector<Node> nodes_;
  std::vector<T> back_;
};

/// The one serialised form of the K components of a part, little-endian: magic "eagletr1", u32 {version 1, op, dtype,
/// precision}, u64 K, i64 {begin, end}, then front, nodes and back, components fastest; a node of a compensated sum is its K
/// sums and then their K errors. The spans share op, precision, begin and end, else Error(partition).
template <Reducible T>
std::vector<std::byte> serialise(std::span<const Span<T>> components);
/// Error(io) unless the bytes are exactly one serialised part of this type.
template <Reducible T>
std::vector<Span<T>> deserialise(std::span<const std::byte> bytes);

}  // namespace eagle
