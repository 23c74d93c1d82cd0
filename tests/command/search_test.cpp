// SPDX-License-Identifier: Apache-2.0
// The tuner's search on made-up machines whose best setting is known, with noise and without, and stopped anywhere.
#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

#include "support.hpp"
#include "tune_report.hpp"

namespace {

using namespace eagle::command;
using eagle::Schedule;
using eagle::Setting;

/// Seconds of a launch on a made-up machine.
using Model = std::function<double(const Setting&)>;

/// Shares of `work` seconds and what a tile costs each time; memory that `channels` threads use up; a share that is the
/// `heaviest` part of the work where it is cut in one piece a thread.
Model host(std::int64_t n, int cores, double work, double heaviest, int channels) {
  return [=](const Setting& s) {
    const int threads = s.threads == 0 ? cores : s.threads;
    const double even = work / std::min(threads, channels), waking = threads == 1 ? 0 : 3e-6 + 1e-7 * threads;
    if (threads == 1) return work;
    if (s.schedule == Schedule::static_) return std::max(even, threads * heaviest * work / cores) + waking;
    const double tiles = std::ceil(static_cast<double>(n) / static_cast<double>(s.tile));
    return even + waking + tiles * 2e-7 / threads + heaviest * work / std::max(1.0, tiles / cores) / 4;
  };
}

double best_of(const Space& space, const Model& model) {
  double best = INFINITY;
  for (const Setting& each : grid(space)) best = std::min(best, model(each));
  return best;
}

Measure noisy(const Model& model, double noise, unsigned seed) {
  return [=, random = std::mt19937(seed), error = std::normal_distribution<>()](const Setting& a, const Setting& b) mutable {
    return Duel{model(a) * (1 + noise * error(random)), model(b) * (1 + noise * error(random))};
  };
}

struct Machine {
  std::int64_t n;
  int cores;
  double work, heaviest;
  int channels;
};
/// For the names of tests, which would else hold the padding's bytes.
void PrintTo(const Machine& m, std::ostream* out) {
  *out << m.n << " samples of " << m.work << " s, " << m.cores << " cores, " << m.channels << " channels";
}
class Search : public testing::TestWithParam<Machine> {
 protected:
  Machine m = GetParam();
  Space space = host_space(m.n, m.cores);
  Model model = host(m.n, m.cores, m.work, m.heaviest, m.channels);
};

TEST_P(Search, ComesWithinFivePercentOfTheGrid) {
  const double best = best_of(space, model);
  for (unsigned seed = 0; seed < 50; ++seed)
    for (const double noise : {0.0, 0.003}) {
      const Found found = search(space, noisy(model, noise, seed));
      EXPECT_TRUE(found.complete);
      const Setting& chosen = found.trials[found.best].setting;
      EXPECT_LE(model(chosen), 1.05 * best) << to_string(chosen) << ", seed " << seed;
      EXPECT_LE(found.trials.size(),
                std::max<std::size_t>(std::min<std::size_t>(20, grid(space).size()), grid(space).size() / 2));
    }
}

TEST_P(Search, KeepsWhatItHasWhereverItIsStopped) {
  for (int duels = 0; duels < 30; ++duels) {
    int left = duels;
    const Found found = search(space, [&](const Setting& a, const Setting& b) -> std::optional<Duel> {
      if (left-- == 0) return std::nullopt;
      return Duel{model(a), model(b)};
    });
    if (left >= 0) continue;  // it had come to its end
    EXPECT_FALSE(found.complete);
    ASSERT_EQ(found.trials.empty(), duels == 0);
    if (duels == 0) continue;
    EXPECT_EQ(found.trials.front().setting, Setting());
    EXPECT_LE(model(found.trials[found.best].setting), model({}));
  }
}

TEST_P(Search, OfEverythingTriesTheGrid) {
  const Found all = search_all(space, noisy(model, 0, 0));
  EXPECT_EQ(all.trials.size(), grid(space).size());
  EXPECT_LE(model(all.trials[all.best].setting), 1.03 * best_of(space, model));
}

// Even and uneven work, memory that few threads use up, launches too short for a team, one core.
INSTANTIATE_TEST_SUITE_P(Machines, Search,
                         testing::Values(Machine{1 << 20, 2, 1e-3, 0, 2}, Machine{1 << 20, 2, 1e-2, 0.7, 2},
                                         Machine{1 << 18, 64, 1e-1, 0.5, 64}, Machine{1 << 24, 64, 1e-1, 0, 9},
                                         Machine{1 << 24, 96, 1e-1, 0.2, 20}, Machine{64, 16, 1e-7, 0, 16},
                                         Machine{1 << 20, 1, 1e-3, 0.7, 1}));

TEST(SearchOfBlocks, FindsTheBest) {
  const Model model = [](const Setting& s) {
    const double block = s.block == 0 ? 256 : s.block;
    return 1 + std::pow(std::log2(block / 96), 2) / 20;
  };
  const Found found = search(device_space(), noisy(model, 0.003, 1));
  EXPECT_LE(model(found.trials[found.best].setting), 1.05 * best_of(device_space(), model));
}

TEST(SearchOfEqualSettings, KeepsTheDefaults) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Found found = search(host_space(1 << 20, 8), noisy([](const Setting&) { return 1e-3; }, 0.004, seed));
    EXPECT_EQ(found.best, 0U) << seed;
  }
}

/// Something else has the cores in one duel: the champion, or both, take a hundred times as long.
TEST(SearchBesideOthers, ShowsWhatWasMeasuredUndisturbed) {
  for (int which = 1; which < 12; ++which)
    for (const bool both : {false, true}) {
      int duels = 0;
      const Found found = search(host_space(4000, 2), [&](const Setting& a, const Setting&) -> std::optional<Duel> {
        const double slow = ++duels == which ? 100 : 1;
        return Duel{(a == Setting() ? 24e-6 : 41e-6) * (both ? slow : 1), 24e-6 * slow};
      });
      EXPECT_EQ(found.best, 0U) << which;
      for (const Trial& each : found.trials) EXPECT_NEAR(each.seconds, each.setting == Setting() ? 24e-6 : 41e-6, 1e-12);
    }
}

/// What is listed as faster was measured at another time than the defaults, so that the two are not said to be compared.
TEST(Savings, CallTheDefaultsBestWhereNoOtherIsListedAsFaster) {
  const Found best{{{{}, 1e-3}, {{.threads = 1}, 2e-3}}, 0, true};
  EXPECT_EQ(savings(best), "the defaults are best: 1 ms a launch");
  const Found kept{{{{}, 3e-3}, {{.threads = 1}, 2e-3}}, 0, true};
  EXPECT_EQ(savings(kept), "the defaults stay, 3 ms a launch: none was 2 % faster when timed in turns with them");
}

TEST(Grid, HoldsEverySettingOnce) {
  const auto all = grid(host_space(1000, 3));
  EXPECT_EQ(all.front(), Setting());
  for (const Setting& each : all) EXPECT_EQ(std::ranges::count(all, each), 1) << to_string(each);
  EXPECT_EQ(grid(host_space(1 << 20, 1)).size(), 1U);
  EXPECT_EQ(host_space(1, 4).tiles.size(), 0U);
}

}  // namespace
