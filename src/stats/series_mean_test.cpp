#include "stats/series_mean.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "stats/mean.hpp"

namespace neph::stats {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

/// A first-order autoregression around 0 with deviation 1, well after its beginning.
std::vector<double> autoregression(std::size_t count, double correlation, Random& random) {
  double x = random.normal();
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(x);
    x = correlation * x + std::sqrt(1 - correlation * correlation) * random.normal();
  }
  return all;
}

struct Series {
  double correlation;
  double skew;  ///< 0: normal; else lognormal with this deviation of the logarithm
  double least_coverage;
};

class Coverage : public testing::TestWithParam<Series> {};

TEST_P(Coverage, HoldsForWhatComesNext) {
  constexpr int series = 1000;
  constexpr std::size_t measured = 50, later = 1000;
  Random random(11);
  int held = 0;
  for (int i = 0; i < series; ++i) {
    auto all = autoregression(measured + later, GetParam().correlation, random);
    if (GetParam().skew > 0)
      for (double& x : all) x = std::exp(GetParam().skew * x);
    const auto said = mean_of_next({all.data(), measured}, later);
    const double came = mean_estimate({all.data() + measured, later}).value;
    held += *said.low <= came && came <= *said.high;
  }
  EXPECT_GE(held, GetParam().least_coverage * series);
  EXPECT_LT(held, series) << "an interval that always holds says nothing";
}

INSTANTIATE_TEST_SUITE_P(Correlations, Coverage,
                         testing::Values(Series{0, 0, 0.95}, Series{0.3, 0, 0.94}, Series{0.6, 0, 0.93},
                                         Series{0.8, 0, 0.92}, Series{0.9, 0, 0.90}, Series{0, 0.5, 0.94},
                                         Series{0.6, 0.5, 0.91}, Series{0.8, 0.5, 0.88}));

TEST(SeriesMean, IsNotMuchWiderThanStudentsWhereNothingIsAlike) {
  Random random(3);
  double wider = 0;
  for (int i = 0; i < 200; ++i) {
    const auto all = autoregression(50, 0, random);
    const auto student = mean_estimate(all), ours = mean_of_next(all, forever);
    EXPECT_DOUBLE_EQ(ours.value, student.value);
    wider += (*ours.high - *ours.low) / (*student.high - *student.low) / 200;
  }
  EXPECT_GT(wider, 1.0);
  EXPECT_LT(wider, 1.6);
}

TEST(SeriesMean, IsWiderForAShorterFuture) {
  Random random(5);
  const auto all = autoregression(50, 0.3, random);
  const auto width = [&](double future) {
    const auto said = mean_of_next(all, future);
    return *said.high - *said.low;
  };
  EXPECT_NEAR(width(50) / width(forever), std::sqrt(2), 1e-12);
  EXPECT_GT(width(10), width(50));
}

TEST(SeriesMean, OfEqualSamplesIsExact) {
  const auto said = mean_of_next(std::vector<double>(50, 0.25), 100);
  EXPECT_EQ(said.value, 0.25);
  EXPECT_EQ(said.low, 0.25);
  EXPECT_EQ(said.high, 0.25);
}

TEST(SeriesMean, HasNoIntervalWhereNothingCarriesOne) {
  const auto few = mean_of_next(std::vector<double>(fewest_in_series - 1, 1.0), forever);
  EXPECT_EQ(few.value, 1);
  EXPECT_FALSE(few.low || few.high);
  EXPECT_FALSE(mean_of_next(std::vector<double>(50, 1.0), 0).low);
  auto broken = std::vector<double>(50, 1.0);
  broken[7] = std::nan("");
  EXPECT_TRUE(std::isnan(mean_of_next(broken, forever).value));
  EXPECT_EQ(mean_of_next({}, forever).n, 0);
}

}  // namespace
}  // namespace neph::stats
