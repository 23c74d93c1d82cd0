// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <eagle/components.hpp>
#include <eagle/error.hpp>
#include <eagle/float_environment.hpp>
#include <eagle/partition.hpp>
#include <eagle/span.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <eagle/kokkos_cuda.hpp>
#endif

/// The canonical reduction over Kokkos execution spaces: a functor's values fill a tile, and the fold that is compiled in
/// eagle::core takes it, so that neither the number of threads nor a flag of the including program can change a bit of how
/// values are combined. What the functor computes for one index is the program's own business.
namespace eagle {

/// Indices [begin, end) of a loop, empty where end <= begin. Error(partition) for bounds beyond 2^62.
struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  IndexRange() = default;
  template <std::integral N>
  IndexRange(N n) : end(checked(n)) {}  // NOLINT: a count is a range
  template <std::integral First, std::integral Last>
  IndexRange(First first, Last last) : begin(checked(first)), end(checked(last)) {}
  [[nodiscard]] std::int64_t count() const noexcept { return end > begin ? end - begin : 0; }

 private:
  template <class N>
  static std::int64_t checked(N bound) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if (std::cmp_greater(bound, most) || std::cmp_less(bound, -most))
      throw Error(Code::partition, "a range of indices ends beyond 2^62: " + std::to_string(bound));
    return static_cast<std::int64_t>(bound);
  }
};

namespace detail {

/// Keeps the first exception that leaves a thread, to be thrown again on the launching one.
class FirstError {
 public:
  void fail(std::exception_ptr error) noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// Collects what threads return for parts of a range.
template <class Spans>
class Collector : public FirstError {
 public:
  void add(std::int64_t begin, Spans&& spans) {
    const std::lock_guard lock(mutex_);
    parts_.emplace(begin, std::move(spans));
  }
  /// All parts in order, merged into `total`.
  Spans merge_into(Spans total) const {
    rethrow();
    for (const auto& [begin, part] : parts_)
      for (std::size_t c = 0; c < total.size(); ++c) total[c].merge(part[c]);
    return total;
  }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, Spans> parts_;
};

/// Calls part(first, last) for contiguous shares of [0, count), one a thread of the space, cut at multiples of `grain`;
/// a single share runs on the calling thread. Exceptions go to the collector.
template <class Space, class Sink, class Part>
void for_each_share(const Space& space, const char* label, std::int64_t count, std::int64_t grain, Sink& sink,
                    const Part& part) {
  const auto guarded = [&](std::int64_t first, std::int64_t last) noexcept {
    try {
      part(first, last);
    } catch (...) {
      sink.fail(std::current_exception());
    }
  };
  const std::int64_t grains = pieces_of(count, grain);
  const std::int64_t shares = std::min<std::int64_t>(grains, space.concurrency());
  if (shares <= 1) return guarded(0, count);
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Kokkos::Static>>;
  Kokkos::parallel_for(label, Policy(space, 0, shares, Kokkos::ChunkSize(1)), [&](std::int64_t r) {
    const Partition share = part_of(Partition::whole(grains), shares, r);
    guarded(share.base * grain, std::min(count, share.end() * grain));
  });
  space.fence("eagle::mapreduce::fence");
}

/// Writes f(first), f(first + 1), ... one after the other. Nothing but `out` reaches the tile, so that compilers see that a
/// store changes nothing that the functor reads, and vectorise.
template <class Element, class F>
void fill_tile(const F& f, std::int64_t first, std::int64_t count, Element* __restrict out) {
  for (std::int64_t k = 0; k < count; ++k) out[k] = Components<ValueOf<F>>::get(f(first + k), 0);
}

/// The same for several components, each in a row of its own.
template <std::size_t K, class Element, class F>
void fill_tile(const F& f, std::int64_t first, std::int64_t count, Element (*__restrict out)[block_samples]) {
  for (std::int64_t k = 0; k < count; ++k) {
    const auto value = f(first + k);
    for (std::size_t c = 0; c < K; ++c) out[c][k] = Components<ValueOf<F>>::get(value, c);
  }
}

/// Folds f(offset + first), ..., sample by sample, into one span a component.
template <class F, class Spans>
void append_tiles(const F& f, std::int64_t offset, std::int64_t first, std::int64_t last, Spans& spans) {
  using C = Components<ValueOf<F>>;
  alignas(64) typename C::Element tile[C::count][block_samples];
  const F local = f;  // a share's own, so that what it holds stays in registers
  while (first < last) {
    const std::int64_t border = (first / block_samples + 1) * block_samples;
    const std::int64_t count = std::min(last, border) - first;
    if constexpr (C::count == 1) fill_tile(local, offset + first, count, tile[0]);
    else fill_tile<C::count>(local, offset + first, count, tile);
    for (std::size_t c = 0; c < C::count; ++c) spans[c].append(tile[c], count);
    first += count;
  }
}

template <class Spans>
Spans make_spans(std::size_t count, Op op, std::int64_t begin, Precision precision) {
  return Spans(count, typename Spans::value_type(op, begin, precision));
}

/// The spans of samples [begin, end), where sample i is f(offset + i).
template <class O, class Space, class F>
  requires runs_on_host<Space>
SpansOf<F> map_spans(const Space& space, std::int64_t begin, std::int64_t end, std::int64_t offset, Precision precision,
                     const F& f) {
  using Spans = SpansOf<F>;
  constexpr std::size_t components = Components<ValueOf<F>>::count;
  require_running();
  Collector<Spans> collector;
  // Shares are counted from the block border at or below begin.
  const std::int64_t base = begin / block_samples * block_samples;
  for_each_share(space, "eagle::mapreduce", end - base, block_samples, collector, [&](std::int64_t first, std::int64_t last) {
    first = std::max(begin, base + first);
    last = std::max(first, base + last);
    const DefaultFloatEnvironment environment;
    Spans spans = make_spans<Spans>(components, O::op, first, precision);
    append_tiles(f, offset, first, last, spans);
    collector.add(first, std::move(spans));
  });
  return collector.merge_into(make_spans<Spans>(components, O::op, begin, precision));
}

}  // namespace detail

/// Runs f(i) for every index of a range on an execution space, and returns when all have run. An exception that leaves f is
/// thrown again here; indices of other threads may then have run or not.
template <class Space, class F>
void for_each(const Space& space, IndexRange range, const F& f) {
  detail::require_running();
  if constexpr (detail::runs_on_cuda<Space>) {
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("eagle::for_each", Policy(space, range.begin, range.begin + range.count()), f);
    space.fence("eagle::for_each::fence");
  } else {
    detail::FirstError sink;
    detail::for_each_share(space, "eagle::for_each", range.count(), 1, sink, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) f(range.begin + i);
    });
    sink.rethrow();
  }
}

/// The part of a larger reduction that covers the global samples [begin, end), sample i being f(i): one span a component of
/// what f returns. Merge touching spans and finish the whole.
template <class O, class Space, class F>
detail::SpansOf<F> map_span(const Space& space, IndexRange range, const F& f, Precision precision = Precision::working) {
  return detail::map_spans<O>(space, range.begin, range.begin + range.count(), 0, precision, f);
}

/// The canonical reduction (docs/reproducibility.md) of f(begin), f(begin + 1), ... with an operator: eagle::Sum, Times, Max
/// or Land. f returns double, float, a 64- or 32-bit integer, or a std::array or Kokkos::Array of them, whose components are
/// reduced each by itself. The value depends on operator, type and samples alone: any number of threads, the same bits.
/// Empty ranges give the identity. An exception that leaves f is thrown again here; inside a parallel region, or where
/// Kokkos does not run, Error(unavailable). On Kokkos::Cuda f is device code (KOKKOS_LAMBDA), and what is combined has the
/// host's bits.
template <class O, class Space, class F>
detail::ValueOf<F> mapreduce(const Space& space, IndexRange range, const F& f, Precision precision = Precision::working) {
  const auto spans = detail::map_spans<O>(space, 0, range.count(), range.begin, precision, f);
  return detail::Components<detail::ValueOf<F>>::make([&](std::size_t c) { return spans[c].finish(range.count()); });
}

}  // namespace eagle
