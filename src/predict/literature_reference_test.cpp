// The literature's methods against scikit-learn, mlxtend and SciPy: random tables from
// literature_reference.py.
#include <memory>
#include <set>

#include <gmock/gmock.h>

#include "core/python_cases_test.hpp"
#include "predict/forward_selection.hpp"
#include "predict/lattuada.hpp"
#include "predict/non_negative_sum.hpp"
#include "predict/stepwise.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class LiteratureReference : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cases_ = std::make_unique<ReferenceCases>("src/predict/literature_reference.py");
  }
  static void TearDownTestSuite() { cases_.reset(); }
  static std::vector<Json> cases(const std::string& kind, std::size_t expected) {
    return cases_->of(kind, expected);
  }

  static std::unique_ptr<ReferenceCases> cases_;
};
std::unique_ptr<ReferenceCases> LiteratureReference::cases_;

MatrixXd matrix_of(const Json& json) {
  MatrixXd matrix(std::ssize(json), std::ssize(json[0]));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = json[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return matrix;
}

struct Problem {
  Inputs inputs;
  VectorXd log_target;
};

/// All rows of a case, or its first `rows`.
Problem problem_of(const Json& in, std::size_t rows) {
  std::vector<std::size_t> first(rows);
  std::iota(first.begin(), first.end(), std::size_t{0});
  const MatrixXd quantities = matrix_of(in["quantities"]);
  Inputs all;
  all.log_quantities = quantities.array().log();
  all.plain = matrix_of(in["plain"]);
  all.places.levels = matrix_of(in["levels"]).cast<int>();
  all.places.numbers.resize(quantities.rows(), 0);
  all.work.resize(quantities.rows(), 0);
  all.ranged.resize(quantities.rows(), 0);
  VectorXd log_target(quantities.rows());
  for (Index i = 0; i < log_target.size(); ++i)
    log_target[i] = std::log(in["target"][static_cast<std::size_t>(i)].get<double>());
  return {rows_of(all, first), rows_of(log_target, first)};
}

/// As literature_reference.py writes features.
Json json_of(const std::vector<Feature>& features) {
  Json all = Json::array();
  for (const auto& each : features) all.push_back({each.powers, each.plain_powers, each.levels});
  return all;
}

TEST_F(LiteratureReference, FeaturesOfATable) {
  for (const auto& in : cases("lattuada", 6)) {
    const auto problem = problem_of(in, in["rows"]);
    const auto all = standardised(products_up_to(2, problem.inputs), problem.inputs);
    EXPECT_EQ(json_of(all.features), in["distinct"]) << in;
  }
}

TEST_F(LiteratureReference, SequentialForwardSelection) {
  for (const auto& in : cases("lattuada", 6)) {
    const auto problem = problem_of(in, in["rows"]);
    const auto columns = standardised(products_up_to(2, problem.inputs), problem.inputs).columns;
    const VectorXd times = problem.log_target.array().exp();
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> errors;
    for (const double penalty : in["penalties"]) {
      const auto found = select_forward(columns, times, in["folds"], penalty, in["most"]);
      if (found.least_error() < least) errors = found.errors;
      least = std::min(least, found.least_error());
    }
    const auto expected = in["scores"].get<std::vector<double>>();
    ASSERT_EQ(errors.size(), expected.size()) << in;
    for (std::size_t k = 0; k < errors.size(); ++k) EXPECT_NEAR(errors[k] / expected[k], 1, 1e-7) << in;
  }
}

TEST_F(LiteratureReference, SelectedFeaturesAndPredictions) {
  for (const auto& in : cases("lattuada", 6)) {
    const std::size_t rows = in["rows"];
    const auto problem = problem_of(in, rows);
    const auto model =
        fit_lattuada(problem.inputs, problem.log_target, in["folds"],
                     {.most_chosen = in["most"], .penalties = in["penalties"].get<std::vector<double>>()});
    const auto chosen = json_of(model.features);
    EXPECT_EQ(std::set<Json>(chosen.begin(), chosen.end()),
              std::set<Json>(in["chosen"].begin(), in["chosen"].end()))
        << in;
    const auto all = problem_of(in, in["quantities"].size());
    const VectorXd predicted = model.log_mean(all.inputs).array().exp();
    const double fastest = std::exp(problem.log_target.minCoeff());
    for (Index i = 0; i < predicted.size(); ++i) {
      const double expected = in["predicted"][static_cast<std::size_t>(i)];
      EXPECT_NEAR(predicted[i] / std::max(expected, fastest), 1, 1e-7) << in;
    }
  }
}

TEST_F(LiteratureReference, StepwiseRegression) {
  for (const auto& in : cases("stepwise", 20)) {
    const auto problem = problem_of(in, in["rows"]);
    const auto all = standardised(products_up_to(2, problem.inputs), problem.inputs);
    std::vector<Feature> entered;
    for (const auto j : stepwise_columns(all.columns, problem.log_target.array().exp()))
      entered.push_back(all.features[static_cast<std::size_t>(j)]);
    EXPECT_EQ(json_of(entered), in["chosen"]) << in;
  }
}

TEST_F(LiteratureReference, NonNegativeSumOfFeatures) {
  for (const auto& in : cases("sum", 60)) {
    const auto problem = problem_of(in, in["rows"]);
    const auto model = fit_nnls(problem.inputs, problem.log_target);
    EXPECT_GE(model.level, 0) << in;
    VectorXd sum = VectorXd::Constant(problem.log_target.size(), model.level);
    for (std::size_t j = 0; j < model.features.size(); ++j) {
      EXPECT_GT(model.slopes[static_cast<Index>(j)], 0) << in;
      sum += model.slopes[static_cast<Index>(j)] * feature_values(model.features[j], problem.inputs);
    }
    const VectorXd times = problem.log_target.array().exp();
    const double residual = (std::exp(model.log_unit) * sum - times).norm(), expected = in["residual"];
    EXPECT_NEAR(residual, expected, 1e-7 * times.norm()) << in;
  }
}

}  // namespace
}  // namespace neph::predict
