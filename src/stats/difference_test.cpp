#include "stats/difference.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "stats/mean.hpp"

namespace neph::stats {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Pairs whose logarithms differ by `value` on average, with that deviation exactly.
std::vector<Pair> pairs_of(double value, double deviation, int n) {
  std::vector<Pair> pairs;
  const double scale = deviation * std::sqrt((n - 1.0) / n);
  for (int i = 0; i < n; ++i) pairs.push_back({100, 100 * std::exp(value + (i % 2 ? scale : -scale))});
  return pairs;
}

Outcome judged(double value, double deviation, int n, bool higher_is_better = false) {
  const auto seen = difference_of_pairs(pairs_of(value, deviation, n));
  return judge(seen, p_no_difference(seen), 0.03, higher_is_better);
}

TEST(Difference, IsJudgedByItsDirectionAndTheThreshold) {
  EXPECT_EQ(judged(0.05, 0.01, 10), Outcome::worse);
  EXPECT_EQ(judged(0.05, 0.01, 10, true), Outcome::better);
  EXPECT_EQ(judged(-0.05, 0.01, 10), Outcome::better);
  EXPECT_EQ(judged(0, 0.01, 10), Outcome::equivalent);
  EXPECT_EQ(judged(0.01, 0.005, 10), Outcome::equivalent) << "shown, but within the threshold";
  EXPECT_EQ(judged(0.01, 0.1, 10), Outcome::undecided);
}

TEST(Difference, OfTooFewOrOfWhatIsNoRatioIsNotKnown) {
  for (const auto& seen : {difference_of_pairs({}), difference_of_pairs(std::vector<Pair>{{1, 2}}),
                           difference_of_pairs(std::vector<Pair>{{1, 2}, {0, 1}}),
                           difference(std::vector<double>{1, 2, 3}, std::vector<double>{-1, 2, 3}),
                           difference(std::vector<double>{1, 2}, std::vector<double>{3})}) {
    EXPECT_TRUE(std::isnan(p_no_difference(seen)));
    EXPECT_TRUE(std::isnan(p_not_equivalent(seen, 0.03)));
    EXPECT_TRUE(std::isnan(smallest_effect(seen)));
    EXPECT_FALSE(number_to_decide(seen, {.threshold = 0.03, .is_paired = true}, 1000));
    EXPECT_EQ(judge(seen, p_no_difference(seen), 0.03, true), Outcome::undecided);
  }
}

TEST(Difference, OfValuesWithoutSpreadIsCertain) {
  const std::vector<Pair> same(4, {2, 2}), other(4, {2, 3});
  EXPECT_EQ(p_no_difference(difference_of_pairs(same)), 1);
  EXPECT_EQ(p_not_equivalent(difference_of_pairs(same), 0.03), 0);
  EXPECT_EQ(p_no_difference(difference_of_pairs(other)), 0);
  EXPECT_EQ(p_not_equivalent(difference_of_pairs(other), 0.03), 1);
}

TEST(Difference, OfMeansIsThatOfTheirSamplesWhereTheSpreadIsSmall) {
  Random random(3);
  std::vector<double> a, b;
  for (int i = 0; i < 12; ++i) {
    a.push_back(100 + random.normal());
    b.push_back(97 + random.normal());
  }
  const auto of_samples = difference(a, b), of_means = difference(mean_estimate(a), mean_estimate(b));
  EXPECT_NEAR(of_means.value, of_samples.value, 1e-4);
  EXPECT_NEAR(*of_means.standard_error, *of_samples.standard_error, 1e-4);
  EXPECT_NEAR(of_means.degrees, of_samples.degrees, 0.1);
}

TEST(Difference, ThatWouldHaveBeenShownIsShownEightTimesInTen) {
  Random random(4);
  constexpr double deviation = 0.02;
  const double effect = std::log1p(smallest_effect(difference_of_pairs(pairs_of(0, deviation, 8))));
  int shown = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Pair> pairs;
    for (int j = 0; j < 8; ++j) pairs.push_back({1, std::exp(effect + deviation * random.normal())});
    shown += p_no_difference(difference_of_pairs(pairs)) <= 0.05;
  }
  EXPECT_NEAR(shown / 2000., 0.8, 0.04);
}

TEST(Difference, IsDecidedByAsManyPairsAsItSays) {
  const auto seen = difference_of_pairs(pairs_of(0.02, 0.04, 6));
  const Question narrow{.threshold = 0.001, .is_paired = true};
  const auto enough = number_to_decide(seen, narrow, 1000);
  ASSERT_TRUE(enough);
  EXPECT_NEAR(static_cast<double>(*enough), static_cast<double>(*pairs_to_show(ratio_of(seen), 1000)), 2);
  EXPECT_FALSE(number_to_decide(seen, narrow, *enough - 1));
  EXPECT_GT(*number_to_decide(seen, {.threshold = 0.001, .is_paired = true, .level = 0.005}, 1000), *enough)
      << "where there are many rows it takes more";
  const auto equal = difference_of_pairs(pairs_of(0.001, 0.04, 6));
  EXPECT_LT(*number_to_decide(equal, {.threshold = 0.1, .is_paired = true}, 1000), 10)
      << "equivalence decides, too";
  EXPECT_EQ(*number_to_decide(equal, {.threshold = 3, .is_paired = true}, 1000), 7) << "more than there are";
}

TEST(Difference, OfZerosIsNone) {
  const std::vector<double> zeros(3, 0), ones(3, 1);
  for (const auto& seen : {difference(zeros, zeros), difference_of_pairs(std::vector<Pair>(3, {0, 0}))})
    EXPECT_EQ(judge(seen, p_no_difference(seen), 0.03, false), Outcome::equivalent);
  EXPECT_EQ(judge(difference(zeros, ones), 1, 0.03, false), Outcome::undecided) << "no ratio is known";
}

TEST(Difference, OfAnIntervalThatWasCutAtZeroIsThatOfItsUpperHalf) {
  const Estimate whole{.value = 100, .low = -74, .high = 274, .n = 3},
      cut{.value = 100, .low = 0, .high = 274, .n = 3};
  EXPECT_EQ(difference(whole, whole).standard_error, difference(cut, cut).standard_error);
}

TEST(Holm, LeavesOutWhatIsNoTest) {
  EXPECT_THAT(holm(std::vector<double>{0.01, nan, 0.04}), testing::ElementsAre(0.02, testing::IsNan(), 0.04));
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace neph::stats
