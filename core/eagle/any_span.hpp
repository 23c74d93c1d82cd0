// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <eagle/dtype.hpp>
#include <eagle/span.hpp>

namespace eagle {

/// A Span whose element type is known only at run time.
class AnySpan {
 public:
  /// Error(placement) where the type has no reduction (bool) or no such precision.
  AnySpan(Op op, DType dtype, Precision precision = Precision::working, std::int64_t begin = 0);
  /// An empty part of the same kind.
  [[nodiscard]] AnySpan empty_at(std::int64_t begin) const;
  [[nodiscard]] Op op() const noexcept;
  [[nodiscard]] DType dtype() const noexcept;
  [[nodiscard]] Precision precision() const noexcept;
  [[nodiscard]] std::int64_t begin() const noexcept;
  [[nodiscard]] std::int64_t end() const noexcept;
  /// The span itself where its elements are T, else null.
  template <Reducible T>
  [[nodiscard]] const Span<T>* as() const noexcept {
    return std::get_if<Span<T>>(&span_);
  }
  /// Takes the next samples, `count` elements of the type.
  void append(const void* samples, std::int64_t count);
  /// Takes whole subtrees, as Span::append_nodes: `count` terms of the type.
  void append_nodes(int level, const void* terms, std::int64_t count);
  void merge(const AnySpan& right);
  /// Writes the value of the run [0, n), one element.
  void finish(std::int64_t n, void* value) const;
  /// The serialised form of span.hpp, of one component.
  [[nodiscard]] std::vector<std::byte> serialise() const;
  /// Replaces this part by a serialised one of the same kind. Error(io) unless it is one.
  void assign(std::span<const std::byte> bytes);
  /// Sets `count` elements to the identity.
  void fill_identity(void* samples, std::int64_t count) const noexcept;

 private:
  using Variant =
      std::variant<Span<double>, Span<float>, Span<std::int64_t>, Span<std::int32_t>, Span<std::uint64_t>, Span<std::uint32_t>>;
  explicit AnySpan(Variant span) : span_(std::move(span)) {}
  static Variant make(Op op, DType dtype, Precision precision, std::int64_t begin);
  Variant span_;
};

/// One accumulate output of a mapreduce while it is folded.
struct Reduction {
  std::size_t argument;  ///< its place in arg_spec
  AnySpan total;         ///< what the partitions so far have given
  /// One element, where a structure has been told the value of the run and not the parts of it.
  std::optional<std::array<std::byte, 8>> value = {};

  /// Forgets everything but the kind.
  void clear();
  /// Writes the value of the run [0, n), one element.
  void finish(std::int64_t n, void* value) const;
};

}  // namespace eagle
