// The literature's methods on tables whose truth is known.
#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "predict/candidate.hpp"
#include "predict/ernest.hpp"
#include "predict/forward_selection.hpp"
#include "predict/lattuada.hpp"
#include "predict/linear.hpp"
#include "predict/non_negative_sum.hpp"
#include "predict/stepwise.hpp"
#include "predict/trial.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Contains;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// Quantities drawn from powers of 2; categories of `levels` levels each.
Inputs drawn_inputs(Index rows, Index quantities, const std::vector<int>& levels, std::uint64_t seed) {
  Random random(seed);
  Inputs inputs;
  inputs.log_quantities.resize(rows, quantities);
  for (auto& value : inputs.log_quantities.reshaped())
    value = std::log(2.0) * static_cast<double>(random.below(7));
  inputs.places.levels.resize(rows, std::ssize(levels));
  for (Index c = 0; c < inputs.places.levels.cols(); ++c)
    for (auto& level : inputs.places.levels.col(c))
      level = static_cast<int>(random.below(static_cast<std::uint64_t>(levels[static_cast<std::size_t>(c)])));
  inputs.places.numbers = inputs.log_quantities;
  inputs.ranged = inputs.log_quantities;
  inputs.plain.resize(rows, 0);
  inputs.work.resize(rows, 0);
  return inputs;
}

MatrixXd quantities_of(const Inputs& inputs) { return inputs.log_quantities.array().exp(); }

VectorXd with_noise(VectorXd values, double deviation, std::uint64_t seed) {
  Random random(seed);
  for (auto& value : values) value *= 1 + deviation * random.normal();
  return values;
}

MatrixXd normal_columns(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  MatrixXd all(rows, columns);
  for (auto& value : all.reshaped()) value = random.normal();
  return all;
}

VectorXd logs(const VectorXd& values) { return values.array().log(); }

double largest_error(const FeatureSum& model, const Inputs& at, const VectorXd& truth) {
  return (model.log_mean(at).array().exp() / truth.array() - 1).abs().maxCoeff();
}

Feature feature(std::vector<int> powers, std::vector<int> levels = {}) {
  return {.powers = std::move(powers), .levels = std::move(levels)};
}

TEST(Feature, ProductsAreMadeOnceAndNoneIsConstant) {
  const auto inputs = drawn_inputs(20, 1, {2}, 1);
  EXPECT_THAT(products_up_to(2, inputs),
              ElementsAre(feature({1}, {-1}), feature({-1}, {-1}), feature({0}, {0}), feature({0}, {1}),
                          feature({2}, {-1}), feature({1}, {0}), feature({1}, {1}), feature({-2}, {-1}),
                          feature({-1}, {0}), feature({-1}, {1})));
}

TEST(Feature, OfTwoThatSayTheSameTheFirstStays) {
  auto inputs = drawn_inputs(20, 1, {2}, 1);
  const auto all = standardised({feature({1}, {-1}), feature({0}, {0}), feature({0}, {1})}, inputs);
  EXPECT_THAT(all.features, ElementsAre(feature({1}, {-1}), feature({0}, {0})));
  EXPECT_NEAR(all.columns.col(0).mean(), 0, 1e-12);
  EXPECT_NEAR(all.columns.col(0).squaredNorm(), 20, 1e-9);
}

TEST(Feature, NumbersOfAnySizeGiveFiniteTimes) {
  auto inputs = drawn_inputs(30, 2, {}, 1);
  inputs.log_quantities(3, 0) = std::log(1e308);
  inputs.log_quantities(4, 1) = std::log(1e-308);
  inputs.plain = MatrixXd::Random(30, 1) * 1e300;
  VectorXd log_target = VectorXd::Zero(30);
  log_target[0] = std::log(1e308);
  log_target[1] = std::log(1e-300);
  for (const auto& model : {fit_lattuada(inputs, log_target), fit_nnls(inputs, log_target),
                            fit_stepwise(inputs, log_target), fit_ernest(inputs, log_target)})
    EXPECT_TRUE(model.log_mean(inputs).allFinite());
}

/// What the fast way computes, fitted anew for each fold.
double error_fitted_anew(const MatrixXd& columns, const VectorXd& target, const std::vector<int>& folds,
                         double penalty) {
  const int count = *std::max_element(folds.begin(), folds.end()) + 1;
  const Places all{columns, Eigen::MatrixXi(columns.rows(), 0)};
  double sum = 0;
  for (int fold = 0; fold < count; ++fold) {
    std::vector<std::size_t> kept, held;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] == fold)
        held.push_back(i);
      else
        kept.push_back(i);
    }
    const auto known = rows_of(all, kept);
    const auto times = rows_of(target, kept);
    const auto scaling = Scaling::of(known.numbers);
    const VectorXd slopes = ridge(scaling.apply(known).numbers, times.array() - times.mean(),
                                  VectorXd::Constant(columns.cols(), penalty));
    const VectorXd wrong = scaling.apply(rows_of(all, held)).numbers * slopes - rows_of(target, held);
    sum += (wrong.array() + times.mean()).square().mean();
  }
  return sum / count;
}

TEST(ForwardSelection, ErrorsAreThoseOfRegressionsFittedWithoutTheHeldOutRows) {
  const auto columns = normal_columns(47, 12, 3);
  const VectorXd target = columns.col(2) - 2 * columns.col(7) + 0.5 * normal_columns(47, 1, 4).col(0);
  const auto folds = drawn_folds(47, 5);
  const auto found = select_forward(columns, target, folds, 0.7, 12);
  ASSERT_EQ(found.order.size(), 12);
  EXPECT_THAT(std::vector(found.order.begin(), found.order.begin() + 2), ElementsAre(7, 2));
  for (std::size_t k = 1; k <= found.order.size(); ++k) {
    const std::vector<Index> chosen(found.order.begin(),
                                    found.order.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_NEAR(found.errors[k - 1], error_fitted_anew(columns(Eigen::all, chosen), target, folds, 0.7),
                1e-9);
  }
}

TEST(ForwardSelection, EachStepTakesTheBestColumn) {
  const auto columns = normal_columns(40, 9, 5);
  const VectorXd target = columns * VectorXd::LinSpaced(9, -1, 1) + normal_columns(40, 1, 6).col(0);
  const auto folds = drawn_folds(40, 4);
  const auto found = select_forward(columns, target, folds, 2, 5);
  std::vector<Index> chosen;
  for (std::size_t k = 0; k < 5; ++k) {
    chosen.push_back(0);
    std::vector<double> errors;
    for (Index j = 0; j < 9; ++j) {
      chosen.back() = j;
      const bool is_new = std::find(chosen.begin(), chosen.end() - 1, j) == chosen.end() - 1;
      errors.push_back(is_new ? error_fitted_anew(columns(Eigen::all, chosen), target, folds, 2) : 1e9);
    }
    chosen.back() = std::min_element(errors.begin(), errors.end()) - errors.begin();
  }
  EXPECT_EQ(found.order, chosen);
}

TEST(ForwardSelection, OfEqualColumnsTheFirstIsChosen) {
  auto columns = normal_columns(30, 6, 7);
  columns.col(4) = -3 * columns.col(1);
  columns.col(5) = columns.col(1);
  const auto found = select_forward(columns, columns.col(4), drawn_folds(30, 5), 0.1, 1);
  EXPECT_THAT(found.order, ElementsAre(1));
}

TEST(ForwardSelection, AColumnThatAFoldDoesNotKnowIsNoTrouble) {
  auto columns = normal_columns(30, 3, 8);
  const auto folds = drawn_folds(30, 5);
  for (Index i = 0; i < 30; ++i)
    columns(i, 1) = folds[static_cast<std::size_t>(i)] == 2 ? 1.0 + static_cast<double>(i) : 0.0;
  const auto found = select_forward(columns, columns.col(0) + columns.col(1), folds, 0.1, 3);
  for (std::size_t k = 1; k <= 3; ++k) {
    const std::vector<Index> chosen(found.order.begin(),
                                    found.order.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_NEAR(found.errors[k - 1] / error_fitted_anew(columns(Eigen::all, chosen),
                                                        columns.col(0) + columns.col(1), folds, 0.1),
                1, 1e-8);
  }
}

TEST(Lattuada, FindsAnInverseAndAProduct) {
  const auto inputs = drawn_inputs(200, 3, {}, 9);
  const auto q = quantities_of(inputs);
  const VectorXd truth = 5 + 80 * q.col(2).array().inverse() + 0.02 * q.col(0).array() * q.col(1).array();
  const auto model = fit_lattuada(inputs, logs(with_noise(truth, 0.001, 10)));
  EXPECT_THAT(model.features, Contains(feature({0, 0, -1})));
  EXPECT_THAT(model.features, Contains(feature({1, 1, 0})));
  const auto others = drawn_inputs(50, 3, {}, 11);
  const auto o = quantities_of(others);
  EXPECT_LT(largest_error(model, others,
                          5 + 80 * o.col(2).array().inverse() + 0.02 * o.col(0).array() * o.col(1).array()),
            0.02);
}

TEST(Lattuada, FindsARateOfEachLevel) {
  const auto inputs = drawn_inputs(200, 1, {3}, 12);
  VectorXd truth = quantities_of(inputs).col(0);
  for (Index i = 0; i < truth.size(); ++i) truth[i] = 10 + truth[i] * (1 + 4 * inputs.places.levels(i, 0));
  EXPECT_LT(largest_error(fit_lattuada(inputs, logs(truth)), inputs, truth), 1e-3);
}

/// Chance takes a column in now and then, as it may; a selection that had seen the held-out rows would
/// always.
TEST(Lattuada, AColumnOfNoiseIsSeldomSelected) {
  int selected = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto inputs = drawn_inputs(120, 2, {}, 100 + seed);
    const VectorXd truth = 3 + quantities_of(inputs).col(0).array();
    const auto model = fit_lattuada(inputs, logs(with_noise(truth, 0.1, 200 + seed)), {.degree = 1});
    bool has_noise = false;
    for (const auto& each : model.features) has_noise |= each.powers[1] != 0;
    selected += has_noise;
  }
  EXPECT_LE(selected, 16);
}

/// A hundred products say nothing of a target that is noise, and rows that were left out beforehand show it.
TEST(Lattuada, WhatIsLeftOutHasNoPartInTheSelection) {
  const auto inputs = drawn_inputs(60, 8, {}, 13);
  const VectorXd log_target = logs(with_noise(VectorXd::Constant(60, 100), 0.2, 14));
  const auto trials =
      run_trials({{.backbone = Backbone::lattuada, .has_process = false}}, {}, inputs, log_target, {});
  double squares = 0, count = 0;
  for (const auto& trial : trials) {
    if (trial.conditions.front().situation != Situation::inside) continue;
    squares += trial.errors.col(0).squaredNorm();
    count += static_cast<double>(trial.errors.rows());
  }
  EXPECT_GT(std::sqrt(squares / count), 0.19);
}

TEST(Lattuada, TheSameWhateverTheNumberOfThreads) {
  const auto inputs = drawn_inputs(80, 3, {3}, 15);
  const VectorXd log_target = logs(with_noise(quantities_of(inputs).rowwise().sum(), 0.1, 16));
  const std::vector<CandidateSpec> specs{{.backbone = Backbone::lattuada, .has_process = false}};
  const auto one = run_trials(specs, {}, inputs, log_target, {.threads = 1});
  const auto four = run_trials(specs, {}, inputs, log_target, {.threads = 4});
  ASSERT_EQ(one.size(), four.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].errors, four[i].errors);
}

TEST(FeatureSum, ATimeThatIsNotPositiveIsTheLeastMeasured) {
  auto inputs = drawn_inputs(40, 1, {}, 17);
  const VectorXd truth = 100 - quantities_of(inputs).col(0).array();
  const auto model = fit_lattuada(inputs, logs(truth), {.degree = 1});
  inputs.log_quantities(0, 0) = std::log(1e6);
  EXPECT_DOUBLE_EQ(model.log_mean(inputs)[0], std::log(truth.minCoeff()));
}

TEST(Nnls, RecoversRatesThatAreNotNegative) {
  const auto inputs = drawn_inputs(100, 2, {2}, 18);
  const auto q = quantities_of(inputs);
  const VectorXd truth = 2 + 0.5 * q.col(0).array() * q.col(1).array() + 30 * q.col(1).array().inverse();
  const auto model = fit_nnls(inputs, logs(truth));
  EXPECT_THAT(model.features, UnorderedElementsAre(feature({1, 1}, {-1}), feature({0, -1}, {-1})));
  EXPECT_LT(largest_error(model, inputs, truth), 1e-6);
}

TEST(Ernest, RecoversItsOwnLaw) {
  const auto inputs = drawn_inputs(100, 2, {}, 19);  // data and machines
  const auto law = [](const Inputs& at) {
    const auto q = quantities_of(at);
    return VectorXd(7 + 40 * q.col(0).array() / q.col(1).array() + 3 * at.log_quantities.col(1).array() +
                    0.2 * q.col(1).array());
  };
  auto beyond = drawn_inputs(20, 2, {}, 20);
  beyond.log_quantities.col(1).array() += std::log(4.0);
  EXPECT_LT(largest_error(fit_ernest(inputs, logs(law(inputs))), beyond, law(beyond)), 1e-6);
}

TEST(Ernest, EachLevelHasALawOfItsOwn) {
  const auto inputs = drawn_inputs(200, 2, {3}, 21);
  const auto q = quantities_of(inputs);
  VectorXd truth = 4 * q.col(0).array() / q.col(1).array() + 1;
  for (Index i = 0; i < truth.size(); ++i) truth[i] *= 1 + inputs.places.levels(i, 0);
  EXPECT_LT(largest_error(fit_ernest(inputs, logs(truth)), inputs, truth), 1e-6);
}

TEST(Stepwise, EntersWhatCountsAndLeavesTheRest) {
  const auto columns = normal_columns(200, 10, 22);
  const VectorXd target =
      3 * columns.col(4) - columns.col(1) + 0.5 * columns.col(8) + normal_columns(200, 1, 23).col(0);
  EXPECT_THAT(stepwise_columns(columns, target, {.entry = 0.001, .removal = 0.002}), ElementsAre(4, 1, 8));
}

/// A sum is entered first, and removed when its parts are there.
TEST(Stepwise, RemovesWhatOthersSayBetter) {
  auto columns = normal_columns(100, 3, 24);
  columns.col(2) = columns.col(0) + columns.col(1) + 0.3 * columns.col(2);
  const VectorXd target = columns.col(0) + columns.col(1) + 0.01 * normal_columns(100, 1, 25).col(0);
  EXPECT_THAT(stepwise_columns(columns, target), UnorderedElementsAre(0, 1));
}

TEST(Stepwise, WhatDependsOnOthersIsNotEntered) {
  auto columns = normal_columns(50, 3, 26);
  columns.col(2) = columns.col(0) - columns.col(1);
  const VectorXd target = columns.col(0) + 2 * columns.col(1) + 0.1 * normal_columns(50, 1, 27).col(0);
  EXPECT_EQ(stepwise_columns(columns, target).size(), 2);
}

}  // namespace
}  // namespace neph::predict
