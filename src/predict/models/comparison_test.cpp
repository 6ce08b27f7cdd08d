#include "predict/models/comparison.hpp"

#include <set>

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
  Comparison rows_{points_, kernel_}, asked_{at_, kernel_};

  double square(Index row, Index point) const {
    double r2 = 0;
    for (Index j = 0; j < 3; ++j)
      r2 += std::pow((at_.numbers(row, j) - points_.numbers(point, j)) / kernel_.lengths[std::size_t(j)], 2);
    return r2;
  }
};

TEST_F(Comparisons, AreThoseOfTheFormula) {
  for (Index row = 0; row < 30; ++row) {
    const auto compared = rows_.compare(asked_, row);
    ASSERT_EQ(compared.covariance.size(), 60);
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(compared.covariance[i], covariance_by_formula(kernel_, at_, row, points_, i), 1e-14);
      EXPECT_NEAR(compared.matern[i], matern_by_formula(square(row, i)), 1e-14);
    }
  }
}

TEST_F(Comparisons, FallWithTheDistanceAsDifferencesShow) {
  const auto compared = rows_.compare(asked_, 0);
  constexpr double step = 1e-6;
  for (Index i = 0; i < 60; ++i) {
    const double r2 = square(0, i);
    if (r2 < 2 * step) continue;
    const double difference = (matern_by_formula(r2 + step) - matern_by_formula(r2 - step)) / (2 * step);
    EXPECT_NEAR(5 * compared.slope[i], difference, 1e-7);
  }
}

TEST_F(Comparisons, OfTheLastRowsAreTheLastOfAll) {
  const auto all = rows_.compare(asked_, 3);
  for (const Index first : {41, 50}) {
    const auto last = rows_.compare(asked_, 3, first);
    ASSERT_EQ(last.covariance.size(), 60 - first);
    EXPECT_LT((last.covariance - all.covariance.tail(60 - first)).abs().maxCoeff(), 1e-14);
    EXPECT_TRUE((last.smooth == all.smooth.tail(60 - first)).all());
  }
}

TEST_F(Comparisons, KnowWhoHasTheSameLevel) {
  std::set<int> levels;
  for (Index row = 0; row < 30; ++row) {
    levels.insert(at_.levels(row, 1));
    const auto same = rows_.have_level(asked_, 1, row, 40);
    for (Index i = 0; i < 20; ++i)
      EXPECT_EQ(same[i], at_.levels(row, 1) >= 0 && points_.levels(40 + i, 1) == at_.levels(row, 1)) << i;
  }
  EXPECT_EQ(*levels.begin(), -1) << "a level that is not known is not even that of itself";
}

}  // namespace
}  // namespace neph::predict
