#include "predict/blend.hpp"

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

const Condition above_first{Situation::above, 0}, above_second{Situation::above, 1};

Eigen::MatrixXd errors_of(double size) {
  Eigen::MatrixXd errors(20, 2);
  for (Eigen::Index i = 0; i < errors.rows(); ++i) errors.row(i).setConstant(i % 2 == 0 ? size : -size / 2);
  return errors;
}

double half_of(const Blend& blend, const Place& place) {
  const auto weights = blend.weights(place);
  return blend.half_width(place, weights, Eigen::VectorXd::Zero(weights.size()), 0);
}

TEST(Blend, ColumnsThatVaryTogetherAreOneCondition) {
  const auto alone = Blend::learn({{{above_first}, errors_of(0.1), {0.7}}});
  const auto together = Blend::learn({{{above_first, above_second}, errors_of(0.1), {0.7, 0.3}}});
  const auto apart =
      Blend::learn({{{above_first}, errors_of(0.1), {0.7}}, {{above_second}, errors_of(0.1), {0.3}}});
  const Place one{{above_first}, {0.7}}, both{{above_first, above_second}, {0.7, 0.3}};
  EXPECT_DOUBLE_EQ(half_of(together, both), half_of(alone, one));
  EXPECT_NEAR(half_of(apart, both), std::sqrt(2) * half_of(alone, one), 1e-12);
}

TEST(Blend, WidensWithTheDistanceOfAllColumnsTogether) {
  const auto blend = Blend::learn({{{above_first, above_second}, errors_of(0.1), {0.4, 0.3}}});
  const Place near{{above_first, above_second}, {0.4, 0.3}}, far{{above_first, above_second}, {0.8, 0.6}},
      uneven{{above_first, above_second}, {0.4, 0.6}};
  EXPECT_DOUBLE_EQ(half_of(blend, far), 2 * half_of(blend, near));
  EXPECT_LT(half_of(blend, uneven), half_of(blend, far));
  EXPECT_GT(half_of(blend, uneven), half_of(blend, near));
}

TEST(Blend, AsksForTheMedianOnlyBeyondTheRange) {
  const Eigen::Vector3d weights(0.4, 0.3, 0.3), values(1, 2, 30);
  EXPECT_DOUBLE_EQ(agreed(weights, values, true), 10);
  EXPECT_DOUBLE_EQ(agreed(weights, values, false), 2);
  EXPECT_TRUE((Place{{{Situation::few, 0}, {Situation::between, 1}}, {0, 0}}.is_within_range()));
  EXPECT_FALSE((Place{{{Situation::few, 0}, above_first}, {0, 1}}.is_within_range()));
}

/// Two ways of five are right, and one that hardly counts is far off: about a mean it moves the deviation,
/// about a median hardly the mean distance.
TEST(Blend, OneWayThatGoesAstrayWidensOnlyWithinTheRange) {
  Eigen::MatrixXd errors(20, 3);
  for (Eigen::Index i = 0; i < errors.rows(); ++i)
    errors.row(i) << (i % 2 ? 0.1 : -0.1), (i % 2 ? 0.1 : -0.1), 0.5;
  const auto blend = Blend::learn({{{Condition{}}, errors, {0}}, {{above_first}, errors, {1}}});
  const Eigen::Vector3d agreeing(0, 0, 0), astray(0, 0, 3);
  const auto widening = [&](const Place& place) {
    const auto weights = blend.weights(place);
    return blend.half_width(place, weights, astray, 0) / blend.half_width(place, weights, agreeing, 0);
  };
  const double within = widening({}), beyond = widening({{above_first}, {1}});
  EXPECT_GT(within, 1.3);
  EXPECT_GT(beyond, 1);
  EXPECT_LT(beyond - 1, (within - 1) / 2);
}

/// A level with few rows is judged as it was tried, within ranges, even where a number lies beyond them.
TEST(Blend, MeasuresDisagreementAsEachHoldOutDid) {
  const Condition few{Situation::few, 0};
  Eigen::MatrixXd errors(20, 2);
  for (Eigen::Index i = 0; i < errors.rows(); ++i) errors.row(i) << (i % 2 ? 0.1 : -0.1), 0.4;
  const auto blend = Blend::learn({{{few}, errors, {0}}, {{above_first}, errors, {1}}});
  const Eigen::Vector2d weights(0.9, 0.1), log_means(0, 2);
  const auto half = [&](const Place& place) { return blend.half_width(place, weights, log_means, 0); };
  EXPECT_NEAR(half({{few, above_first}, {0, 1}}), std::hypot(half({{few}, {0}}), half({{above_first}, {1}})),
              1e-12);
}

/// Of ways that disagree the more the further they are off, the interval where they agree says less.
TEST(Blend, KnowsWhatNineOfTenErrorsKeepBelow) {
  Eigen::MatrixXd errors(200, 2);
  for (Eigen::Index i = 0; i < errors.rows(); i += 2) {
    const double error = 0.01 * static_cast<double>(i / 2);
    errors.row(i) << 2 * error, 0;
    errors.row(i + 1) << 0, 2 * error;
  }
  const auto blend = Blend::learn({{{Condition{}}, errors, {0}}});
  const auto& standing = blend.standings().front();
  EXPECT_NEAR(standing.median, 0.5, 0.01);
  EXPECT_NEAR(standing.p90, 0.9, 0.01);
  EXPECT_LT(standing.median * standing.reach, 0.5);
}

TEST(Blend, IsSurerTheNearerAMeasuredValueIs) {
  const Condition between{Situation::between, 0};
  const auto blend =
      Blend::learn({{{Condition{}}, errors_of(0.01), {0}}, {{between}, errors_of(0.1), {0.5}}});
  const double inside = half_of(blend, {}), far = half_of(blend, {{between}, {0.5}}),
               near = half_of(blend, {{between}, {0.05}});
  EXPECT_NEAR(near * near - inside * inside, (far * far - inside * inside) / 100, 1e-12);
  EXPECT_GT(far, 10 * inside);
  EXPECT_DOUBLE_EQ(half_of(blend, {{between}, {0}}), inside);
}

TEST(Blend, IsNoSurerOfANewLevelThatComesWithAValueBetween) {
  const Condition between{Situation::between, 0}, unseen{Situation::unseen, 0};
  const auto blend =
      Blend::learn({{{Condition{}}, errors_of(0.01), {0}}, {{between, unseen}, errors_of(0.1), {0.5, 0}}});
  EXPECT_GE(half_of(blend, {{between, unseen}, {0.05, 0}}), half_of(blend, {{unseen}, {0}}));
}

TEST(Blend, BelievesTheInsideWhereNothingBetweenWasTried) {
  const auto blend = Blend::learn({{{Condition{}}, errors_of(0.1), {0}}, {{above_first}, errors_of(1), {1}}});
  EXPECT_EQ(blend.weights({{{Situation::between, 0}}, {0}}), blend.weights({}));
}

TEST(Blend, AllowsForAnyUsualEffectWhereFewPointsStandAndNothingWasTried) {
  const auto blend = Blend::learn({{{Condition{}}, errors_of(0.1), {0}}, {{above_first}, errors_of(1), {1}}});
  const Condition sparse{Situation::sparse, 0};
  EXPECT_EQ(blend.weights({{sparse}, {0.7}}), blend.weights({}));
  EXPECT_GT(half_of(blend, {{sparse}, {0.7}}), 0.25 * 0.7);
}

}  // namespace
}  // namespace neph::predict
