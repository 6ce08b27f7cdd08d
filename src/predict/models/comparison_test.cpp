#include "predict/models/comparison.hpp"

#include <gtest/gtest.h>

#include "predict/models/kernel_formula_test.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;

class Comparisons : public testing::Test {
 protected:
  Random random_{1};
  FeatureMatrix points_ = places_on_a_grid(60, random_), at_ = places_on_a_grid(30, random_);
  Kernel kernel_ = kernel_of_a_grid();
  ComparedRows rows_{points_}, asked_{at_};
  Comparison comparison_{rows_, kernel_};

  double square(Index row, Index point) const {
    double r2 = 0;
    for (Index j = 0; j < 3; ++j)
      r2 += std::pow((at_.numbers(row, j) - points_.numbers(point, j)) / kernel_.lengths[std::size_t(j)], 2);
    return r2;
  }
};

TEST_F(Comparisons, AreThoseOfTheFormula) {
  for (Index row = 0; row < 30; ++row) {
    comparison_.compare(asked_, row);
    ASSERT_EQ(comparison_.covariance().size(), 60);
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(comparison_.covariance()[i], covariance_by_formula(kernel_, at_, row, points_, i), 1e-14);
      EXPECT_NEAR(comparison_.matern()[i], matern_by_formula(square(row, i)), 1e-14);
    }
  }
}

TEST_F(Comparisons, FallWithTheDistanceAsDifferencesShow) {
  comparison_.compare(asked_, 0);
  constexpr double step = 1e-6;
  for (Index i = 0; i < 60; ++i) {
    const double r2 = square(0, i);
    if (r2 < 2 * step) continue;
    const double difference = (matern_by_formula(r2 + step) - matern_by_formula(r2 - step)) / (2 * step);
    EXPECT_NEAR(comparison_.slope()[i], difference, 1e-7);
  }
}

TEST_F(Comparisons, OfTheLastRowsAreTheLastOfAll) {
  comparison_.compare(asked_, 3);
  const Eigen::ArrayXd all = comparison_.covariance(), smooth = comparison_.smooth();
  comparison_.compare(asked_, 3, 41);
  ASSERT_EQ(comparison_.covariance().size(), 19);
  EXPECT_LT((comparison_.covariance() - all.tail(19)).abs().maxCoeff(), 1e-14);
  EXPECT_TRUE((comparison_.smooth() == smooth.tail(19)).all());
}

TEST_F(Comparisons, KeepWhatHasTheSameLevel) {
  const Eigen::ArrayXd values = Eigen::ArrayXd::LinSpaced(20, 1, 20);
  Eigen::ArrayXd kept(20);
  keep_same(rows_, 1, 2, values, kept);
  for (Index i = 0; i < 20; ++i) EXPECT_EQ(kept[i], points_.levels(40 + i, 1) == 2 ? values[i] : 0) << i;
  keep_same(rows_, 1, rows_.levels(0, 1) = std::nan(""), values, kept);
  EXPECT_EQ(kept.abs().sum(), 0) << "a level that is not known is not even that of itself";
}

}  // namespace
}  // namespace neph::predict
