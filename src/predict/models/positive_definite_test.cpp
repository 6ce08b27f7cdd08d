#include "predict/models/positive_definite.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "predict/models/any_matrix_test.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(PositiveDefinite, IsFactorisedSolvedAndInverted) {
  for (const Index size : {1, 2, 7, 48, 49, 97, 301}) {  // in one piece, and in several
    const MatrixXd matrix = any_positive_definite(size, 1);
    const VectorXd truth = VectorXd::LinSpaced(size, -1, 1);
    MatrixXd factor = matrix;
    ASSERT_TRUE(factorise(factor));
    EXPECT_NEAR((solve(factor, matrix * truth) - truth).norm(), 0, 1e-9) << size;
    const MatrixXd lower = factor.triangularView<Eigen::Lower>();
    EXPECT_NEAR((lower * lower.transpose() - matrix).norm(), 0, 1e-9) << size;
    invert(factor);
    const MatrixXd inverse = factor.selfadjointView<Eigen::Lower>();
    EXPECT_NEAR((inverse * matrix - MatrixXd::Identity(size, size)).norm(), 0, 1e-8) << size;
  }
}

TEST(PositiveDefinite, SaysWhatIsNot) {
  MatrixXd matrix = any_positive_definite(5, 1);
  matrix(3, 3) = -1;
  EXPECT_FALSE(factorise(matrix));
}

TEST(PositiveDefinite, ManyThreadsMayCall) {
  const MatrixXd matrix = any_positive_definite(200, 2);
  MatrixXd expected = matrix;
  ASSERT_TRUE(factorise(expected));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int again = 0; again < 50; ++again) {
        MatrixXd factor = matrix;
        EXPECT_TRUE(factorise(factor));
        EXPECT_EQ(factor, expected);
      }
    });
}

}  // namespace
}  // namespace neph::predict
