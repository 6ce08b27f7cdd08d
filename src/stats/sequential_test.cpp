#include "stats/sequential.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "stats/distribution.hpp"

namespace neph::stats {
namespace {

constexpr double threshold = 0.03;

/// Of one run, with a deviation of 1: normal, heavy tails (t of 3 degrees), every tenth run far slower.
double normal(Random& random) { return random.normal(); }
double heavy(Random& random) {
  double squares = 0;
  const double value = random.normal();
  for (int i = 0; i < 3; ++i) squares += std::pow(random.normal(), 2);
  return value / std::sqrt(squares);
}
double with_outliers(Random& random) {
  return (random.normal() + (random.uniform() < 0.1 ? 5 : 0)) / std::sqrt(1 + 25 * 0.1 * 0.9);
}

/// What is simulated: a side that takes `slower` times as long, in pairs whose logarithms have the deviation.
struct Case {
  double slower = 1, deviation = 0.02, within = threshold;
  double (*noise)(Random&) = normal;
};

/// Shares of the outcomes, and pairs on average.
struct Study {
  double false_alarms() { return share[Outcome::better] + share[Outcome::worse]; }
  std::map<Outcome, double> share;
  double pairs = 0;
  double covered = 0;  ///< intervals that hold the truth
};
Study study(const Case& of, int simulations) {
  Study result;
  const double of_run = of.deviation / std::sqrt(2);
  for (int i = 0; i < simulations; ++i) {
    Random random(static_cast<std::uint64_t>(1000 + i));
    PairsUntilDecided pairs(of.within, false, 0.05, 400);
    while (!pairs.is_over())
      pairs.add({std::exp(of_run * of.noise(random)), of.slower * std::exp(of_run * of.noise(random))});
    result.share[pairs.outcome()] += 1.0 / simulations;
    result.pairs += static_cast<double>(pairs.pairs()) / simulations;
    const auto ratio = pairs.ratio();
    result.covered +=
        (*ratio.low <= of.slower && of.slower <= *ratio.high) / static_cast<double>(simulations);
  }
  return result;
}

TEST(SpendingLimits, AreThosePublishedForFiveLooks) {
  // Two-sided 5 %, five equal looks: Reboussin, DeMets, Kim, Lan, Controlled Clinical Trials 21, 2000.
  SpendingLimits limits(0.05);
  std::int64_t look = 0;
  for (const double expected : {4.877, 3.357, 2.680, 2.290, 2.031}) {
    ++look;
    EXPECT_NEAR(limits.next(20 * look, static_cast<double>(look) / 5), expected, 1e-3) << look;
  }
}

TEST(SpendingLimits, OfOneLookAreThoseOfOneTest) {
  EXPECT_NEAR(SpendingLimits(0.05).next(17, 1), 1.96, 1e-3);
  SpendingLimits two(0.05);
  two.next(10, 1);
  EXPECT_GE(two.next(20, 1), 7.9) << "nothing is left";
}

TEST(SpendingLimits, SpendAShareWhateverThePlan) {
  SpendingLimits limits(0.05, 0.4);
  const double first = limits.next(5, 0.05), second = limits.next(6, 0.06);
  EXPECT_NEAR(2 * normal_cdf(-first), 0.01, 1e-6) << "half of 40 % of 0.05";
  EXPECT_GT(2 * normal_cdf(-second), 0.005) << "half of the rest, of those that have not crossed yet";
  EXPECT_NEAR(SpendingLimits(0.05, 0.4).next(17, 1), 1.96, 5e-3) << "all of both";
}

constexpr double two_errors = 2 * 0.0069;  ///< of a share of 5 % in 1,000 simulations

TEST(PairsUntilDecided, CallsTheSameThingWorseOrBetterInOneOfTwentyAtMost) {
  double all = 0;
  for (const double deviation : {0.01, 0.02, 0.05}) {
    auto same = study({.deviation = deviation}, 1000);
    const double share = same.false_alarms();
    EXPECT_LE(share, 0.05 + two_errors) << deviation;
    EXPECT_GE(same.covered, 0.95 - two_errors) << deviation;
    all += share / 3;
  }
  EXPECT_LE(all, 0.05);
}

TEST(PairsUntilDecided, NeedsNoNormalPairs) {
  for (const auto noise : {heavy, with_outliers})
    EXPECT_LE(study({.deviation = 0.03, .noise = noise}, 1000).false_alarms(), 0.05);
}

TEST(PairsUntilDecided, FindsTheThresholdNineTimesInTen) {
  for (const double deviation : {0.01, 0.02, 0.05}) {
    auto slower = study({.slower = 1.03, .deviation = deviation}, 500);
    EXPECT_GE(slower.share[Outcome::worse], 0.9) << deviation;
    EXPECT_LE(slower.share[Outcome::equivalent], 0.05 + 1.5 * two_errors) << deviation;
    EXPECT_GE(slower.covered, 0.95 - 1.5 * two_errors) << deviation;
  }
}

TEST(PairsUntilDecided, CallsTheSameThingEquivalent) {
  for (const double deviation : {0.01, 0.02, 0.05})
    EXPECT_GE(study({.deviation = deviation, .within = 0.05}, 500).share[Outcome::equivalent], 0.9)
        << deviation;
}

TEST(PairsUntilDecided, SaysAtOnceWhatIsPlain) {
  EXPECT_LT(study({.slower = 1.2}, 20).pairs, 7);
  EXPECT_LT(study({.slower = 1.06, .deviation = 0.05}, 200).pairs, 20) << "of 42 that are planned";
}

TEST(PairsUntilDecided, FindsAFactorOfTwoInAboutFivePairsWithAnIntervalThatHolds) {
  for (const auto& [slower, deviation, most] : {std::tuple(5.0, 0.15, 5.1), std::tuple(2.0, 0.15, 5.5),
                                                std::tuple(0.5, 0.15, 5.5), std::tuple(2.0, 0.3, 8.0)}) {
    const auto seen = study({.slower = slower, .deviation = deviation}, 1000);
    EXPECT_LT(seen.pairs, most) << slower << ", " << deviation;
    EXPECT_GE(seen.covered, 0.95 - two_errors) << slower << ", " << deviation;
  }
}

TEST(PairsUntilDecided, GivesAnIntervalLikeThePairs) {
  PairsUntilDecided pairs(threshold, false, 0.05, 100);
  for (const double ratio : {4.03, 6.8, 5.2, 4.6, 5.9}) pairs.add({1, ratio});
  EXPECT_TRUE(pairs.is_over());
  EXPECT_EQ(pairs.outcome(), Outcome::worse);
  EXPECT_NEAR(*pairs.ratio().low, 4.05, 0.01) << "R: t.test(log(c(4.03, 6.8, 5.2, 4.6, 5.9)))";
  EXPECT_NEAR(*pairs.ratio().high, 6.73, 0.01);
}

TEST(PairsUntilDecided, PromisesAtMostAThirdMoreThanOneTest) {
  for (const double deviation : {0.01, 0.02, 0.03, 0.05, 0.1}) {
    std::int64_t one = 2;
    while (t_test_power(std::log1p(threshold) / deviation, one) < 0.9) ++one;
    EXPECT_LE(static_cast<double>(pairs_planned(threshold, deviation, 1000)), 1.3 * static_cast<double>(one))
        << deviation;
  }
}

TEST(PairsUntilDecided, IntervalHoldsAtAllLooksAtOnce) {
  int missed = 0;
  for (int i = 0; i < 40; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    PairsUntilDecided pairs(threshold, false, 0.05, 60);
    bool misses = false;
    for (int j = 0; j < 60 && !pairs.is_over(); ++j) {
      pairs.add({1, std::exp(0.05 * random.normal())});
      const auto ratio = pairs.ratio();
      misses |= ratio.low && (*ratio.low > 1 || *ratio.high < 1);
    }
    missed += misses;
  }
  EXPECT_LE(missed, 7) << "2 expected at most";
}

TEST(PairsUntilDecided, EndsWithTheBudgetAndTakesNothingForANumber) {
  PairsUntilDecided few(threshold, false, 0.05, 4);
  for (const double value : {0.9, 1.1, 1.0, 1.05}) few.add({1, value});
  EXPECT_TRUE(few.is_over());
  EXPECT_EQ(few.outcome(), Outcome::undecided);
  PairsUntilDecided none(threshold, false, 0.05, 20);
  for (int i = 0; i < 20; ++i) none.add({1, i == 3 ? 0.0 : 1.0});
  EXPECT_EQ(none.outcome(), Outcome::undecided);
  EXPECT_EQ(none.pairs(), 4) << "nothing more can be said";
  EXPECT_FALSE(none.ratio().low);
}

TEST(PairsUntilDecided, WithoutSpreadEndsAtTheFirstLook) {
  PairsUntilDecided equal(threshold, false, 0.05, 100), other(threshold, false, 0.05, 100);
  while (!equal.is_over()) equal.add({2, 2});
  EXPECT_EQ(equal.outcome(), Outcome::equivalent);
  EXPECT_EQ(equal.pairs(), 5);
  for (double value = 3; !other.is_over(); value += 0.7) other.add({value, 1.1 * value});
  EXPECT_EQ(other.outcome(), Outcome::worse) << "a spread of rounding alone is none";
  EXPECT_EQ(other.pairs(), 5);
}

}  // namespace
}  // namespace neph::stats
