#include "predict/kernel_sum.hpp"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Few different numbers and levels, so that points lie at the same places; some levels are not known.
Places places_on_a_grid(Index rows, Random& random) {
  Places places{MatrixXd(rows, 3), Eigen::MatrixXi(rows, 2)};
  for (auto& value : places.numbers.reshaped()) value = 0.7 * static_cast<double>(random.below(4)) - 1;
  for (auto& level : places.levels.reshaped()) level = static_cast<int>(random.below(4)) - 1;
  return places;
}

class KernelSums : public testing::Test {
 protected:
  Random random_{1};
  Places points_ = places_on_a_grid(150, random_), at_ = places_on_a_grid(101, random_);
  VectorXd weights_ = VectorXd::NullaryExpr(150, [this] { return random_.normal(); });
  Kernel kernel_{0.8, 0.3, 0.1, {0.5, 2, 30}, {{0.4, 0.6, 0.2}, {1.1, 0.1, 0.7}}};
  KernelSum sum_{points_, weights_, kernel_};
};

/// process.hpp's formula, one term after the other.
TEST_F(KernelSums, AreThoseOfTheFormula) {
  const VectorXd sums = sum_.at(at_);
  EXPECT_LE(sum_.places(), 64);
  for (Index row = 0; row < at_.numbers.rows(); ++row) {
    double expected = 0, size = 0;
    for (Index i = 0; i < points_.numbers.rows(); ++i) {
      double square = 0, product = 0;
      for (Index j = 0; j < 3; ++j) {
        const double here = at_.numbers(row, j), there = points_.numbers(i, j);
        square += std::pow((here - there) / kernel_.lengths[static_cast<std::size_t>(j)], 2);
        product += here * there;
      }
      const double s = std::sqrt(5 * square), matern = (1 + s + s * s / 3) * std::exp(-s);
      double covariance = std::pow(kernel_.amplitude, 2) * matern + std::pow(kernel_.slope, 2) * product;
      for (Index c = 0; c < 2; ++c) {
        const auto& own = kernel_.own[static_cast<std::size_t>(c)];
        if (at_.levels(row, c) >= 0 && at_.levels(row, c) == points_.levels(i, c))
          covariance += std::pow(own.offset, 2) + std::pow(own.amplitude, 2) * matern +
                        std::pow(own.slope, 2) * product;
      }
      expected += covariance * weights_[i];
      size += std::abs(covariance * weights_[i]);
    }
    EXPECT_NEAR(sums[row], expected, 1e-14 * size);
  }
}

TEST_F(KernelSums, HaveTheSameBitsHoweverManyAtOnce) {
  const VectorXd sums = sum_.at(at_);
  for (const int lanes : {1, 4}) EXPECT_EQ(sum_.at(at_, lanes), sums) << lanes << " lanes";
  for (Index row = 0; row < sums.size(); ++row) {
    const Places alone{at_.numbers.row(row), at_.levels.row(row)};
    EXPECT_EQ(std::bit_cast<std::uint64_t>(sum_.at(alone)[0]), std::bit_cast<std::uint64_t>(sums[row]));
  }
}

TEST_F(KernelSums, DoWithoutNumbersOrPoints) {
  const Places no_points{MatrixXd(0, 3), Eigen::MatrixXi(0, 2)};
  EXPECT_EQ(KernelSum(no_points, VectorXd(0), kernel_).at(at_).norm(), 0);
  const Places levels_alone{MatrixXd(150, 0), points_.levels}, asked{MatrixXd(101, 0), at_.levels};
  const Kernel kernel{0.8, 0.3, 0.1, {}, kernel_.own};
  const KernelSum sum(levels_alone, weights_, kernel);
  EXPECT_EQ(sum.places(), 1);
  EXPECT_TRUE(sum.at(asked).allFinite());
}

}  // namespace
}  // namespace neph::predict
