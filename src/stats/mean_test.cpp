#include "stats/mean.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "stats/distribution.hpp"

namespace neph::stats {
namespace {

TEST(Distribution, StudentsBoundsAreThoseOfTheTable) {
  for (const auto& [degrees, bound] : {std::pair{1, 12.706},
                                       {2, 4.303},
                                       {3, 3.182},
                                       {4, 2.776},
                                       {5, 2.571},
                                       {10, 2.228},
                                       {30, 2.042},
                                       {120, 1.980}})
    EXPECT_NEAR(student_t_bound(degrees), bound, 0.0006) << degrees;
}

TEST(Mean, OfStudentsOwnExample) {
  // Hours of sleep gained (Student 1908); the interval as R prints it for t.test(sleep, paired).
  const std::vector<double> gained{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
  const auto mean = mean_of(gained);
  EXPECT_NEAR(mean.estimate.value, 1.58, 1e-12);
  EXPECT_NEAR(*mean.deviation, 1.229995, 1e-6);
  EXPECT_NEAR(*mean.standard_error, 0.388959, 1e-6);
  EXPECT_NEAR(*mean.estimate.low, 0.7001142, 1e-7);
  EXPECT_NEAR(*mean.estimate.high, 2.4598858, 1e-7);
  EXPECT_EQ(mean.estimate.n, 10);
}

TEST(Mean, StudentsBoundIsThatOfItsTable) {
  EXPECT_NEAR(student_errors(2), 12.706, 1e-3);
  EXPECT_NEAR(student_errors(3), 4.303, 1e-3);
}

TEST(Mean, MeetsTheCertifiedValuesOfHardNumbers) {
  // NIST Statistical Reference Datasets, univariate: NumAcc1, and NumAcc4 (of higher difficulty).
  const auto easy = mean_of(std::vector<double>{10000001, 10000003, 10000002});
  EXPECT_EQ(easy.estimate.value, 10000002);
  EXPECT_EQ(easy.deviation, 1);
  std::vector<double> hard{10000000.2};
  for (int i = 0; i < 500; ++i) hard.insert(hard.end(), {10000000.1, 10000000.3});
  EXPECT_NEAR(mean_of(hard).estimate.value, 10000000.2, 1e-7);
  EXPECT_NEAR(*mean_of(hard).deviation, 0.1, 1e-8);
}

TEST(Mean, OfOneSampleOrNoneHasNoInterval) {
  const auto one = mean_of(std::vector{5.0});
  EXPECT_EQ(one.estimate.value, 5);
  EXPECT_EQ(one.estimate.n, 1);
  EXPECT_FALSE(one.estimate.low || one.standard_error || one.deviation);
  for (const auto& samples : {std::vector<double>{}, {1, std::numeric_limits<double>::infinity()}}) {
    EXPECT_TRUE(std::isnan(mean_estimate(samples).value));
    EXPECT_EQ(mean_estimate(samples).n, 0);
    EXPECT_EQ(mean_over_blocks(std::vector<std::vector<double>>{samples, samples}).n, 0);
  }
}

TEST(Mean, IntervalHoldsTheTruthAsOftenAsItShould) {
  Random random(31);
  for (const std::size_t n : {2u, 3u, 5u, 20u}) {
    int held = 0;
    const int trials = 4000;
    for (int i = 0; i < trials; ++i) {
      std::vector<double> samples(n);
      for (double& sample : samples) sample = 100 + random.normal();
      const auto estimate = mean_estimate(samples);
      held += *estimate.low <= 100 && 100 <= *estimate.high;
    }
    EXPECT_NEAR(static_cast<double>(held) / trials, 0.95, 0.012) << n;  // 3.5 deviations
  }
}

/// Three repeats of two settings that differ by chance, and whose means over the settings agree: an interval
/// from the three means alone would be five times too narrow.
TEST(MeanOverBlocks, IsNoMoreCertainThanItsSets) {
  const std::vector<std::vector<double>> sets{{0.489, 0.138, 0.526}, {0.198, 0.599, 0.328}};
  const auto mean = mean_over_blocks(sets);
  EXPECT_NEAR(mean.value, 0.37967, 1e-4);
  EXPECT_EQ(mean.n, 3);
  // Pooled deviation 0.2093 with 4 degrees of freedom: 2.7764 x 0.2093 / sqrt(6).
  EXPECT_NEAR(*mean.high - mean.value, 0.2373, 2e-3);
  EXPECT_NEAR(mean.value - *mean.low, 0.2373, 2e-3);
}

TEST(MeanOverBlocks, IsTheMeanOfItsOneSet) {
  const std::vector<double> samples{3, 4, 8};
  const auto expected = mean_estimate(samples),
             seen = mean_over_blocks(std::vector<std::vector<double>>{samples});
  EXPECT_EQ(*seen.low, *expected.low);
  EXPECT_EQ(*seen.high, *expected.high);
}

/// Where a block moves all sets alike, their means differ by that, and the t interval over them holds.
TEST(MeanOverBlocks, HoldsTheTruthAsOftenAsItSays) {
  Random random(20261125);
  for (const double of_block : {0.0, 1.0}) {
    int held = 0;
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::vector<double>> sets(2, std::vector<double>(3));
      for (std::size_t i = 0; i < 3; ++i) {
        const double shared = of_block * random.normal();
        for (auto& set : sets) set[i] = shared + random.normal();
      }
      const auto mean = mean_over_blocks(sets);
      held += *mean.low <= 0 && 0 <= *mean.high;
    }
    EXPECT_GE(held, 1880) << of_block;
  }
}

}  // namespace
}  // namespace neph::stats
