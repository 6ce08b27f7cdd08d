#include "stats/trend.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::stats {
namespace {

std::vector<double> series(std::size_t n, const std::function<double(double)>& value) {
  std::vector<double> samples(n);
  for (std::size_t i = 0; i < n; ++i) samples[i] = value(static_cast<double>(i));
  return samples;
}

TEST(Trend, OfGilbertsExample) {
  // Gilbert 1987, section 16.4.1: S = 4; table A18 gives 0.167 for one side.
  const auto trend = trend_of(std::vector<double>{10, 15, 14, 20});
  EXPECT_EQ(trend.score, 4);
  EXPECT_NEAR(trend.p_value, 2 * 0.167, 0.001);
}

TEST(Trend, OfALineIsTheLine) {
  const auto trend = trend_of(series(20, [](double t) { return 100 + 0.5 * t; }));
  EXPECT_EQ(trend.score, 190);
  EXPECT_DOUBLE_EQ(trend.slope.value, 0.5);
  EXPECT_DOUBLE_EQ(*trend.slope.low, 0.5);
  EXPECT_LT(trend.p_value, 1e-15);
  EXPECT_NEAR(trend.change, 9.5 / 104.75, 1e-12);
  EXPECT_TRUE(drifts(trend));
  EXPECT_FALSE(drifts(trend, 0.1));
}

/// Seen: "changed by -6078 %", of a series whose median is far below its slope over the whole length.
TEST(Trend, OfWhatFallsNearlyToNothingIsARatio) {
  EXPECT_NEAR(end_over_beginning(series(40, [](double t) { return 100 - 2 * t; })), 31.0 / 91, 1e-12);
  EXPECT_NEAR(end_over_beginning(series(20, [](double t) { return std::exp(-t); })), std::exp(-15.0), 1e-12);
  EXPECT_DOUBLE_EQ(end_over_beginning(std::vector{2.0, 4.0}), 2);
  EXPECT_TRUE(std::isnan(end_over_beginning({})));
}

TEST(Trend, TurnsRoundWithTheSamples) {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const auto up = series(60, [&](double t) { return 0.02 * t + std::round(3 * random.normal()); });
    const std::vector<double> down(up.rbegin(), up.rend());
    EXPECT_EQ(trend_of(up).score, -trend_of(down).score);
    EXPECT_EQ(trend_of(up).p_value, trend_of(down).p_value);
    EXPECT_DOUBLE_EQ(trend_of(up).slope.value, -trend_of(down).slope.value);
  }
}

TEST(Trend, IsSeenInSteadySamplesAsOftenAsItMay) {
  Random random(12);
  for (const std::size_t n : {8u, 40u}) {
    int seen = 0;
    const int trials = 3000;
    for (int i = 0; i < trials; ++i)
      seen += trend_of(series(n, [&](double) { return random.normal(); })).p_value < 0.05;
    EXPECT_NEAR(static_cast<double>(seen) / trials, n == 8 ? 0.04 : 0.05, 0.015)
        << n;  // 8: the test is discrete
  }
}

TEST(Trend, OfALongSeriesIsFoundInItsBlocks) {
  Random random(13);
  const auto trend = trend_of(series(100000, [&](double t) { return 50 + 1e-5 * t + random.normal(); }));
  EXPECT_EQ(trend.slope.n, 500);
  EXPECT_NEAR(trend.slope.value, 1e-5, 1e-6);
  EXPECT_LE(*trend.slope.low, 1e-5);
  EXPECT_GE(*trend.slope.high, 1e-5);
  EXPECT_NEAR(trend.change, 0.02, 0.002);
}

TEST(Trend, OfTooLittleIsNone) {
  EXPECT_EQ(trend_of({}).p_value, 1);
  EXPECT_EQ(trend_of(std::vector{1.0}).p_value, 1);
  EXPECT_EQ(trend_of(std::vector{1.0, 2.0}).p_value, 1);
  EXPECT_FALSE(trend_of(std::vector{1.0, 2.0, 3.0}).slope.low);
  const auto equal = trend_of(std::vector<double>(50, 3.0));
  EXPECT_EQ(equal.p_value, 1);
  EXPECT_EQ(equal.slope.value, 0);
  EXPECT_FALSE(drifts(equal));
}

TEST(Autocorrelation, MeetsTheCertifiedValues) {
  // NIST Statistical Reference Datasets, univariate: NumAcc1 and NumAcc2.
  EXPECT_NEAR(lag1_autocorrelation(std::vector<double>{10000001, 10000003, 10000002}), -0.5, 1e-12);
  std::vector<double> samples{1.2};
  for (int i = 0; i < 500; ++i) samples.insert(samples.end(), {1.1, 1.3});
  EXPECT_NEAR(lag1_autocorrelation(samples), -0.999, 1e-9);
}

TEST(Autocorrelation, TakesItsShareOfTheSamples) {
  Random random(21);
  double last = 0;
  const auto samples = series(20000, [&](double) { return last = 0.6 * last + random.normal(); });
  EXPECT_NEAR(lag1_autocorrelation(samples), 0.6, 0.02);
}

}  // namespace
}  // namespace neph::stats
