// SPDX-License-Identifier: Apache-2.0
// The canonical reduction against frozen bits, on every instruction set that this CPU has.
#include <algorithm>
#include <random>

#include <eagle/span.hpp>

#include "golden.hpp"
#include "samples.hpp"
#include "support.hpp"

namespace {

using eagle::Op;
using eagle::Precision;
using eagle::Span;

struct Row {
  std::string kind;
  eagle::DType dtype;
  Op op;
  std::int64_t n;
  std::uint64_t seed;
  Precision precision;
  std::uint64_t bits;
  const rapidjson::Value& json;
};

Row row_of(const rapidjson::Value& json) {
  return {json["kind"].GetString(),
          *eagle::dtype_from(json["dtype"].GetString()),
          *eagle::op_from(json["op"].GetString()),
          json["n"].GetInt64(),
          json["seed"].GetUint64(),
          json.HasMember("precision") ? *eagle::precision_from(json["precision"].GetString()) : Precision::working,
          hex(json["bits"]),
          json};
}

/// The representation of a value as an unsigned integer of its width.
template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<std::uint64_t>(value);
  else return std::bit_cast<std::uint32_t>(value);
}

/// Calls f(row, T{}) for every row of a list.
template <class F>
void for_each_row(const char* list, F&& f) {
  for (const auto& json : golden()[list].GetArray()) {
    const Row row = row_of(json);
    eagle::visit(row.dtype, [&]<class T>(T) {
      if constexpr (eagle::Reducible<T>) f(row, T{});
    });
  }
}

std::string text_of(const Row& row) {
  std::ostringstream text;
  text << row.kind << " " << name(row.dtype) << " " << name(row.op) << " n " << row.n << " seed " << row.seed << " "
       << name(row.precision);
  return text.str();
}

template <class T>
Span<T> span_of(const Row& row, const std::vector<T>& values, std::int64_t begin, std::int64_t end) {
  Span<T> span(row.op, begin, row.precision);
  span.append(values.data() + begin, end - begin);
  return span;
}

class Golden : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const auto& path = eagle::detail::block_paths()[GetParam()];
    if (!path.supported()) GTEST_SKIP() << "this CPU has no " << path.name;
    eagle::detail::use_block_path(&path);
  }
  void TearDown() override { eagle::detail::use_block_path(nullptr); }
};

TEST_P(Golden, EveryCase) {
  int rows = 0;
  for_each_row("cases", [&]<class T>(const Row& row, T) {
    const std::vector<T> values = samples::generate<T>(row.kind, row.seed, static_cast<std::size_t>(row.n));
    const Span<T> span = span_of(row, values, 0, row.n);
    ASSERT_EQ(bits_of(span.finish(row.n)), row.bits) << text_of(row);
    if (row.json.HasMember("pair") && row.n > 0) {
      const auto term = span.root(row.n);
      ASSERT_EQ(bits_of(term.s), hex(row.json["pair"][0])) << text_of(row);
      ASSERT_EQ(bits_of(term.e), hex(row.json["pair"][1])) << text_of(row);
    }
    ++rows;
  });
  EXPECT_EQ(rows, 2636);
}

TEST_P(Golden, EverySpan) {
  int rows = 0;
  for_each_row("spans", [&]<class T>(const Row& row, T) {
    const std::vector<T> values = samples::generate<T>(row.kind, row.seed, static_cast<std::size_t>(row.n));
    std::vector<Span<T>> spans;
    for (const auto& part : row.json["parts"].GetArray()) {
      const Span<T> span = span_of(row, values, part["begin"].GetInt64(), part["end"].GetInt64());
      ASSERT_EQ(static_cast<std::int64_t>(span.front().size()), part["front"][1].GetInt64() - part["front"][0].GetInt64())
          << text_of(row);
      ASSERT_EQ(static_cast<std::int64_t>(span.back().size()), part["back"][1].GetInt64() - part["back"][0].GetInt64())
          << text_of(row);
      ASSERT_EQ(span.nodes().size(), part["nodes"].Size()) << text_of(row);
      for (rapidjson::SizeType k = 0; k < part["nodes"].Size(); ++k) {
        const auto& node = part["nodes"][k];
        ASSERT_EQ(span.nodes()[k].level, node[0].GetInt());
        ASSERT_EQ(span.nodes()[k].index, node[1].GetInt64());
        ASSERT_EQ(bits_of(span.nodes()[k].value.s), hex(node[2])) << text_of(row);
        ASSERT_TRUE(node.Size() == 3 || bits_of(span.nodes()[k].value.e) == hex(node[3])) << text_of(row);
      }
      spans.push_back(span);
    }
    // Any grouping: left to right, right to left, and halves.
    const auto merged = [&](auto&& self, std::size_t first, std::size_t last, int way) -> Span<T> {
      if (last - first == 1) return spans[first];
      const std::size_t middle = way == 0 ? last - 1 : way == 1 ? first + 1 : (first + last) / 2;
      Span<T> left = self(self, first, middle, way);
      left.merge(self(self, middle, last, way));
      return left;
    };
    for (int way = 0; way < 3; ++way)
      ASSERT_EQ(bits_of(merged(merged, 0, spans.size(), way).finish(row.n)), row.bits) << text_of(row) << " way " << way;
    ++rows;
  });
  EXPECT_EQ(rows, 18);
}

/// The rows that tell wrong trees apart: the value is the frozen one, and none of the wrong ones.
TEST_P(Golden, NoWrongTree) {
  int told_apart = 0;
  for_each_row("sensitivity", [&]<class T>(const Row& row, T) {
    const std::vector<T> values = samples::generate<T>(row.kind, row.seed, static_cast<std::size_t>(row.n));
    const std::uint64_t bits = bits_of(span_of(row, values, 0, row.n).finish(row.n));
    ASSERT_EQ(bits, row.bits) << text_of(row);
    for (const auto& other : row.json["others"].GetObject())
      if (hex(other.value) != row.bits) ++told_apart;
  });
  EXPECT_GT(told_apart, 50);
}

/// A block as device code folds it, lane by lane, is the block that the fast loops fold.
TEST_P(Golden, TheExpressionOfABlock) {
  int rows = 0;
  for_each_row("cases", [&]<class T>(const Row& row, T) {
    if (row.n < 1024 || row.n > 4096) return;
    std::vector<T> values = samples::generate<T>(row.kind, row.seed, 1024);
    const auto term = span_of(row, values, 0, 1024).root(1024);
    const bool compensated = row.precision == eagle::Precision::compensated;
    eagle::detail::visit<T>(row.op, compensated, [&]<class O, bool c>(eagle::detail::Tree<O, T, c>) {
      for (T& value : values) value = eagle::canonical(O::lift(value));
      const auto expected = eagle::detail::Tree<O, T, c>::fold_block(values.data(), 1024);
      ASSERT_EQ(bits_of(term.s), bits_of(expected.s)) << text_of(row);
      ASSERT_EQ(bits_of(term.e), bits_of(expected.e)) << text_of(row);
    });
    ++rows;
  });
  EXPECT_GT(rows, 100);
}

INSTANTIATE_TEST_SUITE_P(Paths, Golden, testing::Range<std::size_t>(0, eagle::detail::block_paths().size()),
                         [](const auto& path) { return std::string(eagle::detail::block_paths()[path.param].name); });

template <class T>
void expect_same(const Span<T>& a, const Span<T>& b, std::int64_t n) {
  EXPECT_EQ(bits_of(a.finish(n)), bits_of(b.finish(n)));
}

TEST(Spans, CutsAtEveryIndexNearBordersGiveTheSameBits) {
  constexpr std::int64_t n = 5 * 1024 + 77;
  const auto values = samples::generate<double>("cancelling", 3, n);
  for (const Precision precision : {Precision::working, Precision::compensated}) {
    Span<double> whole(Op::sum, 0, precision);
    whole.append(values.data(), n);
    const auto check = [&](std::int64_t cut) {
      Span<double> left(Op::sum, 0, precision), right(Op::sum, cut, precision);
      left.append(values.data(), cut);
      right.append(values.data() + cut, n - cut);
      left.merge(right);
      ASSERT_EQ(bits_of(left.finish(n)), bits_of(whole.finish(n))) << "cut " << cut;
    };
    for (std::int64_t border = 0; border <= n; border += 64)
      for (std::int64_t d = -2; d <= 2; ++d)
        if (border + d >= 0 && border + d <= n) check(border + d);
  }
}

TEST(Spans, ManyPartsInsideOneBlockAndRandomCuts) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::int64_t>(random() % 9000);
    const auto values = samples::generate<float>("cancelling", static_cast<std::uint64_t>(round), static_cast<std::size_t>(n));
    std::vector<std::int64_t> cuts = {0, n};
    for (int k = 0; k < 30; ++k) cuts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n + 1)));
    std::sort(cuts.begin(), cuts.end());
    Span<float> whole(Op::sum);
    whole.append(values.data(), n);
    std::vector<Span<float>> parts;
    for (std::size_t k = 1; k < cuts.size(); ++k) {
      parts.emplace_back(Op::sum, cuts[k - 1]);
      for (std::int64_t i = cuts[k - 1]; i < cuts[k];) {  // pieces of odd lengths
        const std::int64_t count = std::min<std::int64_t>(cuts[k] - i, 1 + static_cast<std::int64_t>(random() % 1500));
        parts.back().append(values.data() + i, count);
        i += count;
      }
    }
    while (parts.size() > 1) {  // merged in a random grouping, each part through its serialised form now and then
      const std::size_t k = random() % (parts.size() - 1);
      if (random() % 4 == 0) parts[k + 1] = eagle::deserialise<float>(eagle::serialise<float>(std::span(&parts[k + 1], 1)))[0];
      parts[k].merge(parts[k + 1]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    }
    ASSERT_EQ(bits_of(parts[0].finish(n)), bits_of(whole.finish(n))) << round;
  }
}

TEST(Spans, SizeIsBounded) {
  std::vector<double> block(1024 * 64, 1.0);
  Span<double> span(Op::sum, 1);
  span.append(block.data(), 1022);
  std::size_t most = 0;
  for (int k = 0; k < 200; ++k) {
    span.append(block.data(), static_cast<std::int64_t>(block.size()));
    most = std::max(most, span.nodes().size());
  }
  EXPECT_LE(most, 2U * 14 - 2);
  EXPECT_LE(span.front().size(), 1023U);
  EXPECT_LE(span.back().size(), 1023U);
}

TEST(Spans, RefuseWhatIsNoPart) {
  using support::refusal;
  using testing::HasSubstr;
  double one = 1;
  Span<double> a(Op::sum), b(Op::sum, 5), c(Op::max, 1);
  a.append(&one, 1);
  b.append(&one, 1);
  c.append(&one, 1);
  EXPECT_THAT(refusal(eagle::Code::partition, [&] { a.merge(b); }), HasSubstr("[0, 1) and [5, 6) do not touch"));
  EXPECT_THAT(refusal(eagle::Code::placement, [&] { a.merge(c); }), HasSubstr("do not merge"));
  EXPECT_THAT(refusal(eagle::Code::partition, [&] { static_cast<void>(b.finish(6)); }), HasSubstr("is not the whole run"));
  EXPECT_THAT(refusal(eagle::Code::partition, [&] { static_cast<void>(a.finish(2)); }),
              HasSubstr("[0, 1) is not the whole run [0, 2)"));
  EXPECT_THAT(refusal(eagle::Code::placement, [] { Span<std::int64_t>(Op::sum, 0, Precision::compensated); }),
              HasSubstr("compensated"));
  EXPECT_THAT(refusal(eagle::Code::placement, [] { Span<double>(Op::max, 0, Precision::compensated); }),
              HasSubstr("compensated"));
  EXPECT_THAT(refusal(eagle::Code::partition, [] { Span<double>(Op::sum, -1); }), HasSubstr("-1"));
}

TEST(Spans, EmptyRunsGiveTheIdentity) {
  for (const Op op : {Op::sum, Op::times, Op::max, Op::land}) {
    EXPECT_EQ(Span<double>(op).finish(0), eagle::identity<double>(op));
    EXPECT_EQ(Span<std::uint32_t>(op).finish(0), eagle::identity<std::uint32_t>(op));
  }
}

TEST(Spans, SerialisedBytesAreChecked) {
  const auto values = samples::generate<double>("uniform", 1, 5000);
  std::vector<Span<double>> components(2, Span<double>(Op::sum, 100, Precision::compensated));
  for (auto& each : components) each.append(values.data() + (&each - components.data()), 4000);
  const auto bytes = eagle::serialise<double>(components);
  const auto back = eagle::deserialise<double>(bytes);
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(eagle::serialise<double>(back), bytes);
  EXPECT_EQ(bits_of(back[1].nodes()[0].value.e), bits_of(components[1].nodes()[0].value.e));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(eagle::deserialise<double>(std::span(bytes.data(), cut)), eagle::Error);
  for (std::size_t k = 0; k < 48; ++k)
    for (const int flip : {1, 0x80}) {
      auto broken = bytes;
      broken[k] ^= static_cast<std::byte>(flip);
      try {
        eagle::deserialise<double>(broken);  // a changed range or operator may still be a part; it must not crash
      } catch (const eagle::Error& e) {
        EXPECT_EQ(e.code(), eagle::Code::io);
      }
    }
  EXPECT_THROW(eagle::deserialise<float>(bytes), eagle::Error);
}

TEST(Compensated, IsExactWhereThePlainSumIsNot) {
  std::vector<double> values = {1.0, 1.0, 1e100, -1e100};
  Span<double> plain(Op::sum), compensated(Op::sum, 0, Precision::compensated);
  plain.append(values.data(), 4);
  compensated.append(values.data(), 4);
  EXPECT_EQ(compensated.finish(4), 2.0);
  EXPECT_NE(plain.finish(4), 2.0);
}

}  // namespace
