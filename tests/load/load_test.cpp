// SPDX-License-Identifier: Apache-2.0
// Many plans from many threads, and many loads: each result is what plain arithmetic says, and in the end nothing more is held
// than at the beginning.
#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include <eagle/eagle.hpp>

#include "held.hpp"
#include "support.hpp"

namespace {

using eagle::Code;
using eagle::Values;

constexpr std::int64_t most = 3000;

eagle::Plugin plugin(const char* name) { return eagle::load(support::bundle(name)).only(); }

/// One thread that plans, binds and launches, of what its random numbers say.
class Worker {
 public:
  explicit Worker(unsigned seed) : random_(seed), x_(most), y_(most), counts_(3) {}

  /// Plan number k; what is wrong with it, empty where nothing is.
  std::string operator()(int k) {
    n_ = upto(most);
    for (std::int64_t i = 0; i < n_; ++i) x_[i] = static_cast<double>(upto(2000) - 1000);
    switch (k % 6) {
      case 0: return map();
      case 1: return read_across();
      case 2: return write_across();
      case 3: return dot();
      case 4: return sum_index();
      default: return refusals();
    }
  }

 private:
  std::int64_t upto(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end)(random_); }

  eagle::ArrayView x() { return eagle::view(x_.data(), eagle::DType::float64, {n_}); }
  eagle::ArrayView y() { return eagle::view(y_.data(), eagle::DType::float64, {n_}); }

  /// A team of one thread or two, of any schedule, over even parts or any.
  eagle::PlanOptions options(bool cuts = true) {
    eagle::HostTeamOptions team{.threads = static_cast<int>(1 + upto(1))};
    if (upto(1) == 0) {
      team.schedule = eagle::Schedule::dynamic;
      team.tile = 1 + upto(500);
    }
    eagle::PlanOptions made{.structure = eagle::host_team(team), .n_samples = n_};
    if (!cuts) return made;
    if (upto(1) == 0) {
      made.npartitions = 1 + upto(7);
      return made;
    }
    std::vector<std::int64_t> edges = {0, upto(n_), upto(n_), upto(n_), n_};
    std::sort(edges.begin(), edges.end());
    for (std::size_t k = 1; k < edges.size(); ++k) made.partitions.push_back({edges[k - 1], edges[k] - edges[k - 1], n_});
    return made;
  }

  eagle::BoundPlan launched(const eagle::Plugin& body, const Values& values, bool cuts = true) {
    eagle::BoundPlan bound = eagle::plan(body, options(cuts)).bind(values);
    bound.launch();
    return bound;
  }

  std::string map() {
    const auto a = static_cast<double>(upto(9)), b = 0.1 * static_cast<double>(upto(9));
    launched(axpy_, {{"x", x()}, {"y", y()}, {"a", a}, {"b", b}});
    for (std::int64_t i = 0; i < n_; ++i)
      if (y_[i] != a * x_[i] + b) return "axpy at " + std::to_string(i);
    return "";
  }

  std::string read_across() {
    launched(shift_, {{"x", x()}, {"y", y()}});
    for (std::int64_t i = 0; i < n_; ++i)
      if (y_[i] != x_[(i + 1) % n_] - x_[i]) return "shift at " + std::to_string(i);
    return "";
  }

  std::string write_across() {
    const std::vector<std::int64_t> before = counts_;
    launched(count_index_, {{"counts", eagle::view(counts_)}}, false);
    for (std::int64_t r = 0; r < 3; ++r)
      if (counts_[r] != before[r] + (n_ + 2 - r) / 3) return "count_index at " + std::to_string(r);
    return "";
  }

  std::string dot() {
    std::int64_t sum = 0;  // of integers, so that the sum of doubles is exact
    for (std::int64_t i = 0; i < n_; ++i) {
      y_[i] = static_cast<double>(upto(2000) - 1000);
      sum += static_cast<std::int64_t>(x_[i]) * static_cast<std::int64_t>(y_[i]);
    }
    const auto total = launched(dot_, {{"x", x()}, {"y", y()}}).result().value<double>("total");
    return total == static_cast<double>(sum) ? "" : "dot is " + std::to_string(total) + " and not " + std::to_string(sum);
  }

  std::string sum_index() {
    const auto total = launched(sum_index_, {}).result().value<std::int64_t>("total");
    return total == n_ * (n_ - 1) / 2 ? "" : "sum_index of " + std::to_string(n_) + " is " + std::to_string(total);
  }

  /// One call that must be refused, with its code, and has written nothing.
  std::string refusals() {
    n_ = std::max<std::int64_t>(n_, 2);
    const Values right = {{"x", x()}, {"y", y()}, {"a", 1.0}, {"b", 1.0}};
    const auto with = [&right](const char* name, eagle::Value value) {
      Values values = right;
      values.insert_or_assign(name, std::move(value));
      return values;
    };
    const auto launch = [this](const Values& values) { launched(axpy_, values); };
    const auto plan = [this](const eagle::Plugin& body, auto change) {
      eagle::PlanOptions changed = options(false);
      change(changed);
      static_cast<void>(eagle::plan(body, changed));
    };
    const std::pair<Code, std::function<void()>> calls[] = {
        {Code::argument, [&] { launch(with("x", eagle::view(x_.data(), eagle::DType::float64, {n_ - 1}))); }},
        {Code::argument, [&] { launch(with("x", y())); }},
        {Code::argument, [&] { launch(with("z", 1.0)); }},
        {Code::argument, [&] { launch({{"x", x()}, {"y", y()}, {"a", 1.0}}); }},
        {Code::argument, [&] { launch(with("y", eagle::view(y_.data(), eagle::DType::float64, {n_}, {0}))); }},
        {Code::type, [&] { launch(with("y", eagle::view(y_.data(), eagle::DType::int64, {n_}))); }},
        {Code::type, [&] { launch(with("y", 1.0)); }},
        {Code::type, [&] { launch(with("a", x())); }},
        {Code::placement, [&] { plan(count_index_, [](auto& o) { o.npartitions = 2; }); }},
        {Code::placement, [&] { plan(dot_, [](auto& o) { o.exec_op = eagle::Op::max; }); }},
        {Code::partition, [&] { plan(axpy_, [this](auto& o) { o.partitions = {{0, n_ - 1, n_}}; }); }},
        {Code::argument, [&] { static_cast<void>(eagle::host_team({.threads = -1})); }},
    };
    const auto& [code, call] = calls[upto(std::size(calls) - 1)];
    std::fill_n(y_.begin(), n_, 7.0);
    try {
      call();
      return "was not refused as " + std::string(name(code));
    } catch (const eagle::Error& error) {
      if (error.code() != code) return "is refused as " + std::string(name(error.code())) + ": " + error.what();
    }
    return std::count(y_.begin(), y_.begin() + n_, 7.0) == n_ ? "" : "a refused call has written";
  }

  std::mt19937_64 random_;
  std::int64_t n_ = 0;
  std::vector<double> x_, y_;
  std::vector<std::int64_t> counts_;
  eagle::Plugin axpy_ = plugin("axpy"), shift_ = plugin("shift"), count_index_ = plugin("count_index"), dot_ = plugin("dot"),
                sum_index_ = plugin("sum_index");
};

TEST(Load, PlansOfManyThreadsTogether) {
  keep_little();
  constexpr int team = 8;
  std::atomic<bool> failed = false;
  const auto work = [&failed](int plans, unsigned seed) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < team; ++t)
      threads.emplace_back([&failed, plans, seed, t] {
        Worker worker(seed + t);
        for (int k = 0; k < plans && !failed; ++k)
          if (const std::string wrong = worker(k); !wrong.empty()) {
            failed = true;
            ADD_FAILURE() << wrong << ", in plan " << k << " of seed " << seed + t;
          }
      });
    for (std::thread& thread : threads) thread.join();
  };
  work(4000 / team, 1);
  const Held before = held();
  work(96000 / team, 1 + team);
  expect_no_more_than(before);
}

void load_again_and_again(const eagle::LoadOptions& options) {
  keep_little();
  constexpr int cycles = 10000;
  const std::vector<double> x = {1, 2, 3};
  std::vector<double> y(3);
  Held before;
  for (int k = 0; k < cycles; ++k) {
    if (k == cycles / 5) before = held();
    eagle::plan(eagle::load(support::bundle("axpy"), options).only(), {.structure = eagle::host_team({.threads = 1})})
        .run({{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", static_cast<double>(k)}, {"b", 0.5}});
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(y[i], k * x[i] + 0.5) << "cycle " << k;
  }
  expect_no_more_than(before);
}

TEST(Load, BundlesAgainAndAgain) { load_again_and_again({}); }

TEST(Load, SealedCopiesAgainAndAgain) { load_again_and_again({.digest = eagle::load(support::bundle("axpy")).digest()}); }

}  // namespace
