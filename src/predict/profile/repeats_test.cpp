#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "predict/profile/profile.hpp"

namespace neph::predict {
namespace {

/// The median over points of few repeats each is the deviation that the samples were drawn with.
TEST(Repeats, TellTheNoiseHoweverFewThereAre) {
  constexpr double truth = 0.03;
  for (const int repeats : {2, 3, 4, 5, 6, 7, 9, 12, 20}) {
    Random random(static_cast<std::uint64_t>(repeats));
    Points points;
    for (int point = 0; point < 20'000; ++point) {
      std::vector<double> logs;
      for (int i = 0; i < repeats; ++i) logs.push_back(truth * random.normal());
      points.repeats.push_back(repeats);
      points.deviations.push_back(deviation_of_repeats(logs));
    }
    EXPECT_NEAR(noise_of(points), truth, 0.03 * truth) << repeats << " repeats";
  }
}

/// Of 50 points each, by the values of a column: how much their repeats are off, and on average.
ErrorsOfRepeats errors_of(const std::map<double, std::pair<double, double>>& values) {
  Random random(3);
  ErrorsOfRepeats errors;
  for (const auto& [value, about] : values)
    for (int point = 0; point < 50; ++point)
      errors[value].push_back(about.second + about.first * random.normal());
  return errors;
}

TEST(Repeats, ASeedTellsThemApart) {
  EXPECT_TRUE(tell_only_repeats(errors_of({{17, {0.01, 0}}, {42, {0.01, 0}}, {99, {0.01, 0}}})));
  EXPECT_TRUE(tell_only_repeats(errors_of({{1, {0.01, 0.03}}, {2, {0.01, 0}}, {3, {0.01, 0}}})))
      << "the first was a cold start";
  auto one_outlier = errors_of({{1, {0.01, 0}}, {2, {0.01, 0}}});
  one_outlier[1].front() = 2.3;
  EXPECT_TRUE(tell_only_repeats(one_outlier));
  EXPECT_TRUE(tell_only_repeats({{1, {0, 0, 2.3}}, {2, {0, 0.01, 0}}})) << "too few to say";
}

TEST(Repeats, AFactorThatMattersInFewPointsIsNone) {
  auto errors = errors_of({{1, {0.02, 0}}, {10, {0.02, 0}}, {300, {0.02, 0}}});
  for (std::size_t i = 0; i < 8; ++i) errors[1][i] = -1;
  EXPECT_FALSE(tell_only_repeats(errors));
}

TEST(Repeats, PointsOfOneRowSayNothingOfTheNoise) {
  Points points{.repeats = {1, 2, 1}, .deviations = {0, 0.1, 0}};
  EXPECT_DOUBLE_EQ(noise_of(points), 0.1);
  points.repeats = {1, 1, 1};
  EXPECT_EQ(noise_of(points), 0);
}

/// What is held out are points, so that their errors have their noise already.
TEST(Repeats, NoiseCountsAsFarAsPointsDoNotHaveIt) {
  EXPECT_EQ(noise_beyond_points({.repeats = {1, 1, 1}, .noise = 0.1}), 0);
  EXPECT_DOUBLE_EQ(noise_beyond_points({.repeats = {4, 4}, .noise = 0.1}), 0.1 * std::sqrt(0.75));
  EXPECT_DOUBLE_EQ(noise_beyond_points({.repeats = {1, 2}, .noise = 0.1}), 0.1 * std::sqrt(0.25));
}

TEST(Repeats, OneOutlierAmongManyMovesTheDeviationHardly) {
  const std::vector<double> logs{0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06};
  auto with_outlier = logs;
  with_outlier.back() = 5;
  EXPECT_DOUBLE_EQ(deviation_of_repeats(with_outlier), deviation_of_repeats(logs));
}

}  // namespace
}  // namespace neph::predict
