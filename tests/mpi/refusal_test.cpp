// SPDX-License-Identifier: Apache-2.0
// What one rank refuses or does differently, all ranks refuse, naming the first.
#include <Kokkos_Core.hpp>
#include <stdexcept>

#include <eagle/mpi_mapreduce.hpp>

#include "bed.hpp"

namespace {

using eagle::Code;
using eagle::view;
using support::refusal;
using testing::HasSubstr;

/// The last rank, which does something else in each test. With one rank there is nobody to differ from.
int odd_one() { return bed::size() - 1; }
bool am_odd() { return bed::rank() == odd_one(); }
std::string named() { return "rank " + std::to_string(odd_one()) + " of " + std::to_string(bed::size()); }

#define EAGLE_NEEDS_RANKS \
  if (bed::size() == 1) GTEST_SKIP() << "one rank"

TEST(RanksRefuse, ABadPlaneOnOneRank) {
  EAGLE_NEEDS_RANKS;
  const std::vector<double> x(100, 1.0);
  std::vector<float> wrong(100);
  std::vector<double> y(100, 5.0);
  eagle::Values values = {{"x", view(x)}, {"a", 1.0}, {"b", 1.0}, {"y", view(y)}};
  if (am_odd()) values.insert_or_assign("y", view(wrong));
  const auto plan = bed::on_ranks("axpy");
  const std::string message = refusal(Code::type, [&] { plan.run(values); });
  EXPECT_THAT(message, HasSubstr(named()));
  EXPECT_THAT(message, HasSubstr("argument 'y' is float32"));
  for (const double each : y) ASSERT_EQ(each, 5.0) << "nothing was written";
  values.insert_or_assign("y", view(y));
  plan.run(values);
  EXPECT_EQ(y[0], 2.0) << "the plan is usable again";
}

TEST(RanksRefuse, AnIllegalPlanOnOneRank) {
  EAGLE_NEEDS_RANKS;
  const std::string message =
      refusal(Code::placement, [] { bed::on_ranks("axpy", {.combine = am_odd() ? std::optional(false) : std::nullopt}); });
  EXPECT_THAT(message, HasSubstr(named()));
  EXPECT_THAT(message, HasSubstr("combine is refused"));
}

TEST(RanksRefuse, ABodyThatThrowsOnOneRank) {
  EAGLE_NEEDS_RANKS;
  const auto throwing = eagle::load(std::filesystem::path(EAGLE_HOST_BUNDLES) / "throwing").only();
  std::vector<double> x(1000, 0.0);
  x.back() = 2.0;  // in the last rank's part
  const auto plan = eagle::plan(throwing, {.structure = eagle::rank_partition(MPI_COMM_WORLD), .npartitions = 2});
  const std::string message = refusal(Code::body, [&] { plan.run({{"x", view(x)}, {"limit", 1.0}}); });
  EXPECT_THAT(message, HasSubstr(named()));
  EXPECT_THAT(message, HasSubstr("plugin 'throwing', partition ("));
  EXPECT_THAT(message, HasSubstr("x is above the limit"));
  x.back() = 0.0;
  plan.run({{"x", view(x)}, {"limit", 1.0}});
}

TEST(RanksRefuse, DifferentNumbersOfSamples) {
  EAGLE_NEEDS_RANKS;
  const std::vector<double> x(am_odd() ? 101 : 100, 1.0);
  const auto plan = bed::on_ranks("axpy");
  const std::string message = refusal(Code::partition, [&] { plan.run({{"x", view(x)}, {"a", 1.0}, {"b", 1.0}}); });
  EXPECT_THAT(message, HasSubstr(named() + ": the number of samples is not that of rank 0 (101, and there 100)"));
}

TEST(RanksRefuse, DifferentPluginsPartitionsAndOptions) {
  EAGLE_NEEDS_RANKS;
  EXPECT_THAT(refusal(Code::partition, [] { bed::on_ranks(am_odd() ? "saxpy" : "axpy"); }),
              HasSubstr(named() + ": the plugin"));
  EXPECT_THAT(refusal(Code::partition, [] { bed::on_ranks("axpy", {.npartitions = am_odd() ? 2 : 3}); }),
              HasSubstr(named() + ": the partitioning"));
  EXPECT_THAT(refusal(Code::partition, [] { bed::on_ranks("dot", {.combine = !am_odd()}); }),
              HasSubstr(named() + ": combine is not that of rank 0 (false, and there true)"));
}

TEST(RanksRefuse, InputsThatAreNotReplicatedWhereAsked) {
  EAGLE_NEEDS_RANKS;
  std::vector<double> x(100, 1.0);
  if (am_odd()) x[70] = 2.0;
  const auto plan = bed::on_ranks("axpy", {.check_replicated = true});
  EXPECT_THAT(refusal(Code::partition, [&] { plan.run({{"x", view(x)}, {"a", 1.0}, {"b", 1.0}}); }),
              HasSubstr(named() + ": argument 'x' is not that of rank 0"));
  x[70] = 1.0;
  EXPECT_THAT(refusal(Code::partition, [&] { plan.run({{"x", view(x)}, {"a", am_odd() ? 2.0 : 1.0}, {"b", 1.0}}); }),
              HasSubstr("argument 'a'"));
  plan.run({{"x", view(x)}, {"a", 1.0}, {"b", 1.0}});
}

TEST(RanksRefuse, DifferentLayouts) {
  EAGLE_NEEDS_RANKS;
  const auto layout = am_odd() ? eagle::Layout::sample : eagle::Layout::component;
  EXPECT_THAT(refusal(Code::partition, [&] { bed::on_ranks("drift3", {.layout = {{"p", layout}}}); }),
              HasSubstr(named() + ": layout is not that of rank 0 (p: sample, and there p: component)"));
}

TEST(RanksRefuse, PlansInAnotherOrder) {
  EAGLE_NEEDS_RANKS;
  const std::vector<double> x(100, 1.0);
  const eagle::Values values = {{"x", view(x)}, {"a", 1.0}, {"b", 1.0}};
  const auto one = bed::on_ranks("axpy"), two = bed::on_ranks("axpy", {.npartitions = 2});
  EXPECT_THAT(refusal(Code::partition, [&] { (am_odd() ? one : two).run(values); }), HasSubstr("the plan that is bound"));
  auto first = one.bind(values), second = two.bind(values);
  EXPECT_THAT(refusal(Code::partition, [&] { (am_odd() ? first : second).launch(); }), HasSubstr("the bound plan"));
  first.launch();
}

TEST(RanksRefuse, ACommunicatorThatWasFreed) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const std::vector<double> x(100, 1.0);
  const auto plan = bed::on_ranks("axpy", {}, comm);
  MPI_Comm_free(&comm);
  std::vector<MPI_Comm> others(6, MPI_COMM_NULL);  // which may be given the same handle
  for (MPI_Comm& each : others) MPI_Comm_dup(MPI_COMM_SELF, &each);
  EXPECT_THAT(refusal(Code::argument, [&] { plan.run({{"x", view(x)}, {"a", 1.0}, {"b", 1.0}}); }),
              HasSubstr("has been freed"));
  for (MPI_Comm& each : others) MPI_Comm_free(&each);
}

TEST(RanksRefuse, ACommunicatorOfTwoGroups) {
  EAGLE_NEEDS_RANKS;
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, bed::rank() == 0 ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, bed::rank() == 0 ? 1 : 0, 5, &between);
  EXPECT_THAT(refusal(Code::argument, [&] { bed::on_ranks("axpy", {}, between); }), HasSubstr("intercommunicator"));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

TEST(RanksRefuse, ReductionsThatDiffer) {
  EAGLE_NEEDS_RANKS;
  const Kokkos::OpenMP one(1);
  const auto f = [](std::int64_t i) { return static_cast<double>(i); };
  EXPECT_THAT(refusal(Code::partition, [&] { eagle::mapreduce<eagle::Sum>(MPI_COMM_WORLD, one, am_odd() ? 101 : 100, f); }),
              HasSubstr(named() + ": the range is not that of rank 0"));
  const auto precision = am_odd() ? eagle::Precision::compensated : eagle::Precision::working;
  EXPECT_THAT(refusal(Code::partition, [&] { eagle::mapreduce<eagle::Sum>(MPI_COMM_WORLD, one, 100, f, precision); }),
              HasSubstr(named() + ": the reduction is not that of rank 0"));
}

TEST(RanksRefuse, ClaimsOfAnyBytes) {
  EAGLE_NEEDS_RANKS;
  const auto claims = [] { return std::vector<eagle::Claim>{{"name", std::string("x\0y", 3) + (am_odd() ? "1" : "2")}}; };
  EXPECT_THAT(refusal(Code::partition, [&] { eagle::detail::agree_over_ranks(MPI_COMM_WORLD, nullptr, claims); }),
              HasSubstr(named() + ": name is not that of rank 0"));
}

/// An observer, on every rank: its own part ends before the run does.
TEST(RanksObserver, IsAskedBetweenPartitionsAndToldOfTheEnd) {
  struct Watch final : eagle::Observer {
    std::int64_t last = 0;
    int asked = 0;
    void progress(std::int64_t done, std::int64_t) override { last = done; }
    bool stop_requested() override { return ++asked > 1000000; }
  };
  const std::vector<double> x(90, 1.0);
  const auto watch = std::make_shared<Watch>();
  bed::on_ranks("axpy", {.npartitions = 3, .observer = watch}).run({{"x", view(x)}, {"a", 1.0}, {"b", 1.0}});
  EXPECT_EQ(watch->last, 90);
  EXPECT_GE(watch->asked, 2);
}

TEST(RanksRefuse, CheckReplicatedIsOfRanksAlone) {
  EXPECT_THAT(refusal(Code::placement, [] { bed::single("axpy", {.check_replicated = true}); }), HasSubstr("check_replicated"));
}

TEST(RanksRefuse, ACommunicatorThisProcessIsNotPartOf) {
  EXPECT_THAT(refusal(Code::argument, [] { eagle::rank_partition(MPI_COMM_NULL); }), HasSubstr("MPI_COMM_NULL"));
}

TEST(RanksLambda, OneValueOnAnyRanksAndThreads) {
  const auto f = [](std::int64_t i) {
    return static_cast<double>(support::mixed(static_cast<std::uint64_t>(i)) >> 11) * 0x1p-40 - 4096;
  };
  const Kokkos::OpenMP one(1), two(2);
  for (const std::int64_t n : {0, 1, 1000, 1024, 100003}) {
    const double expected = eagle::mapreduce<eagle::Sum>(one, n, f);
    EXPECT_EQ(eagle::mapreduce<eagle::Sum>(MPI_COMM_WORLD, two, n, f), expected) << n;
    EXPECT_EQ(eagle::mapreduce<eagle::Max>(MPI_COMM_WORLD, one, eagle::IndexRange(5, 5 + n), f),
              eagle::mapreduce<eagle::Max>(two, eagle::IndexRange(5, 5 + n), f));
    using Pair = std::array<double, 2>;
    const auto pair = [f](std::int64_t i) { return Pair{f(i), -f(i) * f(i)}; };
    EXPECT_EQ(eagle::mapreduce<eagle::Sum>(MPI_COMM_WORLD, two, n, pair, eagle::Precision::compensated),
              eagle::mapreduce<eagle::Sum>(one, n, pair, eagle::Precision::compensated));
  }
}

TEST(RanksLambda, DotOfDistributedVectors) {
  const std::size_t n = 5003;
  const auto x = support::uniforms(n, 1), y = support::uniforms(n, 2);
  const auto whole = [](const std::vector<double>& a) {
    return Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(a.data(), a.size());
  };
  // Uneven shares: rank 0 has nothing, the others ever more.
  const auto weight = [](int r) { return static_cast<std::size_t>(r) * static_cast<std::size_t>(r + 1) / 2; };
  const auto edge = [&](int r) {
    return bed::size() == 1 ? (r == 0 ? std::size_t{0} : n) : r == bed::size() ? n : n * weight(r) / weight(bed::size());
  };
  const std::size_t first = edge(bed::rank()), last = edge(bed::rank() + 1);
  const auto range = std::pair(first, last);
  const auto mine = [&](const std::vector<double>& a) { return Kokkos::subview(whole(a), range); };
  EXPECT_EQ(eagle::dot(MPI_COMM_WORLD, mine(x), mine(y)), eagle::dot(Kokkos::OpenMP(1), whole(x), whole(y)));
}

TEST(RanksLambda, AFunctorThatThrowsOnOneRank) {
  EAGLE_NEEDS_RANKS;
  const std::string message = refusal(Code::internal, [] {
    eagle::mapreduce<eagle::Sum>(MPI_COMM_WORLD, Kokkos::OpenMP(1), 1000, [](std::int64_t i) -> double {
      if (i == 999) throw std::runtime_error("not this one");
      return 1.0;
    });
  });
  EXPECT_THAT(message, HasSubstr(named() + ": not this one"));
}

}  // namespace
