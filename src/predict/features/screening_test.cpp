#include "predict/features/screening.hpp"

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

MatrixXd noise(Index rows, Index columns) {
  Random random(1);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

TEST(Screening, TakesAllOfFewColumns) {
  EXPECT_THAT(strongest(noise(10, 3), VectorXd::Ones(10), 3), ElementsAre(0, 1, 2));
}

TEST(Screening, FindsWhatATargetIsMadeOf) {
  const MatrixXd numbers = noise(60, 500);
  const VectorXd target = 2 * numbers.col(17) - numbers.col(400) + 0.5 * numbers.col(401);
  EXPECT_THAT(strongest(numbers, target, 24), ElementsAre(17, 400, 401));
  const VectorXd noisy = target + 0.1 * noise(60, 501).col(500);
  EXPECT_THAT(strongest(numbers, noisy, 24), ElementsAre(17, 400, 401)) << "no more follow the noise";
}

TEST(Screening, TakesNoMoreThanAQuarterOfTheRows) {
  const MatrixXd numbers = noise(60, 500);
  const VectorXd target = numbers.leftCols(40).rowwise().sum();
  EXPECT_LE(strongest(numbers, target, 24).size(), 15U);
}

/// Column 6 is what hides the target in column 5, and says nothing of it by itself.
TEST(Screening, TakesWhatOnlyHelpsBesideAnother) {
  MatrixXd numbers = noise(200, 41);
  const VectorXd target = numbers.col(40) + 0.01 * numbers.col(39);
  numbers.conservativeResize(200, 39);
  numbers.col(5) = target + 3 * numbers.col(6);
  EXPECT_LT(std::abs(numbers.col(6).dot(target)), 0.1 * numbers.col(6).norm() * target.norm());
  EXPECT_THAT(strongest(numbers, target, 2), ElementsAre(5, 6));
}

TEST(Screening, TakesNoneThatNeverDiffersAndNoneTwice) {
  MatrixXd numbers = MatrixXd::Constant(40, 30, 3.1);
  numbers.col(4) = noise(40, 1);
  numbers.col(9) = 2 * numbers.col(4);
  EXPECT_THAT(strongest(numbers, numbers.col(4), 8), ElementsAre(testing::AnyOf(4, 9)));
  EXPECT_THAT(strongest(MatrixXd(MatrixXd::Ones(40, 30)), numbers.col(4), 8), IsEmpty());
  EXPECT_THAT(strongest(Eigen::MatrixXi(Eigen::MatrixXi::Ones(40, 30)), numbers.col(4), 8), IsEmpty());
}

TEST(Screening, FindsTheCategoriesThatATargetIsMadeOf) {
  Random random(2);
  const Eigen::MatrixXi levels =
      Eigen::MatrixXi::NullaryExpr(150, 60, [&] { return static_cast<int>(random.below(4)) - 1; });
  VectorXd target = 0.1 * noise(150, 1);
  for (Index i = 0; i < 150; ++i) target[i] += levels(i, 7) + (levels(i, 33) == 2 ? 1.0 : 0.0);
  const auto chosen = strongest(levels, target, 16);
  EXPECT_LE(chosen.size(), 16U);
  EXPECT_THAT(chosen, Contains(7));
  EXPECT_THAT(chosen, Contains(33));
  EXPECT_THAT(strongest(levels, target, 1), ElementsAre(7));
  EXPECT_EQ(strongest(levels, target, 60).size(), 60U) << "all of few";
}

TEST(Screening, ANameOfEachRowExplainsNothing) {
  Eigen::MatrixXi levels(30, 3);
  VectorXd target(30);
  for (int i = 0; i < 30; ++i) {
    levels.row(i) << i, i % 2, 0;
    target[i] = i % 2 + 0.01 * i;
  }
  EXPECT_THAT(strongest(levels, target, 2), ElementsAre(1));
}

}  // namespace
}  // namespace neph::predict
