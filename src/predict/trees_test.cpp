#include "predict/trees.hpp"

#include <cmath>
#include <limits>
#include <thread>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "predict/boosting.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Rows with two numbers and two categories, the second of more levels than have columns of their own.
Places random_places(Index rows, Random& random) {
  Places places{MatrixXd(rows, 2), Eigen::MatrixXi(rows, 2)};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 2; ++j) places.numbers(i, j) = 100 * random.normal();
    places.levels(i, 0) = static_cast<int>(random.below(4)) - 1;
    places.levels(i, 1) = static_cast<int>(random.below(90));
  }
  return places;
}

/// Steps, slopes, and what a level does, with noise.
VectorXd target_at(const Places& places, double noise, Random& random) {
  VectorXd target(places.numbers.rows());
  for (Index i = 0; i < target.size(); ++i)
    target[i] = (places.numbers(i, 0) > 30 ? 1 : -1) + 0.01 * places.numbers(i, 1) +
                0.5 * places.levels(i, 0) + (places.levels(i, 1) % 3 == 0 ? 1 : 0) + noise * random.normal();
  return target;
}

TEST(Trees, GiveWhatXGBoostItselfPredicts) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const auto places = random_places(20 + 30 * round, random), others = random_places(200, random);
    const auto target = target_at(places, 0.1, random);
    const auto levels = LevelColumns::learn(places.levels, target);
    const auto rows = *BoosterRows::of(levels.of(places), target);
    const auto other_rows = *BoosterRows::of(levels.of(others), VectorXd::Zero(200));
    const BoosterRows* known[] = {&other_rows};
    auto booster = *Booster::on(rows, known, {.depth = 1 + round % 8});
    const std::size_t count = 1 + static_cast<std::size_t>(10 * round);
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(booster.grow(rows));
    auto trees = *booster.trees(count);
    trees.levels = levels;
    ASSERT_TRUE(trees.are_sound(2));
    const VectorXd ours = trees.values(others);
    const auto theirs = *booster.predictions(other_rows);
    for (Index i = 0; i < ours.size(); ++i)
      EXPECT_NEAR(ours[i], theirs[i], 1e-6 * static_cast<double>(count)) << "round " << round;
    EXPECT_NEAR(*booster.error(other_rows), std::sqrt(ours.squaredNorm() / 200), 1e-4);
  }
}

TEST(Trees, FindStepsAndLevels) {
  Random random(2);
  const auto places = random_places(3000, random), others = random_places(500, random);
  const auto trees = *boost(places, target_at(places, 0.05, random));
  const VectorXd truth = target_at(others, 0, random);
  EXPECT_LT((trees.values(others) - truth).cwiseAbs().mean(), 0.07);
}

TEST(Trees, AreAsManyAsTheRowsSpeakFor) {
  Random random(3);
  const auto places = random_places(300, random);
  VectorXd noise(300);
  for (auto& value : noise) value = random.normal();
  EXPECT_LT(boost(places, noise)->roots.size(), 20U);
  EXPECT_THAT(boost(places, VectorXd::Zero(300))->roots, IsEmpty());
  EXPECT_THAT(boost(random_places(6, random), noise.head(6))->roots, IsEmpty());
  EXPECT_DOUBLE_EQ(boost(random_places(1, random), noise.head(1))->values(places).norm(), 0);
}

TEST(Trees, AreTheSameWhateverElseGrows) {
  Random random(4);
  const auto places = random_places(800, random);
  const auto target = target_at(places, 0.1, random);
  const auto alone = *boost(places, target);
  std::vector<Trees> together(2);
  {
    std::vector<std::jthread> threads;
    for (auto& each : together) threads.emplace_back([&] { each = *boost(places, target); });
  }
  for (const auto& each : together) {
    EXPECT_EQ(each.numbers, alone.numbers);
    EXPECT_EQ(each.columns, alone.columns);
  }
}

TEST(Trees, TakeNumbersThatAreTooLargeOrNone) {
  Random random(5);
  auto places = random_places(100, random);
  places.numbers(3, 0) = 1e308;
  const auto trees = *boost(places, target_at(places, 0.1, random));
  Places odd{MatrixXd::Constant(1, 2, std::numeric_limits<double>::quiet_NaN()),
             Eigen::MatrixXi::Constant(1, 2, 1000)};
  EXPECT_TRUE(std::isfinite(trees.values(odd)[0]));
  odd.numbers.setConstant(-1e308);
  EXPECT_TRUE(std::isfinite(trees.values(odd)[0]));
}

TEST(Trees, FailInAWordAndNothingOnTheTerminal) {
  Random random(6);
  const auto places = random_places(50, random);
  VectorXd target = target_at(places, 0.1, random);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto wrong = boost(places, target, {.booster = {.depth = -3}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("XGBoost: "));
  EXPECT_THAT(wrong.error().message, Not(HasSubstr("Stack trace")));
  target[7] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(boost(places, target).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(boost(places, target.head(3)).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout(), "");
}

TEST(Trees, AreNotSoundWhereAWalkWouldNotEnd) {
  const Trees good{.roots = {0}, .columns = {1, -1, -1}, .lefts = {1, 0, 0}, .numbers = {0.5, 1, 2}};
  EXPECT_TRUE(good.are_sound(2));
  EXPECT_FALSE(good.are_sound(1)) << "no such column";
  auto bad = good;
  bad.lefts[0] = 0;
  EXPECT_FALSE(bad.are_sound(2)) << "a circle";
  bad.lefts[0] = 2;
  EXPECT_FALSE(bad.are_sound(2)) << "no right child";
  bad = good;
  bad.roots[0] = 3;
  EXPECT_FALSE(bad.are_sound(2));
  bad = good;
  bad.numbers[2] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(bad.are_sound(2));
  bad = good;
  bad.lefts.pop_back();
  EXPECT_FALSE(bad.are_sound(2));
}

}  // namespace
}  // namespace neph::predict
