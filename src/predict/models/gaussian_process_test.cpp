#include "predict/models/gaussian_process.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "predict/models/kernel_fit.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXd;

FeatureMatrix random_places(Random& random, Index rows, Index columns, Index categories) {
  FeatureMatrix places{MatrixXd(rows, columns), MatrixXi(rows, categories)};
  for (auto& value : places.numbers.reshaped()) value = random.normal();
  for (auto& level : places.levels.reshaped()) level = static_cast<int>(random.below(3));
  return places;
}

/// A curve that all share, and for each level of the first category another offset and slope.
VectorXd curves(const FeatureMatrix& places) {
  VectorXd target = (places.numbers.col(0).array() * 1.5).sin();
  for (Index i = 0; i < target.size(); ++i)
    if (places.levels.cols() > 0) target[i] += places.levels(i, 0) * (1 + 0.2 * places.numbers(i, 0));
  return target;
}

TEST(KernelPosterior, ItsGradientIsTheOneThatDifferencesShow) {
  Random random(3);
  const auto places = random_places(random, 25, 3, 2);
  const KernelPosterior posterior(places, curves(places), 1e-2);
  VectorXd logs = posterior.start(), gradient;
  for (auto& value : logs) value += 0.3 * random.normal();
  posterior(logs, &gradient);
  for (Index i = 0; i < logs.size(); ++i) {
    auto below = logs, above = logs;
    below[i] -= 1e-5;
    above[i] += 1e-5;
    const double difference = (posterior(above, nullptr) - posterior(below, nullptr)) / 2e-5;
    EXPECT_NEAR(gradient[i], difference, 1e-4 * (1 + std::abs(difference))) << i;
  }
}

TEST(KernelPosterior, ItsKernelsAndTheirLogarithmsAreOneAnothersInverses) {
  Random random(4);
  const auto places = random_places(random, 25, 3, 2);
  const KernelPosterior posterior(places, curves(places), 1e-2);
  VectorXd logs = posterior.start();
  for (Index i = 0; i < logs.size(); ++i) logs[i] += 0.1 * static_cast<double>(i % 5);
  const auto again = posterior.logs_of(posterior.kernel(logs));
  ASSERT_EQ(again.size(), logs.size());
  for (Index i = 0; i < logs.size(); ++i) EXPECT_NEAR(again[i], logs[i], 1e-9) << i;
}

TEST(GaussianProcess, FollowsACurveWithinItsRange) {
  Random random(4);
  const auto places = random_places(random, 120, 2, 1), at = random_places(random, 60, 2, 1);
  const auto process = GaussianProcess::fit(places, curves(places), {});
  ASSERT_TRUE(process) << process.error().message;
  const VectorXd error = process->mean(at) - curves(at);
  EXPECT_LT(std::sqrt(error.squaredNorm() / 60), 0.1);
}

/// What the levels share comes from all rows, so a few of a new level suffice.
TEST(GaussianProcess, AFewRowsCalibrateANewLevel) {
  Random random(5);
  auto places = random_places(random, 90, 1, 1);
  for (Index i = 0; i < 90; ++i) places.levels(i, 0) = i < 4 ? 2 : static_cast<int>(random.below(2));
  const auto process = GaussianProcess::fit(places, curves(places), {});
  auto at = random_places(random, 50, 1, 1);
  at.levels.setConstant(2);
  EXPECT_LT((process->mean(at) - curves(at)).cwiseAbs().mean(), 0.2);
}

TEST(GaussianProcess, FollowsADrawOfManyRows) {
  Random random(9);
  const auto places = random_places(random, 500, 1, 1), at = random_places(random, 50, 1, 1);
  const auto process = GaussianProcess::fit(places, curves(places), {.most_rows = 100});
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_EQ(process->weights.size(), 100);
  EXPECT_LT((process->mean(at) - curves(at)).cwiseAbs().mean(), 0.1);
}

TEST(GaussianProcess, DoesNotDependOnTheUnitsOfItsNumbers) {
  Random random(6);
  const auto places = random_places(random, 60, 2, 1), at = random_places(random, 20, 2, 1);
  auto other_places = places, other_at = at;
  for (auto* changed : {&other_places, &other_at})
    changed->numbers.col(1) = changed->numbers.col(1).array() * 1000 + 7;
  const auto target = curves(places);
  const VectorXd difference = GaussianProcess::fit(places, target, {})->mean(at) -
                              GaussianProcess::fit(other_places, target, {})->mean(other_at);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(GaussianProcess, VariesLittleWhereItWasMeasuredAndMuchFarAway) {
  Random random(4);
  const auto places = random_places(random, 40, 1, 0);
  const auto process = *GaussianProcess::fit(places, curves(places), {});
  FeatureMatrix at{MatrixXd(3, 1), MatrixXi(3, 0)};
  at.numbers << places.numbers(0, 0), 9, 9.1;
  const auto covariance = *process.covariance(at);
  const double noise = process.kernel.noise;
  EXPECT_LT(covariance(0, 0), noise * noise + 1e-9) << "less than one measurement's own noise";
  EXPECT_GT(covariance(1, 1), 100 * std::abs(covariance(0, 0)));
  EXPECT_GT(covariance(1, 2), 0.9 * covariance(1, 1)) << "neighbours vary together";
  EXPECT_NEAR(covariance(1, 2), covariance(2, 1), 1e-9 * covariance(1, 1));
}

TEST(GaussianProcess, RefusesWhatCannotBeFittedTo) {
  EXPECT_FALSE(GaussianProcess::fit({}, {}, {}));
  Random random(7);
  auto places = random_places(random, 5, 1, 0);
  places.numbers(0, 0) = std::nan("");
  EXPECT_FALSE(GaussianProcess::fit(places, VectorXd::Zero(5), {}));
}

TEST(GaussianProcess, KnowsHowMuchNoiseItTookToFactorise) {
  Random random(8);
  const auto places = random_places(random, 40, 1, 0);
  EXPECT_EQ(GaussianProcess::fit(places, curves(places), {})->noise_raised, 1);
  const FeatureMatrix same{MatrixXd::Ones(40, 1), MatrixXi(40, 0)};
  const auto process = GaussianProcess::with_kernel(Scaling::of(same.numbers), same, VectorXd::Ones(40),
                                                    {.amplitude = 1e3, .noise = 1e-8, .lengths = {1}});
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_GT(process->noise_raised, 100);
  EXPECT_NEAR(process->kernel.noise / 1e-8, process->noise_raised, 1e-9 * process->noise_raised);
}

TEST(GaussianProcess, EqualRowsAndEqualTargetsAreNoTrouble) {
  const FeatureMatrix places{MatrixXd::Ones(10, 2), MatrixXi::Zero(10, 1)};
  const auto process = GaussianProcess::fit(places, VectorXd::Constant(10, 0.5), {});
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_NEAR(process->mean(places)[0], 0.5, 0.1);
}

}  // namespace
}  // namespace neph::predict
