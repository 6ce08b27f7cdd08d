#include "report/charts/thin.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::report {
namespace {

using testing::ElementsAre;

TEST(BucketMeans, KeepsWhatFits) {
  const auto thin = bucket_means({1, 2, 3}, {4, 5, 6}, 10);
  EXPECT_THAT(thin.x, ElementsAre(1, 2, 3));
  EXPECT_THAT(thin.y, ElementsAre(4, 5, 6));
}

TEST(BucketMeans, AveragesNeighbours) {
  const auto thin = bucket_means({1, 2, 3, 4}, {1, 3, 5, NAN}, 2);
  EXPECT_THAT(thin.x, ElementsAre(2, 4));
  EXPECT_THAT(thin.y, ElementsAre(2, 5));
}

TEST(BucketMeans, BearsNothingAndNothingFinite) {
  EXPECT_TRUE(bucket_means({}, {}, 5).x.empty());
  EXPECT_TRUE(bucket_means({1, 2}, {}, 5).x.empty());
  EXPECT_TRUE(std::isnan(bucket_means({1}, {NAN}, 5).y[0]));
}

TEST(BucketMeans, KeepsTheMeanOfEqualBuckets) {
  Random random(1);
  std::vector<double> x(1000), y(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i), y[i] = random.uniform();
  const auto thin = bucket_means(x, y, 50);
  double before = 0, after = 0;
  for (const double value : y) before += value / 1000;
  for (const double value : thin.y) after += value / 50;
  EXPECT_EQ(thin.x.size(), 50u);
  EXPECT_NEAR(before, after, 1e-12);
}

TEST(UpperQuantiles, AreTheSortedSamplesWhenThereAreFew) {
  const auto curve = upper_quantiles({3, 1, NAN, 2}, 10);
  EXPECT_THAT(curve.y, ElementsAre(1, 2, 3));
  EXPECT_DOUBLE_EQ(curve.x[1], 2);  // the median stands at 1/(1 - 0.5)
}

TEST(UpperQuantiles, StayOnTheDistributionAndKeepItsEnd) {
  Random random(2);  // seed
  std::vector<double> samples(100000);
  for (auto& sample : samples) sample = -std::log(1 - random.uniform());  // exponential: quantile = log x
  const double largest = *std::max_element(samples.begin(), samples.end());
  const auto curve = upper_quantiles(samples, 200);
  ASSERT_LE(curve.x.size(), 200u);
  ASSERT_GT(curve.x.size(), 100u);
  EXPECT_TRUE(std::is_sorted(curve.x.begin(), curve.x.end()));
  EXPECT_TRUE(std::is_sorted(curve.y.begin(), curve.y.end()));
  EXPECT_EQ(curve.y.back(), largest);
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (curve.x[i] < 1000) {
      EXPECT_NEAR(curve.y[i], std::log(curve.x[i]), 0.35) << curve.x[i];
    }
}

}  // namespace
}  // namespace neph::report
