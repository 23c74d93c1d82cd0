// SPDX-License-Identifier: Apache-2.0
// The bodies of eagle's own kernels of the reduction, run on the CPU, against frozen bits and against eagle::core.
#include <array>
#include <bit>

#include <eagle/span.hpp>

#include "device_kernel/kernels.hpp"
#include "golden.hpp"
#include "kernels_on_host.hpp"
#include "samples.hpp"
#include "support.hpp"

namespace {

using eagle::Op;
using eagle::Precision;
using eagle::Span;
using eagle::detail::block_samples;
using eagle::detail::join_values;
using eagle::detail::Term;

/// The representation of a value as an unsigned integer of its width.
template <class T>
auto bits_of(T value) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(value);
}

template <class T>
void expect_same(const Term<T>& a, const Term<T>& b, const std::string& what) {
  ASSERT_EQ(bits_of(a.s), bits_of(b.s)) << what;
  ASSERT_EQ(bits_of(a.e), bits_of(b.e)) << what;
}

std::string kernel_name(const char* what, Op op, eagle::DType dtype, bool compensated) {
  return "eagle_" + std::string(what) + "_" + std::string(name(op)) + "_" + std::string(name(dtype)) +
         (compensated ? "_compensated" : "");
}

/// What eagle_fold or eagle_join gives of memory that holds exactly `count` times 1024 elements.
template <class T, class In>
std::vector<Term<T>> run(const char* what, Op op, bool compensated, const In* in, long long count, unsigned grid = 1) {
  std::vector<Term<T>> out(static_cast<std::size_t>(count));
  Term<T>* to = out.data();
  void* params[] = {&in, &count, &to};
  const std::string kernel = kernel_name(what, op, eagle::dtype_of<T>(), compensated);
  EXPECT_TRUE(eagle::detail::run_on_host(kernel, params, grid)) << kernel;
  return out;
}

/// Samples at an address that a 16-byte read accepts.
template <class T>
struct Aligned {
  explicit Aligned(const std::vector<T>& values) : storage(values.size() + 16 / sizeof(T)) {
    const auto odd = reinterpret_cast<std::uintptr_t>(storage.data()) % 16;
    data = storage.data() + (odd == 0 ? 0 : (16 - odd) / sizeof(T));
    std::copy(values.begin(), values.end(), data);
  }
  std::vector<T> storage;
  T* data;
};

/// A whole run as a device reduces it: whole blocks folded, whole groups of them joined, the rest put together on the host.
template <class T>
Span<T> reduced(const std::vector<T>& values, Op op, Precision precision) {
  const bool compensated = precision == Precision::compensated;
  const auto n = static_cast<std::int64_t>(values.size());
  const std::int64_t blocks = n / block_samples, groups = blocks / join_values;
  const Aligned<T> samples(values);
  const auto terms = run<T>("fold", op, compensated, samples.data, blocks, 3);
  const auto nodes = run<T>("join", op, compensated, terms.data(), groups, 2);
  Span<T> whole(op, 0, precision);
  const auto add = [&](int level, std::int64_t index, const Term<T>& value) {
    const std::int64_t size = block_samples << level;
    Span<T> part(op, index * size, precision);
    part.assign({}, {{level, index, value}}, {}, (index + 1) * size);
    whole.merge(part);
  };
  for (std::int64_t g = 0; g < groups; ++g) add(eagle::detail::join_levels, g, nodes[static_cast<std::size_t>(g)]);
  for (std::int64_t b = groups * join_values; b < blocks; ++b) add(0, b, terms[static_cast<std::size_t>(b)]);
  whole.append(values.data() + blocks * block_samples, n % block_samples);
  return whole;
}

/// Checks every row of a list, and gives how many there are.
int check(const char* list) {
  int rows = 0;
  for (const auto& row : golden()[list].GetArray()) {
    const std::string kind = row["kind"].GetString();
    const Op op = *eagle::op_from(row["op"].GetString());
    const std::int64_t n = row["n"].GetInt64();
    const Precision precision =
        row.HasMember("precision") ? *eagle::precision_from(row["precision"].GetString()) : Precision::working;
    eagle::visit(*eagle::dtype_from(row["dtype"].GetString()), [&]<class T>(T) {
      if constexpr (eagle::Reducible<T>) {
        const auto values = samples::generate<T>(kind, row["seed"].GetUint64(), static_cast<std::size_t>(n));
        const Span<T> span = reduced(values, op, precision);
        const std::string what = kind + kernel_name("", op, eagle::dtype_of<T>(), precision == Precision::compensated);
        ASSERT_EQ(bits_of(span.finish(n)), hex(row["bits"])) << what << " of " << n;
        if (!row.HasMember("pair") || n == 0) return;
        ASSERT_EQ(bits_of(span.root(n).s), hex(row["pair"][0])) << what << " of " << n;
        ASSERT_EQ(bits_of(span.root(n).e), hex(row["pair"][1])) << what << " of " << n;
      }
    });
    ++rows;
  }
  return rows;
}

TEST(KernelsOnHost, EveryGoldenCase) { EXPECT_EQ(check("cases"), 2636); }
TEST(KernelsOnHost, EveryRowThatTellsWrongTreesApart) { EXPECT_EQ(check("sensitivity"), 13); }

/// Calls f(op, compensated, T{}) for every reduction.
template <class F>
void for_each_reduction(F&& f) {
  for (const auto dtype : {eagle::DType::float64, eagle::DType::float32, eagle::DType::int64, eagle::DType::int32,
                           eagle::DType::uint64, eagle::DType::uint32})
    eagle::visit(dtype, [&]<class T>(T) {
      if constexpr (eagle::Reducible<T>) {
        for (const Op op : {Op::sum, Op::times, Op::max, Op::land}) f(op, false, T{});
        if (std::is_floating_point_v<T>) f(Op::sum, true, T{});
      }
    });
}

/// Kinds of samples that reach every rule of an operator.
template <class T>
std::vector<std::string> kinds() {
  if constexpr (std::is_floating_point_v<T>)
    return {"cancelling", "near_one", "specials", "specials_finite", "nan_payloads", "signed_zeros", "booleans", "fma_pairs"};
  else return {"integers_full_range", "integers_odd", "booleans"};
}

TEST(KernelsOnHost, FoldGivesTheBlocksOfTheCoreOnAnyGrid) {
  constexpr std::int64_t blocks = 19;
  for_each_reduction([&]<class T>(Op op, bool compensated, T) {
    for (const std::string& kind : kinds<T>()) {
      const std::vector<T> values = samples::generate<T>(kind, 7, blocks * block_samples);
      const Aligned<T> samples(values);
      for (const unsigned grid : {1U, 2U, 7U}) {
        const auto terms = run<T>("fold", op, compensated, samples.data, blocks, grid);
        for (std::int64_t b = 0; b < blocks; ++b) {
          Span<T> block(op, b * block_samples, compensated ? Precision::compensated : Precision::working);
          block.append(values.data() + b * block_samples, block_samples);
          expect_same(terms[static_cast<std::size_t>(b)], block.nodes().at(0).value,
                      kind + kernel_name("fold", op, eagle::dtype_of<T>(), compensated));
        }
      }
    }
  });
}

TEST(KernelsOnHost, JoinGivesTheNodesOfTheCoreOnAnyGrid) {
  constexpr std::int64_t groups = 3;
  for_each_reduction([&]<class T>(Op op, bool compensated, T) {
    for (const std::string& kind : kinds<T>()) {
      const std::vector<T> s = samples::generate<T>(kind, 8, groups * join_values), e = samples::generate<T>(kind, 9, s.size());
      std::vector<Term<T>> values;
      for (std::size_t k = 0; k < s.size(); ++k)
        values.push_back({eagle::canonical(s[k]), compensated ? eagle::canonical(T(e[k] + T(0))) : T(0)});
      std::vector<Term<T>> expected = values;
      for (; expected.size() > groups; expected.resize(expected.size() / 2))
        for (std::size_t k = 0; k < expected.size() / 2; ++k)
          expected[k] = eagle::detail::combine(op, compensated, expected[2 * k], expected[2 * k + 1]);
      for (const unsigned grid : {1U, 2U, 5U}) {
        const auto nodes = run<T>("join", op, compensated, values.data(), groups, grid);
        for (std::size_t g = 0; g < groups; ++g)
          expect_same(nodes[g], expected[g], kind + kernel_name("join", op, eagle::dtype_of<T>(), compensated));
      }
    }
  });
}

TEST(KernelsOnHost, NothingToDoReadsAndWritesNothing) {
  for_each_reduction([&]<class T>(Op op, bool compensated, T) {
    EXPECT_TRUE(run<T>("fold", op, compensated, static_cast<const T*>(nullptr), 0).empty());
    EXPECT_TRUE(run<T>("join", op, compensated, static_cast<const Term<T>*>(nullptr), 0).empty());
  });
}

TEST(KernelsOnHost, KnowsItsKernelsAndNoOthers) {
  EXPECT_EQ(eagle::detail::kernel_names().size(), 2 * (6 * 4 + 2) + 3 + 1);
  EXPECT_FALSE(eagle::detail::run_on_host("eagle_fold_max_float64_compensated", nullptr));
  EXPECT_EQ(eagle::detail::threads_of("eagle_join_sum_int32"), 512U);
  EXPECT_EQ(eagle::detail::threads_of("eagle_fold"), 0U);
}

}  // namespace
