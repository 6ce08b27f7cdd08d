#include "predict/ensemble/shift_scores.hpp"

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

const Shift above_first{ShiftKind::above, 0}, above_second{ShiftKind::above, 1};

Eigen::MatrixXd errors_of(double size) {
  Eigen::MatrixXd errors(20, 2);
  for (Eigen::Index i = 0; i < errors.rows(); ++i) errors.row(i).setConstant(i % 2 == 0 ? size : -size / 2);
  return errors;
}

double half_of(const ShiftScores& scores, const QueryPosition& position) {
  const auto weights = scores.weights(position);
  return scores.half_width(position, weights, Eigen::VectorXd::Zero(weights.size()), 0);
}

/// Errors from 0.01 to 1 of one trial, and twice that of another: half lie below 0.66 and nine of ten
/// below 1.6.
TEST(ShiftScores, TheMedianAndTheNinetiethPercentileAreOfTheSameErrors) {
  Eigen::MatrixXd near(100, 1), far(100, 1);
  for (Eigen::Index i = 0; i < 100; ++i)
    near(i, 0) = 0.01 * static_cast<double>(i + 1), far(i, 0) = 2 * near(i, 0);
  const std::vector<Trial> trials{{{above_first}, near, {1}}, {{{ShiftKind::below, 0}}, far, {1}}};
  const std::array kinds{ShiftKind::above, ShiftKind::below};
  const auto score = *ShiftScores::of_kinds(trials, kinds);
  EXPECT_EQ(score.trials, 2);
  EXPECT_NEAR(score.median, 2.0 / 3, 0.011);
  EXPECT_NEAR(score.p90, 1.6, 0.011);
  EXPECT_FALSE(ShiftScores::of_kinds(trials, std::array{ShiftKind::unseen}));
  const auto exact = *ShiftScores::of_kinds({{{above_first}, Eigen::MatrixXd::Zero(20, 1), {1}}}, kinds);
  EXPECT_LE(exact.median, exact.p90);
}

TEST(ShiftScores, OfAKindThatWasNeverTriedNothingIsKnown) {
  const auto scores =
      ShiftScores::learn({{{Shift{}}, errors_of(0.1), {0}}, {{above_first}, errors_of(0.1), {0.7}}});
  const auto untried = [&](const Shift& shift) { return scores.untried_in({{shift}, {0.5}, {}}) != nullptr; };
  EXPECT_FALSE(untried(above_second)) << "another number's hold-outs speak for it";
  for (const auto kind : {ShiftKind::below, ShiftKind::unvaried, ShiftKind::unseen})
    EXPECT_TRUE(untried({kind, 0}));
  for (const auto kind : {ShiftKind::between, ShiftKind::rare})
    EXPECT_FALSE(untried({kind, 0})) << "it lies inside";
}

TEST(ShiftScores, ColumnsThatVaryTogetherAreOneShift) {
  const auto alone = ShiftScores::learn({{{above_first}, errors_of(0.1), {0.7}}});
  const auto together = ShiftScores::learn({{{above_first, above_second}, errors_of(0.1), {0.7, 0.3}}});
  const auto apart =
      ShiftScores::learn({{{above_first}, errors_of(0.1), {0.7}}, {{above_second}, errors_of(0.1), {0.3}}});
  const QueryPosition one{{above_first}, {0.7}, {}}, both{{above_first, above_second}, {0.7, 0.3}, {}};
  EXPECT_DOUBLE_EQ(half_of(together, both), half_of(alone, one));
  EXPECT_NEAR(half_of(apart, both), std::sqrt(2) * half_of(alone, one), 1e-12);
}

TEST(ShiftScores, WidenWithTheDistanceOfAllColumnsTogether) {
  const auto scores = ShiftScores::learn({{{above_first, above_second}, errors_of(0.1), {0.4, 0.3}}});
  const std::vector both{above_first, above_second};
  const QueryPosition near{both, {0.4, 0.3}, {}}, far{both, {0.8, 0.6}, {}}, uneven{both, {0.4, 0.6}, {}};
  EXPECT_DOUBLE_EQ(half_of(scores, far), 2 * half_of(scores, near));
  EXPECT_LT(half_of(scores, uneven), half_of(scores, far));
  EXPECT_GT(half_of(scores, uneven), half_of(scores, near));
}

TEST(ShiftScores, AgreeOnTheWeightedMedian) {
  EXPECT_DOUBLE_EQ(agreed(Eigen::Vector3d(0.4, 0.3, 0.3), Eigen::Vector3d(1, 2, 30), false), 2);
  EXPECT_DOUBLE_EQ(agreed(Eigen::Vector3d(0.6, 0.2, 0.2), Eigen::Vector3d(30, 2, 1), false), 30);
  EXPECT_DOUBLE_EQ(agreed(Eigen::Vector2d(0.5, 0.5), Eigen::Vector2d(4, 1), false), 2.5)
      << "of two the middle";
  EXPECT_DOUBLE_EQ(agreed(Eigen::Vector2d(0.9, 0.1), Eigen::Vector2d(std::nan(""), 1), false), 1);
}

TEST(ShiftScores, InsideErrorsOfMembersCancel) {
  EXPECT_DOUBLE_EQ(agreed(Eigen::Vector3d(0.4, 0.3, 0.3), Eigen::Vector3d(1, 2, 4), true), 2.2);
  EXPECT_DOUBLE_EQ(agreed(Eigen::Vector2d(0.9, 0.1), Eigen::Vector2d(std::nan(""), 1), true), 1);
  Eigen::MatrixXd errors(20, 2);
  errors.col(0).setConstant(0.1);
  errors.col(1).setConstant(-0.2);
  const auto weights = ShiftScores::learn({{{Shift{}}, errors, {0}}}).weights({});
  EXPECT_NEAR(weights[0], 16 * weights[1], 1e-12);
}

TEST(ShiftScores, WeighMembersByOneOverTheSquareOfTheirErrors) {
  Eigen::MatrixXd errors(20, 3);
  errors.col(0).setConstant(0.1);
  errors.col(1).setConstant(-0.2);
  errors.col(2).setConstant(std::numeric_limits<double>::infinity());  // could not be fitted
  const auto weights = ShiftScores::learn({{{above_first}, errors, {1}}}).weights({{above_first}, {1}, {}});
  EXPECT_NEAR(weights[0], 4 * weights[1], 1e-12);
  EXPECT_NEAR(weights.sum(), 1, 1e-12);
  EXPECT_LT(weights[2], 0.001);
}

TEST(ShiftScores, WidenWhereMembersDisagree) {
  Eigen::MatrixXd errors(20, 2);
  for (Eigen::Index i = 0; i < errors.rows(); ++i) errors.row(i) << (i % 2 ? 0.1 : -0.1), 0.2;
  const auto scores = ShiftScores::learn({{{Shift{}}, errors, {0}}});
  const auto weights = scores.weights({});
  EXPECT_GT(scores.half_width({}, weights, Eigen::Vector2d(0, 3), 0),
            1.2 * scores.half_width({}, weights, Eigen::Vector2d(0, 0), 0));
}

/// Of members that disagree the more the further they are off, the interval where they agree says less.
TEST(ShiftScores, KnowWhatNineOfTenErrorsKeepBelow) {
  Eigen::MatrixXd errors(200, 2);
  for (Eigen::Index i = 0; i < errors.rows(); i += 2) {
    const double error = 0.01 * static_cast<double>(i / 2);
    errors.row(i) << 2 * error, 0;
    errors.row(i + 1) << 0, 2 * error;
  }
  const auto scores = ShiftScores::learn({{{Shift{}}, errors, {0}}});
  const auto& score = scores.scores.front();
  EXPECT_NEAR(score.median, 0.495, 0.01);
  EXPECT_NEAR(score.p90, 0.895, 0.01);
  EXPECT_LT(score.median * score.reach, score.p90);
}

/// One of twelve levels is five times as hard as the others. Of pooled rows it would be a twelfth, and the
/// next such level would be outside.
TEST(ShiftScores, CountEachLevelThatWasLeftOutAsOneDraw) {
  const Shift unseen{ShiftKind::unseen, 0};
  std::vector<Trial> trials;
  for (int level = 0; level < 12; ++level)
    trials.push_back({{unseen}, errors_of(level == 7 ? 0.5 : 0.1), {0}});
  const QueryPosition position{{unseen}, {0}, {}};
  EXPECT_NEAR(half_of(ShiftScores::learn(trials), position), 0.5, 0.1);
  trials.resize(19, {{unseen}, errors_of(0.1), {0}});
  EXPECT_NEAR(half_of(ShiftScores::learn(trials), position), 0.1, 0.02) << "nine of ten draws are enough";
}

TEST(ShiftScores, AreWiderTheFewerHoldOutsThereWere) {
  const auto one = ShiftScores::learn({{{above_first}, errors_of(0.1), {1}}});
  const auto two =
      ShiftScores::learn({{{above_first}, errors_of(0.1), {1}}, {{above_first}, errors_of(0.1), {1}}});
  const QueryPosition position{{above_first}, {1}, {}};
  EXPECT_GT(half_of(one, position), half_of(two, position));
  EXPECT_GT(half_of(two, position), 0.1);
}

TEST(ShiftScores, AreSurerTheNearerAMeasuredValueIs) {
  const Shift between{ShiftKind::between, 0};
  const auto scores =
      ShiftScores::learn({{{Shift{}}, errors_of(0.01), {0}}, {{between}, errors_of(0.1), {0.5}}});
  const double inside = half_of(scores, {}), far = half_of(scores, {{between}, {0.5}, {}}),
               near = half_of(scores, {{between}, {0.05}, {}});
  EXPECT_NEAR(near * near - inside * inside, (far * far - inside * inside) / 100, 1e-12);
  EXPECT_GT(far, 10 * inside);
  EXPECT_DOUBLE_EQ(half_of(scores, {{between}, {0}, {}}), inside);
}

TEST(ShiftScores, AreNoSurerOfAnUnseenLevelThatComesWithAValueBetween) {
  const Shift between{ShiftKind::between, 0}, unseen{ShiftKind::unseen, 0};
  const auto scores =
      ShiftScores::learn({{{Shift{}}, errors_of(0.01), {0}}, {{between, unseen}, errors_of(0.1), {0.5, 0}}});
  EXPECT_GE(half_of(scores, {{between, unseen}, {0.05, 0}, {}}), half_of(scores, {{unseen}, {0}, {}}));
}

TEST(ShiftScores, AreThoseOfTheInsideWhereNothingBetweenWasTried) {
  const auto scores =
      ShiftScores::learn({{{Shift{}}, errors_of(0.1), {0}}, {{above_first}, errors_of(1), {1}}});
  EXPECT_EQ(scores.weights({{{ShiftKind::between, 0}}, {0}, {}}), scores.weights({}));
}

TEST(ShiftScores, AllowForAnyUsualEffectOfAConstantColumn) {
  const auto scores = ShiftScores::learn({{{Shift{}}, errors_of(0.001), {0}}});
  EXPECT_GT(half_of(scores, {{{ShiftKind::unvaried, 0}}, {0.7}, {}}), 0.5 * 0.7);
}

}  // namespace
}  // namespace neph::predict
