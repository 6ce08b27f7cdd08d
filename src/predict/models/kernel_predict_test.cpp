#include "predict/models/kernel_predict.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "predict/models/kernel_formula_test.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class KernelSums : public testing::Test {
 protected:
  Random random_{1};
  FeatureMatrix points_ = places_on_a_grid(150, random_), at_ = places_on_a_grid(101, random_);
  VectorXd weights_ = VectorXd::NullaryExpr(150, [this] { return 2 * random_.uniform() - 1; });
  Kernel kernel_ = kernel_of_a_grid();
  VectorXd sums_at(const FeatureMatrix& at) const { return kernel_sums(points_, weights_, kernel_, at); }
};

TEST_F(KernelSums, AreThoseOfTheFormula) {
  const VectorXd sums = sums_at(at_);
  for (Index row = 0; row < at_.numbers.rows(); ++row) {
    double expected = 0, size = 0;
    for (Index i = 0; i < points_.numbers.rows(); ++i) {
      const double part = covariance_by_formula(kernel_, at_, row, points_, i) * weights_[i];
      expected += part;
      size += std::abs(part);
    }
    EXPECT_NEAR(sums[row], expected, 1e-13 * size);
  }
}

TEST_F(KernelSums, AreTheSameHoweverManyAtOnce) {
  const VectorXd sums = sums_at(at_);
  for (Index row = 0; row < sums.size(); ++row) {
    const FeatureMatrix alone{at_.numbers.row(row), at_.levels.row(row)};
    EXPECT_NEAR(sums_at(alone)[0], sums[row], 1e-12);
  }
}

TEST_F(KernelSums, AreTheSameWhicheverRowsStandTogether) {
  const auto many = places_on_a_grid(1000, random_);  // 64 different numbers, 16 combinations of levels
  std::vector<std::size_t> order(1000);
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_by_features(order, many);
  const auto sorted = rows_of(many, order);
  const VectorXd sums = rows_of(sums_at(many), order), together = sums_at(sorted);
  Index changes = 0;
  for (Index row = 0; row < 1000; ++row) {
    EXPECT_NEAR(together[row], sums[row], 1e-12);
    changes += row > 0 && sorted.numbers.row(row) != sorted.numbers.row(row - 1);
  }
  EXPECT_EQ(changes, 63);
  std::ranges::sort(order);
  EXPECT_TRUE(std::ranges::adjacent_find(order) == order.end()) << "each row once";
}

TEST_F(KernelSums, DoWithoutNumbersOrPoints) {
  const FeatureMatrix no_points{MatrixXd(0, 3), Eigen::MatrixXi(0, 2)};
  EXPECT_EQ(kernel_sums(no_points, VectorXd(0), kernel_, at_).norm(), 0);
  const FeatureMatrix levels_alone{MatrixXd(150, 0), points_.levels}, asked{MatrixXd(101, 0), at_.levels};
  const Kernel kernel{0.8, 0.3, 0.1, {}, kernel_.own};
  EXPECT_TRUE(kernel_sums(levels_alone, weights_, kernel, asked).allFinite());
}

}  // namespace
}  // namespace neph::predict
