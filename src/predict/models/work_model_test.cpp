#include "predict/models/work_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXd;

MatrixXd random_terms(Random& random, Index rows, Index terms) {
  MatrixXd all(rows, terms);
  for (auto& value : all.reshaped()) value = std::exp(2 * random.normal());
  return all;
}

VectorXd times_of(const MatrixXd& terms, const VectorXd& coefficients) {
  return (terms * coefficients).array().log();
}

TEST(WorkModel, FindsTheRatesThatTimesWereMadeWith) {
  Random random(1);
  const auto terms = random_terms(random, 60, 4);
  const VectorXd rates{{3, 0, 0.5, 20}};
  const auto model = *fit_work(terms, MatrixXi(60, 0), times_of(terms, rates), {});
  for (Index k = 0; k < 4; ++k) EXPECT_NEAR(model.coefficients[k], rates[k], 1e-3 * (1 + rates[k]));
}

/// Three machines of one kind but for their speed, and one row of a fourth.
TEST(WorkModel, FindsTheFactorOfEachLevel) {
  Random random(2);
  const auto terms = random_terms(random, 90, 3);
  const VectorXd rates{{1, 2, 0.1}};
  MatrixXi levels(90, 1);
  auto target = times_of(terms, rates);
  for (Index i = 0; i < 90; ++i) {
    levels(i, 0) = i == 0 ? 3 : static_cast<int>(i % 3);
    target[i] += 0.7 * levels(i, 0);
  }
  const auto model = *fit_work(terms, levels, target, {.own_category = 0});
  EXPECT_LT((model.log_mean(terms, levels) - target).cwiseAbs().tail(89).maxCoeff(), 0.025)
      << "factors of 30 rows are drawn to 0 by half a row";
  EXPECT_NEAR(model.log_mean(terms, levels)[0], target[0], 0.1);
}

TEST(WorkModel, ALevelThatIsNotKnownHasWhatAllHaveInCommon) {
  Random random(3);
  const auto terms = random_terms(random, 40, 2);
  const auto target = times_of(terms, VectorXd{{1, 1}});
  const auto model = *fit_work(terms, MatrixXi::Zero(40, 1), target, {.own_category = 0});
  EXPECT_LT((model.log_mean(terms, MatrixXi::Constant(40, 1, -1)) - target).cwiseAbs().maxCoeff(), 1e-6);
}

/// Least squares of relative errors are drawn to small times by 1.5 of the noise's square. A category must
/// not draw them again in each round.
TEST(WorkModel, NoiseCountsOnceBesideACategory) {
  Random random(6);
  constexpr Index rows = 2000;
  constexpr double noise = 0.15;
  const auto terms = random_terms(random, rows, 2);
  const VectorXd truth = times_of(terms, VectorXd{{1, 1}});
  VectorXd target = truth;
  MatrixXi levels(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    target[i] += noise * random.normal();
    levels(i, 0) = static_cast<int>(i % 4);
  }
  for (const auto& category : {std::optional<Index>(), std::optional<Index>(0)}) {
    const auto model = *fit_work(terms, levels, target, {.own_category = category});
    const double bias = (model.log_mean(terms, levels) - truth).mean();
    EXPECT_NEAR(bias, -1.5 * noise * noise, 0.5 * noise * noise) << category.has_value();
  }
}

/// What data sheets say of the machines decides where one row of a new one cannot.
TEST(WorkModel, DataSheetsTellANewMachineApart) {
  Random random(4);
  const auto terms = random_terms(random, 101, 2);
  const VectorXd first{{1, 1}}, second{{2, 1}},
      third{{0.25, 1}};  // of the first term: 1, half, four times as fast
  VectorXd target(101);
  MatrixXi levels(101, 1);
  for (Index i = 0; i < 101; ++i) {
    levels(i, 0) = i == 100 ? 2 : static_cast<int>(i % 2);
    target[i] = times_of(terms.row(i), i == 100 ? third : i % 2 == 0 ? first : second)[0];
  }
  const auto at = random_terms(random, 50, 2);
  const auto error = [&](const MatrixXd& speeds, bool are_at_speed) {
    MatrixXd timed = terms, asked = at;
    for (Index i = 0; i < 101; ++i) timed.row(i).array() /= speeds.row(levels(i, 0)).array();
    asked.array().rowwise() /= speeds.row(2).array();
    const auto model = *fit_work(timed, levels, target, {.own_category = 0, .are_at_speed = are_at_speed});
    return (model.log_mean(asked, MatrixXi::Constant(50, 1, 2)) - times_of(at, third)).cwiseAbs().mean();
  };
  const MatrixXd known{{1, 1}, {0.5, 1}, {4, 1}};
  EXPECT_LT(error(known, true), 0.1);
  EXPECT_GT(error(MatrixXd::Ones(3, 2), false), 2 * error(known, true));
}

TEST(WorkModel, RefusesNumbersWhoseQuotientsAreNoNumbers) {
  const MatrixXd terms = MatrixXd::Constant(3, 1, 1e308);
  EXPECT_FALSE(fit_work(terms, MatrixXi(3, 0), VectorXd::Constant(3, -700), {}));
  EXPECT_FALSE(fit_work(MatrixXd(3, 0), MatrixXi(3, 0), VectorXd::Zero(3), {}));
}

}  // namespace
}  // namespace neph::predict
