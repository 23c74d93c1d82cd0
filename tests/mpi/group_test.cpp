// SPDX-License-Identifier: Apache-2.0
// Ranks with a stand-in device each, whose outputs a stand-in NCCL gathers: the host's bits on every rank, and what fails on
// one is told on all.
#include <mpi.h>

#include <algorithm>
#include <optional>

#include <eagle/mpi.hpp>

#include "../device/identity.hpp"
#include "stand_in_nccl.hpp"

namespace {

using namespace bed;
using testing::IsEmpty;

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}
int size() {
  int value = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}
/// The last rank, which fails in tests.
int odd_one() { return size() - 1; }
bool am_odd() { return rank() == odd_one(); }
std::string named() { return "rank " + std::to_string(odd_one()) + " of " + std::to_string(size()) + ": plugin 'axpy'"; }

#define EAGLE_NEEDS_RANKS \
  if (size() == 1) GTEST_SKIP() << "one rank"

eagle::Plan on_group(const eagle::Plugin& plugin, eagle::PlanOptions options = {}, eagle::DeviceGroupOptions how = {},
                     MPI_Comm comm = MPI_COMM_WORLD) {
  options.structure = eagle::device_group(comm, how);
  return eagle::plan(plugin, std::move(options));
}

/// A communicator that eagle has not met.
class Communicator {
 public:
  Communicator() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~Communicator() { MPI_Comm_free(&comm_); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::ptrdiff_t calls_of(const std::string& symbol) {
  const auto calls = stand_in_nccl::calls();
  return std::count(calls.begin(), calls.end(), symbol);
}

class RanksInAGroup : public testing::Test {
 protected:
  void SetUp() override {
    fresh();
    EXPECT_EQ(cuInit(0), 0);
    if (!std::filesystem::exists(support::bundle("axpy") / "axpy.ptx"))
      GTEST_SKIP() << "the worked plugins were built without nvcc";
  }
  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_THAT(stand_in::misuses(), IsEmpty());
    const Current current(rank());
    EXPECT_EQ(cuStreamSynchronize(nullptr), 0);
    EXPECT_EQ(stand_in::outstanding().allocations, 0U);
  }
  static void fresh() {
    stand_in::reset();
    stand_in_nccl::reset();
    stand_in::set_devices(size());
    for (const char* folder : {EAGLE_TEST_BUNDLES, EAGLE_OWN_BUNDLES}) stand_in::twins(folder);
  }
  /// x, 2x + 1 of it, and that a run gives this on every rank.
  static void expect_runs(std::int64_t n = 10, MPI_Comm comm = MPI_COMM_WORLD) {
    const auto x = support::uniforms(static_cast<std::size_t>(n), 1);
    const auto result = on_group(plugin("axpy"), {}, {.staging = true}, comm).run({{"x", view(x)}, {"a", 2.0}, {"b", 1.0}});
    const auto y = values_of<double>(result.array("y"));
    ASSERT_EQ(y.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i] + 1) << "rank " << rank() << ", sample " << i;
  }
};

void expect_hosts_bits(const eagle::Plugin& plugin, std::int64_t n) {
  const Run expected = run(on_host(plugin, {.n_samples = n}), Inputs(plugin, n, true));
  ASSERT_FALSE(expected.outputs.empty() && expected.arrays.empty());
  for (const std::int64_t parts : {1, 3}) {
    const auto what = plugin.id() + ", n " + std::to_string(n) + ", " + std::to_string(parts) + " parts";
    expect_same(run(on_group(plugin, {.npartitions = parts, .n_samples = n}, {.staging = true}), Inputs(plugin, n, true)),
                expected, what + ", staged");
    Inputs there(plugin, n, true);
    there.move_to(rank());
    expect_same(run(on_group(plugin, {.npartitions = parts, .n_samples = n}), std::move(there)), expected,
                what + ", on the device");
  }
}

void expect_every_bundle(const std::filesystem::path& folder, std::size_t count) {
  std::size_t found = 0;
  for (const eagle::Plugin& plugin : plugins_below(folder)) {
    const auto& arguments = plugin.declaration().arguments;
    const bool wide = std::any_of(arguments.begin(), arguments.end(),
                                  [](const eagle::Argument& each) { return each.role == eagle::Role::wide_out; });
    if (plugin.declaration().access == eagle::Access::cross_sample_write || wide) {
      EXPECT_THAT(refusal(Code::placement, [&] { on_group(plugin); }), HasSubstr("device_group"));
      continue;
    }
    ++found;
    for (const std::int64_t n : {0, 1, 66, 1021}) expect_hosts_bits(plugin, n);
  }
  EXPECT_GE(found, count);
}

TEST_F(RanksInAGroup, HaveTheHostsBits) { expect_every_bundle(EAGLE_TEST_BUNDLES, 20); }

/// Other types, counters, two accumulate outputs.
TEST_F(RanksInAGroup, OfOtherKinds) { expect_every_bundle(EAGLE_OWN_BUNDLES, 3); }

TEST_F(RanksInAGroup, FoldMoreThanATile) {
  const std::int64_t n = (std::int64_t{3} << 22) + 12345;
  const auto total = on_group(plugin("sum_index"), {.npartitions = 2, .n_samples = n}).run({}).value<std::int64_t>("total");
  EXPECT_EQ(total, n * (n - 1) / 2);
  EXPECT_THAT(stand_in_nccl::calls(), IsEmpty()) << "spans are merged in order, not reduced";
}

TEST_F(RanksInAGroup, EqualPartsAreOneAllGatherARowAndOthersABroadcastARank) {
  for (const bool even : {true, false}) {
    const std::int64_t n = even ? 10 * size() : 10 * size() + 1;
    auto p = support::uniforms(static_cast<std::size_t>(3 * n), 1);
    const auto plane = view(p.data(), eagle::DType::float64, {3, n});
    fresh();
    on_group(plugin("outer3"), {}, {.staging = true}).run({{"a", plane}, {"b", plane}});
    const bool gathers = size() > 1;
    EXPECT_EQ(calls_of("ncclAllGather"), gathers && even ? 9 : 0);
    EXPECT_EQ(calls_of("ncclBroadcast"), gathers && !even ? 9 * size() : 0);
  }
}

TEST_F(RanksInAGroup, OneNeedsNoNccl) {
  if (size() > 1) GTEST_SKIP() << "several ranks";
  expect_runs();
  EXPECT_THAT(stand_in_nccl::calls(), IsEmpty());
}

TEST_F(RanksInAGroup, HaveOneCommunicatorAsLongAsMpis) {
  EAGLE_NEEDS_RANKS;
  const int before = stand_in_nccl::communicators();
  std::optional<eagle::Plan> outlives;
  {
    const Communicator comm;
    outlives = on_group(plugin("axpy"), {}, {}, comm.get());
    for (int k = 0; k < 3; ++k) expect_runs(10, comm.get());
    EXPECT_EQ(calls_of("ncclCommInitRank"), 1);
    EXPECT_EQ(calls_of("ncclGetUniqueId"), rank() == 0 ? 1 : 0);
    EXPECT_EQ(stand_in_nccl::communicators(), before + 1);
  }
  EXPECT_EQ(stand_in_nccl::communicators(), before);
}

/// Also where this rank has no samples, and so no kernel.
TEST_F(RanksInAGroup, GatherAfterWhatTheCallersStreamWasGiven) {
  const OnDevice<double> x(std::vector<double>{3}, rank()), y(std::vector<double>{0}, rank());
  const Stream stream(rank());
  auto bound = on_group(plugin("axpy"), {}, {.stream = stream}).bind({{"x", x}, {"y", y}, {"a", 2.0}, {"b", 1.0}});
  const Current current(rank());
  const auto address = reinterpret_cast<CUdeviceptr>(y.array().data);
  ASSERT_EQ(cuMemsetD8Async(address, 0xff, sizeof(double), static_cast<CUstream>(static_cast<void*>(stream))), 0);
  bound.launch();
  ASSERT_EQ(cuStreamSynchronize(static_cast<CUstream>(static_cast<void*>(stream))), 0);
  EXPECT_THAT(y.values(), testing::ElementsAre(7));
}

TEST_F(RanksInAGroup, TellAllOfCallsOfNcclThatFailOnOne) {
  EAGLE_NEEDS_RANKS;
  for (const std::string symbol :
       {"ncclGroupStart", "ncclGroupEnd", "ncclBroadcast", "ncclAllGather", "ncclCommGetAsyncError"}) {
    const std::int64_t n = symbol == "ncclBroadcast" ? 10 * size() + 1 : 10 * size();
    expect_runs(n);
    fresh();
    if (am_odd()) stand_in_nccl::fail(symbol, 1, 1);
    EXPECT_THAT(refusal(Code::unavailable, [&] { expect_runs(n); }),
                AllOf(HasSubstr(named()), HasSubstr(symbol), HasSubstr("an error of the stand-in")));
    EXPECT_EQ(calls_of("ncclCommAbort"), 1) << symbol;
    fresh();
    expect_runs(n);
    EXPECT_EQ(calls_of("ncclCommInitRank"), 1) << "a new one";
  }
}

TEST_F(RanksInAGroup, TellAllOfACommunicatorThatIsNotMade) {
  EAGLE_NEEDS_RANKS;
  for (const std::string symbol : {"ncclGetUniqueId", "ncclCommInitRank"}) {
    const Communicator comm;
    if (symbol == "ncclGetUniqueId" ? rank() == 0 : am_odd()) stand_in_nccl::fail(symbol, 1, 1);
    EXPECT_THAT(refusal(Code::unavailable, [&] { expect_runs(10, comm.get()); }),
                AllOf(HasSubstr("rank "), HasSubstr(": plugin 'axpy': " + symbol)));
    fresh();
    expect_runs(10, comm.get());
  }
}

TEST_F(RanksInAGroup, NeedADeviceEach) {
  EAGLE_NEEDS_RANKS;
  stand_in::set_devices(1);
  const Communicator comm;
  EXPECT_THAT(refusal(Code::unavailable, [&] { expect_runs(10, comm.get()); }),
              AllOf(HasSubstr("each rank needs a device of its own"), HasSubstr("invalid usage")));
}

/// The others, which wait for bytes that never come, hear of it.
TEST_F(RanksInAGroup, TellAllWhatGoesWrongWhileTheyWait) {
  EAGLE_NEEDS_RANKS;
  expect_runs();
  fresh();
  if (am_odd()) stand_in_nccl::set_async_error(6);
  EXPECT_THAT(refusal(Code::unavailable, [] { expect_runs(); }),
              AllOf(HasSubstr(named()), HasSubstr("what NCCL was doing on cuda:" + std::to_string(odd_one()))));
  fresh();
  expect_runs();
  if (am_odd()) stand_in::fail("cuStreamQuery", 1, 719);
  EXPECT_THAT(refusal(Code::body, [] { expect_runs(); }), AllOf(HasSubstr(named()), HasSubstr("LAUNCH_FAILED")));
  fresh();
  stand_in_nccl::set_async_error(6);  // on all
  EXPECT_THAT(refusal(Code::unavailable, [] { expect_runs(); }), HasSubstr("rank 0 of"));
  fresh();
  expect_runs();
}

TEST_F(RanksInAGroup, TellAllOfAKernelThatFaultsOnOne) {
  EAGLE_NEEDS_RANKS;
  if (am_odd()) stand_in::fail("axpy", 1, 700);
  EXPECT_THAT(refusal(Code::body, [] { expect_runs(); }), AllOf(HasSubstr(named()), HasSubstr("ILLEGAL_ADDRESS")));
  fresh();
  expect_runs();
}

TEST_F(RanksInAGroup, CompareInputsWhereAsked) {
  EAGLE_NEEDS_RANKS;
  const std::vector<double> x(10, am_odd() ? 2.0 : 1.0);
  const auto plan = on_group(plugin("axpy"), {.check_replicated = true}, {.staging = true});
  EXPECT_THAT(refusal(Code::partition, [&] { static_cast<void>(plan.run({{"x", view(x)}, {"a", 1.0}, {"b", 1.0}})); }),
              HasSubstr("argument 'x' is not that of rank 0"));
}

TEST_F(RanksInAGroup, PlansSayWhere) {
  const std::string mine = rank() == 0 ? "0" : std::to_string(rank()) + " modulo devices";
  EXPECT_THAT(
      on_group(plugin("axpy"), {}, {.block = 64}).describe(),
      HasSubstr("device_group(ranks=" + std::to_string(size()) + ", device_kernel(device=" + mine + ", block=64), NCCL)"));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::device_group(MPI_COMM_WORLD, {.block = 2000}); }), HasSubstr("1 to 1024"));
}

/// Where a communicator is a number, as with MPICH, a list of numbers is still one of devices.
TEST_F(RanksInAGroup, AreNotTakenForDevices) {
  EXPECT_THAT(eagle::device_group({0})->describe(), HasSubstr("devices=[0]"));
  EXPECT_THAT(eagle::device_group({}, {.block = 64})->describe(), HasSubstr("devices=all"));
  EXPECT_THAT(eagle::device_group()->describe(), HasSubstr("devices=all"));
}

}  // namespace
