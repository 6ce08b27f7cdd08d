#include "predict/models/wide_loops.hpp"

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "predict/models/any_matrix_test.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(WideLoops, AreTheSameOnAnyProcessor) {
  const auto& fastest = fastest_loops();
  for (const Index size : {1, 7, 49, 301}) {
    MatrixXd factor = any_positive_definite(size, 3), usual = factor;
    VectorXd x = VectorXd::LinSpaced(size, -1, 1), usual_x = x;
    ASSERT_TRUE(fastest.factorise(factor.data(), size));
    ASSERT_TRUE(usual_loops.factorise(usual.data(), size));
    fastest.solve(factor.data(), size, x.data());
    usual_loops.solve(usual.data(), size, usual_x.data());
    EXPECT_NEAR((x - usual_x).norm(), 0, 1e-10) << size;
    fastest.invert(factor.data(), size);
    usual_loops.invert(usual.data(), size);
    const MatrixXd difference = (factor - usual).triangularView<Eigen::Lower>();
    EXPECT_NEAR(difference.norm(), 0, 1e-9) << size;
  }
}

TEST(WideLoops, CompareAsTheFormulaSays) {
  Random random(1);
  for (const Index count : {1, 15, 16, 17, 31, 50}) {
    const MatrixXd others = MatrixXd::NullaryExpr(60, 3, [&] { return 2 * random.normal(); });
    const VectorXd here = VectorXd::NullaryExpr(3, [&] { return random.normal(); });
    for (const auto* loops : {&usual_loops, &fastest_loops()}) {
      VectorXd matern = VectorXd::Constant(count + 1, 7), slope = matern;
      loops->compare(here.data(), others.data() + 5, 60, count, 3, matern.data(), slope.data());
      for (Index i = 0; i < count; ++i) {
        const double s = (others.row(5 + i).transpose() - here).norm();
        EXPECT_NEAR(matern[i], (1 + s + s * s / 3) * std::exp(-s), 1e-15) << count;
        EXPECT_NEAR(slope[i], -(1 + s) / 6 * std::exp(-s), 1e-15) << count;
      }
      EXPECT_EQ(matern[count], 7) << "behind the last";
      EXPECT_EQ(slope[count], 7);
    }
  }
}

/// A short length makes most places far. A processor takes fifty times as long for a denormal number.
TEST(WideLoops, MakeNoDenormalNumbersFarAway) {
  std::vector<double> others, matern(400), slope(400);
  for (int i = 0; i < 400; ++i) others.push_back(std::exp(0.1 * i * i / 20));
  for (const auto* loops : {&usual_loops, &fastest_loops()}) {
    const double here = 0;
    loops->compare(&here, others.data(), 400, 400, 1, matern.data(), slope.data());
    for (const auto* values : {&matern, &slope})
      for (const double value : *values) EXPECT_TRUE(std::isnormal(value)) << value;
    EXPECT_LT(matern.back(), 1e-290);
  }
}

}  // namespace
}  // namespace neph::predict
