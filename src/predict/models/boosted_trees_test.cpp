#include "predict/models/boosted_trees.hpp"

#include <cmath>
#include <limits>
#include <thread>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;
using testing::Not;

/// Rows with two numbers and two categories, the second of more levels than have columns of their own.
FeatureMatrix random_rows(Index rows, Random& random) {
  FeatureMatrix matrix{MatrixXd(rows, 2), Eigen::MatrixXi(rows, 2)};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 2; ++j) matrix.numbers(i, j) = 100 * random.normal();
    matrix.levels(i, 0) = static_cast<int>(random.below(4)) - 1;
    matrix.levels(i, 1) = static_cast<int>(random.below(90));
  }
  return matrix;
}

/// Steps, slopes, and what a level does, with noise.
VectorXd target_at(const FeatureMatrix& rows, double noise, Random& random) {
  VectorXd target(rows.rows());
  for (Index i = 0; i < target.size(); ++i)
    target[i] = (rows.numbers(i, 0) > 30 ? 1 : -1) + 0.01 * rows.numbers(i, 1) + 0.5 * rows.levels(i, 0) +
                (rows.levels(i, 1) % 3 == 0 ? 1 : 0) + noise * random.normal();
  return target;
}

TEST(BoostedTrees, FindStepsAndLevels) {
  Random random(2);
  const auto rows = random_rows(3000, random), others = random_rows(500, random);
  const auto trees = *BoostedTrees::grow(rows, target_at(rows, 0.05, random));
  const VectorXd truth = target_at(others, 0, random);
  EXPECT_LT((trees.values(others) - truth).cwiseAbs().mean(), 0.12);
  EXPECT_TRUE(trees.are_of(2, 2));
  EXPECT_FALSE(trees.are_of(3, 2) || trees.are_of(2, 1));
}

TEST(BoostedTrees, AreTheSameAsTheyWereWritten) {
  Random random(3);
  const auto rows = random_rows(300, random), others = random_rows(70, random);
  const auto trees = *BoostedTrees::grow(rows, target_at(rows, 0.1, random));
  const auto read = BoostedTrees::read(trees.levels(), trees.text());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->values(others), trees.values(others));
  EXPECT_EQ(read->text(), trees.text());
  const auto none = BoostedTrees::read(trees.levels(), "{}");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::corrupt);
  EXPECT_THAT(none.error().message, Not(HasSubstr("Stack trace")));
}

TEST(BoostedTrees, AreTheSameWhateverElseGrows) {
  Random random(4);
  const auto rows = random_rows(800, random);
  const auto target = target_at(rows, 0.1, random);
  const auto alone = *BoostedTrees::grow(rows, target);
  std::vector<std::string> together(2);
  {
    std::vector<std::jthread> threads;
    for (auto& each : together)
      threads.emplace_back([&] { each = BoostedTrees::grow(rows, target)->text(); });
  }
  for (const auto& each : together) EXPECT_EQ(each, alone.text());
}

TEST(BoostedTrees, AnswerSeveralThreadsAtOnce) {
  Random random(7);
  const auto rows = random_rows(2000, random);
  const auto trees = *BoostedTrees::grow(rows, target_at(rows, 0.1, random));
  const VectorXd alone = trees.values(rows);
  std::vector<VectorXd> together(4);
  {
    std::vector<std::jthread> threads;
    for (auto& each : together) threads.emplace_back([&] { each = trees.values(rows); });
  }
  for (const auto& each : together) EXPECT_EQ(each, alone);
}

TEST(BoostedTrees, TakeNumbersThatAreTooLargeAndUnseenLevels) {
  Random random(5);
  auto rows = random_rows(100, random);
  rows.numbers(3, 0) = 1e308;
  const auto trees = *BoostedTrees::grow(rows, target_at(rows, 0.1, random));
  FeatureMatrix odd{MatrixXd::Constant(1, 2, -1e308), Eigen::MatrixXi::Constant(1, 2, 1000)};
  EXPECT_TRUE(std::isfinite(trees.values(odd)[0]));
  odd.levels.setConstant(-1);
  EXPECT_TRUE(std::isfinite(trees.values(odd)[0]));
}

TEST(BoostedTrees, FailInAWordAndNothingOnTheTerminal) {
  Random random(6);
  const auto rows = random_rows(50, random);
  VectorXd target = target_at(rows, 0.1, random);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  target[7] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(BoostedTrees::grow(rows, target).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(BoostedTrees::grow(rows, target.head(3)).error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(BoostedTrees::grow(random_rows(1, random), VectorXd::Ones(1)));
  EXPECT_EQ(testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace neph::predict
