#include "stats/compare.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::stats {
namespace {

TEST(Compare, NamesTheDirection) {
  const std::vector<double> slow{10, 10.1, 9.9, 10.05}, fast{20, 20.3, 19.8, 20.1};
  const auto ratio = compare(slow, fast, Better::higher);
  EXPECT_NEAR(ratio.ratio.value, 2, 0.02);
  EXPECT_EQ(ratio.ratio.n, 8);
  EXPECT_EQ(ratio.change, Change::faster);
  EXPECT_EQ(compare(slow, fast, Better::lower).change, Change::slower);
  EXPECT_EQ(compare(fast, slow, Better::higher).change, Change::slower);
  EXPECT_EQ(compare(fast, slow, Better::lower).change, Change::faster);
  EXPECT_EQ(compare(slow, slow, Better::higher).change, Change::not_shown);
}

TEST(Compare, ChangingPlacesGivesTheInverse) {
  Random random(14);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> a(3 + random.below(5)), b(2 + random.below(9));
    for (double& value : a) value = std::exp(random.normal());
    for (double& value : b) value = std::exp(0.1 * random.normal());
    const auto forth = compare(a, b, Better::higher).ratio, back = compare(b, a, Better::higher).ratio;
    EXPECT_NEAR(forth.value * back.value, 1, 1e-12);
    EXPECT_NEAR(*forth.low * *back.high, 1, 1e-12);
  }
}

TEST(Compare, PairsCancelWhatTheyShare) {
  Random random(15);
  std::vector<double> baseline, candidate;
  std::vector<Pair> pairs;
  for (int block = 0; block < 7; ++block) {
    const double machine = std::exp(0.3 * random.normal());
    pairs.push_back(
        {machine * (1 + 0.005 * random.normal()), 1.03 * machine * (1 + 0.005 * random.normal())});
    baseline.push_back(pairs.back().baseline);
    candidate.push_back(pairs.back().candidate);
  }
  EXPECT_EQ(compare_pairs(pairs, Better::higher).change, Change::faster);
  EXPECT_EQ(compare_pairs(pairs, Better::higher).ratio.n, 7);
  EXPECT_EQ(compare(baseline, candidate, Better::higher).change, Change::not_shown);
}

TEST(Compare, FindsADifferenceInEqualCellsAsSeldomAsItMay) {
  Random random(16);
  const int trials = 3000;
  int shown = 0, shown_in_pairs = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> a(5), b(9);
    std::vector<Pair> pairs(5);
    for (double& value : a) value = std::exp(0.3 * random.normal());
    for (double& value : b) value = std::exp(0.05 * random.normal());
    for (auto& pair : pairs) pair = {std::exp(0.1 * random.normal()), std::exp(0.1 * random.normal())};
    shown += compare(a, b, Better::lower).change != Change::not_shown;
    shown_in_pairs += compare_pairs(pairs, Better::lower).change != Change::not_shown;
  }
  EXPECT_NEAR(static_cast<double>(shown) / trials, 0.05, 0.015);
  EXPECT_NEAR(static_cast<double>(shown_in_pairs) / trials, 0.05, 0.015);
}

/// What compare_pairs() says of 10 pairs whose logarithms have a mean of `effect` deviations of 0.02.
Estimate seen_with(double effect) {
  std::vector<Pair> pairs;
  for (int i = 0; i < 10; ++i) {
    const double deviation = (i % 2 == 0 ? 1 : -1) * std::sqrt(0.9);  // of n - 1: 1
    pairs.push_back({1, std::exp(0.02 * (effect + deviation))});
  }
  return compare_pairs(pairs, Better::higher).ratio;
}

TEST(PairsToShow, AreThoseOfTheTables) {
  // Two-sided 5 %, power 80 %, paired: R's power.t.test and G*Power give 198.2, 33.4 and 14.3 pairs.
  EXPECT_EQ(pairs_to_show(seen_with(0.2), 300), 199);
  EXPECT_EQ(pairs_to_show(seen_with(-0.5), 300), 34);
  EXPECT_EQ(pairs_to_show(seen_with(0.8), 300), 15);
}

TEST(PairsToShow, AreNoneWhereTheyAreTooManyOrNothingIsKnown) {
  EXPECT_FALSE(pairs_to_show(seen_with(0.2), 198));
  EXPECT_FALSE(pairs_to_show(seen_with(0), 300));
  EXPECT_FALSE(pairs_to_show({.value = 1.2, .n = 1}, 300));
}

TEST(PairsToShow, AreTwoWhereNothingButRoundingVaries) {
  EXPECT_EQ(pairs_to_show({.value = 1.1, .low = std::nextafter(1.1, 1), .high = 1.1, .n = 5}, 300), 2);
}

TEST(PairsToShow, ShowItAsOftenAsTheySay) {
  Random random(17);
  const auto pairs = pairs_to_show(seen_with(0.8), 300).value();
  int shown = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<Pair> drawn(static_cast<std::size_t>(pairs));
    for (auto& pair : drawn) pair = {1, std::exp(0.02 * (0.8 + random.normal()))};
    shown += compare_pairs(drawn, Better::higher).change == Change::faster;
  }
  EXPECT_NEAR(shown / 3000.0, kPower, 0.03);
}

TEST(Compare, SaysNothingWhereItKnowsNothing) {
  const std::vector<double> one{2}, two{4, 4}, negative{1, -1};
  EXPECT_EQ(compare(one, two, Better::higher).ratio.value, 2);
  EXPECT_FALSE(compare(one, two, Better::higher).ratio.low);
  EXPECT_EQ(compare(one, two, Better::higher).change, Change::not_shown);
  EXPECT_EQ(compare(two, two, Better::higher).ratio.low, 1);
  EXPECT_TRUE(std::isnan(compare(negative, two, Better::higher).ratio.value));
  EXPECT_TRUE(std::isnan(compare({}, two, Better::higher).ratio.value));
  EXPECT_TRUE(std::isnan(compare_pairs({}, Better::higher).ratio.value));
  EXPECT_TRUE(std::isnan(compare_pairs(std::vector<Pair>{{0, 0}, {1, 1}}, Better::higher).ratio.value));
}

}  // namespace
}  // namespace neph::stats
