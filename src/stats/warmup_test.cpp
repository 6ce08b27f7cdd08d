#include "stats/warmup.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::stats {
namespace {

struct Curve {
  double excess;    ///< of the first batch over the steady time, relative
  double constant;  ///< batches in which the excess falls to 1/e
  double noise;     ///< relative
};

std::vector<double> times(const Curve& curve, Random& random, std::size_t n = 2000) {
  std::vector<double> samples(n);
  for (std::size_t i = 0; i < n; ++i)
    samples[i] = (1 + curve.excess * std::exp(-static_cast<double>(i) / curve.constant)) *
                 std::exp(curve.noise * random.normal());
  return samples;
}

TEST(Warmup, IsNotOverBeforeTwoWindowsAreFull) {
  Warmup warmup({.window = 4});
  for (int i = 0; i < 7; ++i) {
    warmup.add(1);
    EXPECT_FALSE(warmup.flat());
  }
  warmup.add(1);
  EXPECT_TRUE(warmup.flat());
  EXPECT_EQ(warmup.count(), 8u);
}

TEST(Warmup, EndsAtOnceWhereThereIsNone) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto from = steady_from(times({.excess = 0, .constant = 1, .noise = 0.1}, random));
    ASSERT_TRUE(from) << seed;
    EXPECT_LE(*from, 64u) << seed;
  }
}

TEST(Warmup, DoesNotTakeNoiseForAChange) {
  int at_once = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(5000 + seed);
    at_once += steady_from(times({.excess = 0, .constant = 1, .noise = 0.3}, random, 40)) == 16u;
  }
  EXPECT_GE(at_once, 360);  // two standard errors: 19 of 20, less what 16 samples leave uncertain
}

TEST(Warmup, EndsWhereTheCurveHasComeDown) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(1000 + seed);
    const Curve curve{.excess = 0.3 + 4 * random.uniform(),
                      .constant = 3 + 25 * random.uniform(),
                      .noise = 0.02 * random.uniform()};
    const auto from = steady_from(times(curve, random));
    ASSERT_TRUE(from) << seed;
    const double left = curve.excess * std::exp(-static_cast<double>(*from) / curve.constant);
    EXPECT_LT(left, 0.12) << seed << ": the time is still so much too long";
    EXPECT_LT(static_cast<double>(*from), 10 * curve.constant + 64) << seed;
  }
}

TEST(Warmup, IsNotOverWhileTimesKeepFalling) {
  Warmup warmup;
  for (int i = 0; i < 500; ++i) {
    warmup.add(std::exp(-0.01 * i));  // 16 % per window
    ASSERT_FALSE(warmup.flat()) << i;
  }
}

TEST(Warmup, DoesNotMindSingleSlowBatches) {
  Warmup warmup;
  for (int i = 0; i < 32; ++i) warmup.add(i % 10 == 3 ? 50 : 1);
  EXPECT_TRUE(warmup.flat());
}

TEST(Warmup, SeesAStepUntilBothWindowsLieBehindIt) {
  std::vector<double> samples(20, 3.0);
  samples.resize(200, 1.0);
  Warmup warmup;
  for (int i = 0; i < 30; ++i) warmup.add(samples[static_cast<std::size_t>(i)]);
  EXPECT_FALSE(warmup.flat());
  EXPECT_GE(steady_from(samples).value(), 20u);
}

TEST(Warmup, DoesNotDependOnTheUnit) {
  Random random(7);
  const auto seconds = times({.excess = 2, .constant = 10, .noise = 0.01}, random);
  auto nanoseconds = seconds;
  for (double& value : nanoseconds) value *= 1e9;
  EXPECT_EQ(steady_from(seconds), steady_from(nanoseconds));
}

TEST(Warmup, NeverEndsInAShortSeries) {
  EXPECT_EQ(steady_from(std::vector<double>(31, 1.0)), std::nullopt);
  EXPECT_EQ(steady_from({}), std::nullopt);
  EXPECT_EQ(steady_from(std::vector<double>(4, 1.0), {.window = 0}), 2u);
}

}  // namespace
}  // namespace neph::stats
