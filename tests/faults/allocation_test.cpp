// SPDX-License-Identifier: Apache-2.0
// Every allocation of load, plan, bind, launch, rebind and run fails once: the call then throws, and the next one gives the
// right bits as if nothing had been.
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <new>

#include <eagle/eagle.hpp>

#include "support.hpp"

namespace {

/// How many allocations of this thread still succeed before one fails; negative: none is to fail.
thread_local std::int64_t left = -1;
thread_local bool failed = false;

bool fails() {
  if (left < 0 || left-- > 0) return false;
  failed = true;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment = 0) {
  if (fails()) throw std::bad_alloc();
  bytes = bytes == 0 ? 1 : bytes;
  void* memory =
      alignment == 0 ? std::malloc(bytes) : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)
extern "C" void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return fails() ? nullptr : __libc_calloc(count, bytes);
}

namespace {

/// Calls `step` so often that each of its allocations fails once, and `check` after each. How many there are.
template <class Step, class Check>
int fail_each(const char* what, const Step& step, const Check& check) {
  for (int n = 0;; ++n) {
    SCOPED_TRACE(std::string(what) + ", allocation " + std::to_string(n));
    left = n;
    failed = false;
    bool threw = false;
    try {
      step();
    } catch (const std::bad_alloc&) {
      threw = true;
    } catch (const eagle::Error& error) {
      threw = true;
      EXPECT_EQ(error.code(), eagle::Code::memory) << error.what();
    }
    left = -1;
    EXPECT_FALSE(threw && !failed);
    check();
    if (!failed || testing::Test::HasFailure()) return n;
  }
}

struct Job {
  std::string bundle;
  eagle::Values values;
  eagle::PlanOptions options;
};

bool folds(const Job& job) { return job.bundle.starts_with("dot") && job.options.combine.value_or(true); }

std::vector<std::byte> bits_of(const eagle::Result& result) {
  std::vector<std::byte> bits;
  for (const auto& output : result.outputs()) {
    const auto* bytes = static_cast<const std::byte*>(output.array.data);
    bits.insert(bits.end(), bytes, bytes + output.array.bytes());
  }
  return bits;
}

class Allocations : public testing::Test {
 protected:
  Allocations() {
    eagle::plan(eagle::load(support::bundle("axpy")).only(), {.structure = eagle::host_team({.threads = 2})})
        .run({{"x", eagle::view(x_)}, {"a", 1.0}, {"b", 1.0}});  // Kokkos and its team are there
  }

  void fail_each_of(Job job) const {
    job.options.structure = eagle::host_team({.threads = 2});
    const auto plan = [&] { return eagle::plan(eagle::load(support::bundle(job.bundle)).only(), job.options); };
    const eagle::Plan planned = plan();
    const std::vector<std::byte> right = bits_of(planned.run(job.values));
    ASSERT_FALSE(right.empty());
    const auto runs_right = [&] { EXPECT_EQ(bits_of(planned.run(job.values)), right); };
    EXPECT_GT(fail_each("load and plan", [&] { (void)plan(); }, runs_right), 50);
    EXPECT_GT(fail_each("run", [&] { (void)planned.run(job.values); }, runs_right), 10);

    std::optional<eagle::BoundPlan> bound;
    EXPECT_GT(fail_each("bind", [&] { bound.emplace(planned.bind(job.values)); }, runs_right), 5);
    ASSERT_TRUE(bound);
    const auto launches_right = [&] {
      bound->launch();
      EXPECT_EQ(bits_of(bound->result()), right);
    };
    const int launch = fail_each("launch", [&] { bound->launch(); }, launches_right);
    if (folds(job)) EXPECT_LT(launch, 100) << "some KiB a thread";
    else EXPECT_EQ(launch, 0) << "a launch allocates nothing";
    for (const auto& [name, value] : job.values) fail_each("rebind", [&] { bound->rebind(name, value); }, launches_right);
    fail_each("result", [&] { (void)bound->result(); }, launches_right);
  }

  std::vector<double> x_ = support::uniforms(3000, 1), y_ = support::uniforms(3000, 2);
};

TEST_F(Allocations, OfAMap) { fail_each_of({"axpy", {{"x", eagle::view(x_)}, {"a", 2.5}, {"b", -1.5}}, {.npartitions = 7}}); }

TEST_F(Allocations, OfAConversion) {
  const std::vector<float> narrow(x_.begin(), x_.end());
  fail_each_of({"axpy", {{"x", eagle::view(narrow)}, {"a", 2.5}, {"b", -1.5}}, {}});
}

TEST_F(Allocations, OfAReduction) {
  fail_each_of({"dot", {{"x", eagle::view(x_)}, {"y", eagle::view(y_)}}, {.npartitions = 3}});
  fail_each_of({"dot", {{"x", eagle::view(x_)}, {"y", eagle::view(y_)}}, {.combine = false}});
}

TEST_F(Allocations, OfPlanesInAnotherLayout) {
  const std::int64_t n = 1000;
  fail_each_of({"dot3",
                {{"p", eagle::view(static_cast<const void*>(x_.data()), eagle::DType::float64, {n, 3})},
                 {"v", eagle::view(static_cast<const void*>(y_.data()), eagle::DType::float64, {n, 3})}},
                {.layout = {{"p", eagle::Layout::sample}, {"v", eagle::Layout::sample}}}});
}

}  // namespace
