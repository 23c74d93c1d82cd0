// SPDX-License-Identifier: Apache-2.0
// Arguments: what is accepted in which layout, and what is refused before anything runs.
#include <eagle/eagle.hpp>

#include <limits>

#include "support.hpp"

namespace {

using eagle::ArrayView;
using eagle::Code;
using eagle::DType;
using eagle::Values;
using support::refusal;
using testing::HasSubstr;

eagle::Plan plan_of(const std::string& name, eagle::PlanOptions options = {}) {
  options.structure = eagle::host_team({.threads = 2});
  return eagle::plan(eagle::load(support::bundle(name)).only(), std::move(options));
}

class Axpy : public testing::Test {
 protected:
  std::string refused(Code code, Values values, eagle::PlanOptions options = {}) {
    const std::vector<double> before = y;
    const std::string message = refusal(code, [&] { plan_of("axpy", options).run(values); });
    EXPECT_EQ(y, before);
    EXPECT_THAT(message, HasSubstr("plugin 'axpy'"));
    return message;
  }
  Values values() { return {{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", 2.0}, {"b", 1.0}}; }
  Values with(const std::string& name, eagle::Value value) {
    Values all = values();
    all.insert_or_assign(name, std::move(value));
    return all;
  }
  Values without(const std::string& name) {
    Values all = values();
    all.erase(name);
    return all;
  }
  std::vector<double> x = {1, 2, 3, 4}, y = {9, 9, 9, 9};
};

TEST_F(Axpy, WritesGivenPlanesInPlace) {
  const auto result = plan_of("axpy").run(values());
  EXPECT_EQ(y, (std::vector<double>{3, 5, 7, 9}));
  EXPECT_EQ(result.array("y").data, y.data());
}

TEST_F(Axpy, NamesMustBeThere) {
  EXPECT_THAT(refused(Code::argument, without("x")), HasSubstr("argument 'x' (per_sample, float64) is missing"));
  EXPECT_THAT(refused(Code::argument, without("a")), HasSubstr("argument 'a' (uniform, float64) is missing"));
  EXPECT_THAT(refused(Code::argument, with("z", 1.0)), HasSubstr("'z' is unknown"));
  EXPECT_THAT(refused(Code::argument, with("layout", 1.0)), HasSubstr("the arguments are y, x, a, b"));
}

TEST(Names, ANearNameIsSuggested) {
  std::vector<std::int64_t> k = {1};
  EXPECT_THAT(refusal(Code::argument, [&] { plan_of("hash_mix").run({{"k", eagle::view(k)}, {"sead", 1}}); }),
              HasSubstr("is 'seed' meant?"));
}

TEST_F(Axpy, LengthsMustAgree) {
  std::vector<double> five(5);
  EXPECT_THAT(refused(Code::argument, with("x", eagle::view(five))), HasSubstr("argument 'x' has 5 samples, and 'y' has 4"));
  EXPECT_THAT(refused(Code::argument, values(), {.n_samples = 3}), HasSubstr("has 4 samples, and the plan has 3"));
  EXPECT_THAT(refused(Code::argument, values(), {.partitions = {{0, 5, 5}}}), HasSubstr("the plan has 5"));
}

TEST(Samples, SomethingMustFixTheirNumber) {
  EXPECT_THAT(refusal(Code::argument, [] { plan_of("countdown").run({}); }), HasSubstr("give n_samples"));
}

TEST_F(Axpy, ShapesMustFit) {
  EXPECT_THAT(refused(Code::argument, with("x", eagle::view(x.data(), DType::float64, {2, 2}))),
              HasSubstr("its shape must be (n,)"));
}

TEST_F(Axpy, ElementTypes) {
  std::vector<float> narrow = {1, 2, 3, 4};
  std::vector<std::int32_t> whole = {1, 2, 3, 4};
  plan_of("axpy").run(with("x", eagle::view(narrow)));
  EXPECT_EQ(y[3], 9);
  plan_of("axpy").run(with("x", eagle::view(whole)));
  EXPECT_EQ(y[2], 7);
  EXPECT_THAT(refused(Code::type, with("y", eagle::view(narrow))), HasSubstr("argument 'y' is float32, and float64 is due"));
}

TEST(ElementTypes, NothingIsNarrowed) {
  std::vector<double> x = {1, 2};
  std::vector<std::int64_t> k = {1, 2};
  EXPECT_THAT(refusal(Code::type, [&] { plan_of("saxpy").run({{"x", eagle::view(x)}, {"a", 1.0}}); }),
              HasSubstr("is float64, and float32"));
  EXPECT_THAT(refusal(Code::type, [&] { plan_of("saxpy").run({{"x", eagle::view(k)}, {"a", 1.0}}); }),
              HasSubstr("is int64, and float32"));
  EXPECT_THAT(refusal(Code::type, [&] { plan_of("hash_mix").run({{"k", eagle::view(x)}, {"seed", 1}}); }),
              HasSubstr("is float64, and int64"));
}

TEST_F(Axpy, UniformsAreNumbers) {
  EXPECT_THAT(refused(Code::type, with("a", eagle::view(x))),
              HasSubstr("argument 'a' is float64 (4,): a uniform is one number"));
  double two = 2;
  plan_of("axpy").run(with("a", eagle::view(&two, DType::float64, {})));
  EXPECT_EQ(y[3], 9);
}

TEST(Uniforms, IntegersStayIntegersAndInRange) {
  std::vector<std::int64_t> k = {1};
  const auto run = [&](eagle::Value seed) { plan_of("hash_mix").run({{"k", eagle::view(k)}, {"seed", std::move(seed)}}); };
  EXPECT_NO_THROW(run(std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(refusal(Code::argument, [&] { run(std::uint64_t{1} << 63); }), HasSubstr("out of the range of int64"));
  EXPECT_THAT(refusal(Code::type, [&] { run(1.5); }), HasSubstr("1.5 is not an integer"));
  std::vector<float> x = {1};
  EXPECT_THAT(refusal(Code::argument, [&] { plan_of("saxpy").run({{"x", eagle::view(x)}, {"a", 1e300}}); }),
              HasSubstr("out of the range of float32"));
}

TEST_F(Axpy, OutputsMustBeWritableAndApart) {
  const std::vector<double>& fixed = y;
  EXPECT_THAT(refused(Code::argument, with("y", eagle::view(fixed))), HasSubstr("argument 'y' is read-only"));
  EXPECT_THAT(refused(Code::argument, with("x", eagle::view(y))), HasSubstr("argument 'y' overlaps argument 'x'"));
  std::vector<double> both(7);
  Values shifted = with("x", eagle::view(both.data(), DType::float64, {4}));
  shifted.insert_or_assign("y", eagle::view(both.data() + 3, DType::float64, {4}));
  EXPECT_THAT(refused(Code::argument, shifted), HasSubstr("overlaps"));
  EXPECT_THAT(refused(Code::argument, with("y", eagle::view(y.data(), DType::float64, {4}, {0}))), HasSubstr("share memory"));
  EXPECT_THAT(refused(Code::argument, with("y", eagle::view(both.data(), DType::float64, {4}, {0}))),
              HasSubstr("share memory"));
}

TEST_F(Axpy, PointersMustBeHostPointersAndAligned) {
  const ArrayView on_device = eagle::view(x.data(), DType::float64, {4}, {}, {EAGLE_DEVICE_CUDA, 1});
  EXPECT_THAT(refused(Code::type, with("x", on_device)), HasSubstr("lies on cuda:1"));
  const ArrayView skewed = eagle::view(reinterpret_cast<char*>(x.data()) + 4, DType::float64, {3});
  EXPECT_THAT(refused(Code::argument, with("x", skewed), {}), testing::AnyOf(HasSubstr("misaligned"), HasSubstr("samples")));
  ArrayView null = eagle::view(x);
  null.data = nullptr;
  EXPECT_THAT(refused(Code::argument, with("x", null)), HasSubstr("null pointer"));
}

TEST_F(Axpy, ANumberIsNoPlaneForAnOutput) {
  EXPECT_THAT(refused(Code::type, with("y", 1.0)), HasSubstr("argument 'y' is the number 1"));
}

TEST_F(Axpy, NumbersAreASingleSample) {
  const auto result = plan_of("axpy").run({{"x", 4.0}, {"a", 2.0}, {"b", 1.0}});
  EXPECT_EQ(result.array("y").shape, (eagle::Extents{}));
  EXPECT_EQ(result.value<double>("y"), 9.0);
  EXPECT_THAT(refused(Code::argument, with("x", 4.0)), HasSubstr("cannot be mixed"));
}

/// q = p + dt * v on three components; the answer is checked component by component.
class Drift : public testing::Test {
 protected:
  static constexpr std::int64_t n = 5;
  std::vector<double> p = support::uniforms(3 * n, 1), v = support::uniforms(3 * n, 2);
  ArrayView plane(std::vector<double>& a) { return eagle::view(a.data(), DType::float64, {3, n}); }
  /// The same values, laid out by sample.
  std::vector<double> by_sample(const std::vector<double>& a) {
    std::vector<double> b(a.size());
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < n; ++i) b[i * 3 + c] = a[c * n + i];
    return b;
  }
  std::vector<double> answer() {
    const auto result = plan_of("drift3").run({{"p", plane(p)}, {"v", plane(v)}, {"dt", 0.5}});
    const auto* q = static_cast<const double*>(result.array("q").data);
    return {q, q + 3 * n};
  }
};

struct Log final : eagle::Observer {
  std::vector<std::string> warnings;
  std::int64_t done = 0, begun = 0;
  void warning(std::string_view text) override { warnings.emplace_back(text); }
  void begin(std::string_view label, const eagle::Partition&) override {
    EXPECT_EQ(label.substr(0, 17), "eagle::HostTeam::");
    ++begun;
  }
  void progress(std::int64_t finished, std::int64_t) override { done = finished; }
};

TEST_F(Drift, OtherLayoutsGiveTheSameBits) {
  const std::vector<double> expected = answer();
  std::vector<double> rows = by_sample(p), q(3 * n), wide(6 * n);
  const auto log = std::make_shared<Log>();
  const auto run = [&](ArrayView given, ArrayView out) {
    plan_of("drift3", {.observer = log}).run({{"p", given}, {"v", plane(v)}, {"dt", 0.5}, {"q", out}});
  };
  // (n, w) whose transpose is contiguous is taken as it is.
  run(eagle::view(p.data(), DType::float64, {n, 3}, {1, n}), plane(q));
  EXPECT_TRUE(support::same_bits(q, expected));
  EXPECT_TRUE(log->warnings.empty());
  // Rows with a gap between them are native as well.
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < n; ++i) wide[c * 2 * n + i] = p[c * n + i];
  run(eagle::view(wide.data(), DType::float64, {3, n}, {2 * n, 1}), plane(q));
  EXPECT_TRUE(support::same_bits(q, expected));
  EXPECT_TRUE(log->warnings.empty());
  // Sample-major is copied, and said to be.
  run(eagle::view(rows.data(), DType::float64, {n, 3}), plane(q));
  EXPECT_TRUE(support::same_bits(q, expected));
  ASSERT_EQ(log->warnings.size(), 1U);
  EXPECT_THAT(log->warnings[0], HasSubstr("argument 'p' is copied"));
  // A sample-major output is copied in and back.
  std::vector<double> out(3 * n);
  run(plane(p), eagle::view(out.data(), DType::float64, {n, 3}));
  EXPECT_TRUE(support::same_bits(out, by_sample(expected)));
  // Reversed samples.
  std::vector<double> reversed(3 * n);
  for (std::size_t k = 0; k < 3 * n; ++k) reversed[3 * n - 1 - k] = p[k];
  run(eagle::view(reversed.data() + 3 * n - 1, DType::float64, {3, n}, {-n, -1}), plane(q));
  EXPECT_TRUE(support::same_bits(q, expected));
}

TEST_F(Drift, BindRefusesOutputsThatWouldBeCopied) {
  std::vector<double> out(3 * n);
  const Values values = {{"p", plane(p)}, {"v", plane(v)}, {"dt", 0.5}, {"q", eagle::view(out.data(), DType::float64, {n, 3})}};
  EXPECT_THAT(refusal(Code::argument, [&] { static_cast<void>(plan_of("drift3").bind(values)); }),
              HasSubstr("written in place"));
}

TEST_F(Drift, AVectorIsASingleSample) {
  std::vector<double> one = {1, 2, 3}, velocity = {10, 20, 30};
  const auto result = plan_of("drift3").run({{"p", eagle::view(one)}, {"v", eagle::view(velocity)}, {"dt", 0.5}});
  EXPECT_EQ(result.array("q").shape, (eagle::Extents{3}));
  EXPECT_EQ(static_cast<const double*>(result.array("q").data)[2], 18.0);
  EXPECT_THAT(refusal(Code::argument, [&] { plan_of("drift3").run({{"p", eagle::view(one)}, {"v", plane(v)}, {"dt", 0.5}}); }),
              HasSubstr("cannot be mixed"));
}

TEST_F(Drift, SquarePlanesAreAmbiguous) {
  std::vector<double> square = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const ArrayView given = eagle::view(square.data(), DType::float64, {3, 3});
  const Values values = {{"p", given}, {"v", given}, {"dt", 0.0}};
  EXPECT_THAT(refusal(Code::argument, [&] { plan_of("drift3").run(values); }), HasSubstr("layout={'p': 'component'}"));
  const auto component =
      plan_of("drift3", {.layout = {{"p", eagle::Layout::component}, {"v", eagle::Layout::component}}}).run(values);
  EXPECT_EQ(static_cast<const double*>(component.array("q").data)[1], 2.0);
  const auto sample = plan_of("drift3", {.layout = {{"p", eagle::Layout::sample}, {"v", eagle::Layout::sample}}}).run(values);
  EXPECT_EQ(static_cast<const double*>(sample.array("q").data)[1], 4.0);
}

TEST(Matrices, EveryShapeOfAThreeByThreePlane) {
  constexpr std::int64_t n = 4;
  std::vector<double> m = support::uniforms(9 * n, 1), x = support::uniforms(3 * n, 2), samples(9 * n);
  for (std::size_t c = 0; c < 9; ++c)
    for (std::size_t i = 0; i < n; ++i) samples[i * 9 + c] = m[c * n + i];
  const auto run = [&](ArrayView matrix) {
    const auto result = plan_of("matvec3").run({{"m", matrix}, {"x", eagle::view(x.data(), DType::float64, {3, n})}});
    const auto* y = static_cast<const double*>(result.array("y").data);
    return std::vector<double>(y, y + 3 * n);
  };
  const auto expected = run(eagle::view(m.data(), DType::float64, {3, 3, n}));
  for (std::size_t r = 0; r < 3; ++r)
    EXPECT_NEAR(expected[r * n], m[3 * r * n] * x[0] + m[(3 * r + 1) * n] * x[n] + m[(3 * r + 2) * n] * x[2 * n], 1e-15);
  EXPECT_TRUE(support::same_bits(run(eagle::view(m.data(), DType::float64, {9, n})), expected));
  EXPECT_TRUE(support::same_bits(run(eagle::view(samples.data(), DType::float64, {n, 3, 3})), expected));
  EXPECT_TRUE(support::same_bits(run(eagle::view(samples.data(), DType::float64, {n, 9})), expected));
  EXPECT_THAT(refusal(Code::argument, [&] { run(eagle::view(m.data(), DType::float64, {2, 2, 9})); }), HasSubstr("(3, 3, n)"));
}

TEST_F(Axpy, BoundPlansLaunchAgainAndRebind) {
  eagle::BoundPlan bound = plan_of("axpy", {.npartitions = 2}).bind(values());
  bound.launch();
  EXPECT_EQ(y[3], 9);
  x[3] = 10;
  bound.launch();
  EXPECT_EQ(y[3], 21);
  bound.rebind("a", 3.0);
  bound.launch();
  EXPECT_EQ(y[3], 31);
  std::vector<double> other = {5, 5, 5, 5};
  bound.rebind("x", eagle::view(other));
  bound.launch();
  EXPECT_EQ(y[3], 16);
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("x", eagle::view(y)); }), HasSubstr("overlaps"));
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("q", 1.0); }), HasSubstr("unknown"));
  std::vector<double> longer(9);
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("x", eagle::view(longer)); }), HasSubstr("9 samples"));
  bound.launch();
  EXPECT_EQ(y[3], 16) << "a refused rebind changes nothing";
  EXPECT_EQ(bound.result().array("y").data, y.data());
}

TEST_F(Axpy, RebindDoesNotMixSingleSamplesIntoABatch) {
  eagle::BoundPlan bound = plan_of("axpy").bind(values());
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("x", 4.0); }), HasSubstr("cannot be mixed"));
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("x", eagle::view(x.data(), DType::float64, {})); }),
              HasSubstr("cannot be mixed"));
  eagle::BoundPlan single = plan_of("axpy").bind({{"x", 1.0}, {"a", 1.0}, {"b", 1.0}});
  EXPECT_THAT(refusal(Code::argument, [&] { single.rebind("x", eagle::view(x.data(), DType::float64, {1})); }),
              HasSubstr("cannot be mixed"));
}

TEST_F(Drift, AWrittenPlaneMayNotOverlapItself) {
  std::vector<double> q(3 * n);
  const auto run = [&](eagle::Extents strides) {
    plan_of("drift3").run(
        {{"p", plane(p)}, {"v", plane(v)}, {"dt", 0.5}, {"q", eagle::view(q.data(), DType::float64, {3, n}, strides)}});
  };
  EXPECT_THAT(refusal(Code::argument, [&] { run({1, 1}); }), HasSubstr("share memory"));
  EXPECT_THAT(refusal(Code::argument, [&] { run({n - 1, 1}); }), HasSubstr("share memory"));
  EXPECT_NO_THROW(run({1, 3}));
}

class Partials : public testing::Test {
 protected:
  std::vector<double> x = {2, 3, 4}, y = {1, 1, 1}, total = {7, 7, 7};
  std::vector<std::uint8_t> none = {0, 0, 0}, all = {1, 1, 1};
};

TEST_F(Partials, ARefusalHasWrittenNothing) {
  const auto plan = plan_of("dot", {.combine = false});
  EXPECT_THAT(
      refusal(Code::argument, [&] { plan.run({{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"total", eagle::view(x)}}); }),
      HasSubstr("overlaps"));
  EXPECT_EQ(x, (std::vector<double>{2, 3, 4}));
  eagle::BoundPlan bound = plan.bind({{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"total", eagle::view(total)}});
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("total", eagle::view(x)); }), HasSubstr("overlaps"));
  EXPECT_EQ(x, (std::vector<double>{2, 3, 4}));
}

TEST_F(Partials, ARebindSeedsThemAgain) {
  eagle::BoundPlan bound = plan_of("product", {.combine = false})
                               .bind({{"x", eagle::view(x)}, {"terminated", eagle::view(none)}, {"total", eagle::view(total)}});
  bound.launch();
  EXPECT_EQ(total, x);
  bound.rebind("terminated", eagle::view(all));
  bound.launch();
  EXPECT_EQ(total, (std::vector<double>{1, 1, 1}));
}

TEST_F(Axpy, ObserversSeePartitions) {
  const auto log = std::make_shared<Log>();
  plan_of("axpy", {.npartitions = 3, .observer = log}).run(values());
  EXPECT_EQ(log->begun, 3);
  EXPECT_EQ(log->done, 4);
}

TEST_F(Axpy, MoreThanTheArtifactCanIndexIsRefused) {
  const std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THAT(refusal(Code::limit, [&] { plan_of("countdown", {.n_samples = most + 1}).run({}); }),
              HasSubstr("index word is 4 bytes"));
}

}  // namespace
