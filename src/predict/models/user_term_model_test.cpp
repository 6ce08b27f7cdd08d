#include "predict/models/user_term_model.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::MatrixXi;
using Eigen::VectorXd;
using testing::HasSubstr;

/// Rows of two kinds of work and one of waiting, over many orders of magnitude.
UserTermValues some_values(Eigen::Index rows) {
  Random random(1);
  UserTermValues values{Eigen::MatrixXd(rows, 2), Eigen::MatrixXd(rows, 1)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    values.work(i, 0) = std::exp(20 + 2 * random.normal());
    values.work(i, 1) = std::exp(2 + 2 * random.normal());
    values.latency(i, 0) = static_cast<double>(1 + random.below(9));
  }
  return values;
}

VectorXd times_of(const UserTermValues& values, double power) {
  return ((2e-9 * values.work.col(0).array()).pow(power) + (0.05 * values.work.col(1).array()).pow(power))
             .pow(1 / power) +
         0.01 * values.latency.col(0).array();
}

class GivenPower : public testing::TestWithParam<double> {};

TEST_P(GivenPower, FindsTheCoefficientsOfTimesWithoutNoise) {
  const auto values = some_values(60);
  const VectorXd log_time = times_of(values, GetParam()).array().log();
  const auto model = fit_user_terms(values, MatrixXi(60, 0), log_time, GetParam());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_NEAR(model->work[0], 2e-9, 1e-5 * 2e-9);
  EXPECT_NEAR(model->work[1], 0.05, 1e-5 * 0.05);
  EXPECT_NEAR(model->latency[0], 0.01, 1e-5 * 0.01);
  EXPECT_LT((model->log_mean(values, MatrixXi(60, 0)) - log_time).cwiseAbs().maxCoeff(), 1e-5);
}

TEST_P(GivenPower, IsNearestAmongItsNeighbours) {
  const auto values = some_values(80);
  Random random(2);
  VectorXd log_time = times_of(values, GetParam()).array().log();
  for (auto& value : log_time) value += 0.1 * random.normal();
  const MatrixXi none(80, 0);
  const auto squares = [&](const UserTermModel& model) {
    return ((model.log_mean(values, none) - log_time).array().exp() - 1).square().sum();
  };
  const auto best = *fit_user_terms(values, none, log_time, GetParam());
  for (const double factor : {0.99, 1.01}) {
    for (const auto coefficient : {&UserTermModel::work, &UserTermModel::latency}) {
      for (Eigen::Index k = 0; k < (best.*coefficient).size(); ++k) {
        auto other = best;
        (other.*coefficient)[k] *= factor;
        EXPECT_GE(squares(other), squares(best) * (1 - 1e-9)) << k << " x " << factor;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Powers, GivenPower, testing::Values(1.0, 2.0, 3.0, 4.0));

TEST(UserTermModel, KnowsFactorsOfCategories) {
  const auto values = some_values(60);
  MatrixXi levels(60, 1);
  VectorXd log_time = times_of(values, 2).array().log();
  for (Eigen::Index i = 0; i < 60; ++i) {
    levels(i, 0) = static_cast<int>(i % 3);
    log_time[i] += 0.5 * levels(i, 0);
  }
  const auto model = *fit_user_terms(values, levels, log_time, 2);
  EXPECT_NEAR(model.factors[0][2] - model.factors[0][0], 1, 0.05);
  EXPECT_LT((model.log_mean(values, levels) - log_time).cwiseAbs().mean(), 0.02);
}

/// What noise takes from the coefficients it takes once, and not in every round of factors.
TEST(UserTermModel, NoiseCountsOnceBesideACategory) {
  constexpr Eigen::Index rows = 30'000;
  constexpr double noise = 0.1;
  const auto values = some_values(rows);
  const MatrixXi levels =
      Eigen::VectorXi::LinSpaced(rows, 0, rows - 1).unaryExpr([](int i) { return i % 3; });
  Random random(3);
  VectorXd log_time = times_of(values, 1).array().log();
  for (auto& value : log_time) value += noise * random.normal();
  const auto model = *fit_user_terms(values, levels, log_time, 1);
  const double expected = std::exp(-1.5 * noise * noise);
  for (int level = 0; level < 3; ++level) {
    const double factor = std::exp(model.factors[0][level]);
    EXPECT_NEAR(model.work[0] * factor / 2e-9, expected, 0.01);
    EXPECT_NEAR(model.work[1] * factor / 0.05, expected, 0.01);
    EXPECT_NEAR(model.latency[0] * factor / 0.01, expected, 0.01);
  }
}

TEST(UserTermModel, TermsThatAreZeroOrUselessGetZero) {
  auto values = some_values(60);
  const VectorXd log_time = (0.01 * values.latency.col(0).array()).log();
  values.work.col(0).setZero();
  const auto model = *fit_user_terms(values, MatrixXi(60, 0), log_time, 4);
  EXPECT_EQ(model.work[0], 0);
  EXPECT_LT((model.log_mean(values, MatrixXi(60, 0)) - log_time).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(UserTermModel, RefusesWhatCannotBeCompared) {
  EXPECT_THAT(
      fit_user_terms({Eigen::MatrixXd(3, 0), Eigen::MatrixXd(3, 0)}, MatrixXi(3, 0), VectorXd::Zero(3), 1)
          .error()
          .message,
      HasSubstr("no given terms"));
  UserTermValues values{Eigen::MatrixXd::Constant(3, 1, 1e308), Eigen::MatrixXd(3, 0)};
  EXPECT_THAT(fit_user_terms(values, MatrixXi(3, 0), VectorXd::Constant(3, -600), 1).error().message,
              HasSubstr("cannot be compared"));
}

}  // namespace
}  // namespace neph::predict
