#include "predict/models/level_factors.hpp"

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

using Eigen::VectorXd;
using Eigen::VectorXi;

TEST(LevelFactors, ARowThatNothingExplainsMovesAllHardly) {
  EXPECT_DOUBLE_EQ(common_residual(VectorXd{{0.1, 0.3, -0.1}}), 0.1);
  EXPECT_DOUBLE_EQ(common_residual(VectorXd{{0, 0, 0, 700}}), 0.25);
  EXPECT_DOUBLE_EQ(common_residual(VectorXd{{0, 0, 0, -700}}), -0.25);
}

TEST(LevelFactors, AreMeansThatFewRowsDrawTowardsNothing) {
  const auto means = level_means(VectorXd{{0.6, 0.5, 0.5, 9}}, VectorXi{{2, 0, 0, -1}});
  ASSERT_EQ(means.size(), 3);
  EXPECT_DOUBLE_EQ(means[2], 0.4) << "two thirds of its one row";
  EXPECT_DOUBLE_EQ(means[0], 0.4) << "four fifths of its two";
  EXPECT_DOUBLE_EQ(means[1], 0) << "no row";
  EXPECT_EQ(level_means(VectorXd{{1}}, VectorXi{{-1}}).size(), 0);
}

TEST(LevelFactors, ALevelThatIsNotKnownHasNone) {
  const std::vector<VectorXd> factors{VectorXd{{0.5, 1}}, VectorXd{{8, 4}}};
  EXPECT_EQ(level_factors(factors, Eigen::MatrixXi{{1, 0, 7}, {-1, 1, 7}, {2, 5, 7}}), (VectorXd{{9, 4, 0}}));
}

}  // namespace
}  // namespace neph::predict
