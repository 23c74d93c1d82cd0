// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <vector>

#include <eagle/span.hpp>

#include "fuzz.hpp"

namespace {

template <class T>
using Spans = std::vector<eagle::Span<T>>;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

bool same(std::span<const std::byte> a, std::span<const std::byte> b) { return std::ranges::equal(a, b); }

template <class T>
std::vector<std::byte> serialised(const eagle::Span<T>& span) {
  return eagle::serialise(std::span(&span, 1));
}

/// What is read is written to the same bytes, and can be used.
template <class T>
void check_read(std::span<const std::byte> bytes, Spans<T>& spans) {
  if (!fuzz::accepts([&] { spans = eagle::deserialise<T>(bytes); })) return;
  fuzz::require(same(eagle::serialise(std::span<const eagle::Span<T>>(spans)), bytes), "a part is written as it was read");
  for (eagle::Span<T>& span : spans) {
    fuzz::accepts([&] { static_cast<void>(span.finish(span.end())); });
    const T sample[3] = {};
    if (span.end() < std::int64_t{1} << 62) span.append(sample, 3);
    fuzz::accepts([&] { static_cast<void>(span.finish(span.end())); });
    eagle::Span<T> next(span.op(), span.end(), span.precision());
    next.append(sample, 3);
    span.merge(next);
  }
}

/// Samples of a run, made from a few that the input gives.
template <class T>
std::vector<T> samples_of(fuzz::Bytes& in, std::int64_t count) {
  T few[5];
  for (T& each : few) each = in.take<T>();
  std::vector<T> samples;
  for (std::int64_t k = 0; k < count; ++k) samples.push_back(few[k * k % 7 % 5]);
  return samples;
}

/// A run in one part and in three, which merge in both groupings and after a journey as bytes.
template <class T>
void check_cuts(fuzz::Bytes& in) {
  const auto op = static_cast<eagle::Op>(in.up_to(3));
  const auto precision = static_cast<eagle::Precision>(in.up_to(1));
  const std::int64_t begin = in.coin() ? 0 : in.take<std::uint16_t>();
  const std::int64_t cuts[] = {in.take<std::uint16_t>() % 3000, in.take<std::uint16_t>() % 3000,
                               in.take<std::uint16_t>() % 3000};
  const std::vector<T> samples = samples_of<T>(in, cuts[0] + cuts[1] + cuts[2]);
  fuzz::accepts([&] {
    eagle::Span<T> whole(op, begin, precision);
    whole.append(samples.data(), static_cast<std::int64_t>(samples.size()));
    Spans<T> parts;
    std::int64_t at = 0;
    for (const std::int64_t count : cuts) {
      parts.emplace_back(op, begin + at, precision);
      parts.back().append(samples.data() + at, count);
      at += count;
      parts.back() = eagle::deserialise<T>(serialised(parts.back())).front();
    }
    eagle::Span<T> left = parts[0];
    left.merge(parts[1]);
    left.merge(parts[2]);
    parts[1].merge(parts[2]);
    parts[0].merge(parts[1]);
    fuzz::require(same(serialised(left), serialised(parts[0])), "parts merge in any grouping to the same bits");
    if (at > 0) fuzz::require(same(serialised(left), serialised(whole)), "and to the bits of the whole");
    std::vector<std::byte> damaged = serialised(whole);
    damaged[in.take<std::uint16_t>() % damaged.size()] ^= in.take<std::byte>();
    Spans<T> spans;
    check_read<T>(damaged, spans);
  });
}

}  // namespace

/// The first byte chooses a type, and between bytes as they come and a run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes in(data, size);
  const auto choice = in.take<std::uint8_t>();
  const auto run = [&]<class T>(T) {
    Spans<T> spans;
    (choice & 8) == 0 ? check_read<T>(bytes_of(in.rest()), spans) : check_cuts<T>(in);
  };
  const auto dtype = static_cast<eagle::DType>(choice % 8 % 6);
  eagle::visit(dtype, [&]<class T>(T element) {
    if constexpr (eagle::Reducible<T>) run(element);
  });
  return 0;
}
