// SPDX-License-Identifier: Apache-2.0
#include <eagle/any_span.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle {

AnySpan::Variant AnySpan::make(Op op, DType dtype, Precision precision, std::int64_t begin) {
  return eagle::visit(dtype, [&]<class T>(T) -> Variant {
    if constexpr (Reducible<T>) return Span<T>(op, begin, precision);
    else throw Error(Code::placement, fmt::format("a mapreduce folds no plane of {}", name(dtype)));
  });
}

AnySpan::AnySpan(Op op, DType dtype, Precision precision, std::int64_t begin) : span_(make(op, dtype, precision, begin)) {}

AnySpan AnySpan::empty_at(std::int64_t begin) const {
  return std::visit(
      [begin]<class T>(const Span<T>& span) { return AnySpan(Variant(Span<T>(span.op(), begin, span.precision()))); }, span_);
}

Op AnySpan::op() const noexcept {
  return std::visit([](const auto& span) { return span.op(); }, span_);
}
Precision AnySpan::precision() const noexcept {
  return std::visit([](const auto& span) { return span.precision(); }, span_);
}
DType AnySpan::dtype() const noexcept {
  return std::visit([]<class T>(const Span<T>&) { return dtype_of<T>(); }, span_);
}
std::int64_t AnySpan::begin() const noexcept {
  return std::visit([](const auto& span) { return span.begin(); }, span_);
}
std::int64_t AnySpan::end() const noexcept {
  return std::visit([](const auto& span) { return span.end(); }, span_);
}

void AnySpan::append(const void* samples, std::int64_t count) {
  std::visit([&]<class T>(Span<T>& span) { span.append(static_cast<const T*>(samples), count); }, span_);
}

void AnySpan::append_nodes(int level, const void* terms, std::int64_t count) {
  std::visit([&]<class T>(Span<T>& span) { span.append_nodes(level, static_cast<const detail::Term<T>*>(terms), count); },
             span_);
}

void AnySpan::merge(const AnySpan& right) {
  std::visit(
      [&]<class T>(Span<T>& span) {
        const auto* other = std::get_if<Span<T>>(&right.span_);
        if (other == nullptr)
          throw Error(Code::type, fmt::format("spans of {} and {} do not merge", name(dtype()), name(right.dtype())));
        span.merge(*other);
      },
      span_);
}

void AnySpan::finish(std::int64_t n, void* value) const {
  std::visit([&]<class T>(const Span<T>& span) { *static_cast<T*>(value) = span.finish(n); }, span_);
}

std::vector<std::byte> AnySpan::serialise() const {
  return std::visit([]<class T>(const Span<T>& span) { return eagle::serialise(std::span(&span, 1)); }, span_);
}

void AnySpan::assign(std::span<const std::byte> bytes) {
  std::visit(
      [bytes]<class T>(Span<T>& span) {
        auto read = deserialise<T>(bytes);
        if (read.size() != 1 || read[0].op() != span.op() || read[0].precision() != span.precision())
          throw Error(Code::io, "a serialised span is of another operator, precision or number of components");
        span = std::move(read[0]);
      },
      span_);
}

void AnySpan::fill_identity(void* samples, std::int64_t count) const noexcept {
  std::visit([&]<class T>(const Span<T>& span) { std::fill_n(static_cast<T*>(samples), count, identity<T>(span.op())); },
             span_);
}

void Reduction::clear() {
  total = total.empty_at(0);
  value.reset();
}

void Reduction::finish(std::int64_t n, void* element) const {
  if (value) std::memcpy(element, value->data(), static_cast<std::size_t>(size_of(total.dtype())));
  else total.finish(n, element);
}

}  // namespace eagle
