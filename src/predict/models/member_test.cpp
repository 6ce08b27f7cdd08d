#include "predict/models/member.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "predict/ensemble/ensemble.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Twelve networks at five batches, whose logarithms of time are a curve of a feature of the network.
struct Networks {
  Networks() {
    inputs.matrix = {Eigen::MatrixXd(60, 2), Eigen::MatrixXi(60, 1)};
    for (Index i = 0; i < 60; ++i) {
      const auto network = static_cast<int>(i / 5);
      const double feature = 0.3 * network, batch = static_cast<double>(i % 5);
      inputs.matrix.numbers.row(i) << feature, batch;
      inputs.matrix.levels(i, 0) = network;
      log_target[i] = batch + curve(feature);
    }
  }
  static double curve(double feature) { return std::sin(2 * feature); }

  Inputs inputs;
  VectorXd log_target{60};
};

/// One row: a feature, the middle batch, and a network by its level.
Inputs query(double feature, int level) {
  return {.matrix = {Eigen::MatrixXd{{feature, 2}}, Eigen::MatrixXi::Constant(1, 1, level)}};
}

double answer(const Ensemble& ensemble, double feature, int level) {
  return ensemble.log_means(query(feature, level))(0, 0);
}

const std::vector<MemberSpec> log_linear_and_process{{}};

TEST(Ensemble, SeeksWhatSetsANetworkApartInItsFeaturesWhereItIsUnseen) {
  const Networks measured;
  const auto ensemble = Ensemble::fit(log_linear_and_process, {}, measured.inputs, measured.log_target, {0});
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  const double between = 0.3 * 5.5;
  EXPECT_EQ(answer(*ensemble, between, -1), answer(*ensemble, between, 3));
  EXPECT_NEAR(answer(*ensemble, between, -1), 2 + Networks::curve(between), 0.05);
}

TEST(Ensemble, KnowsANetworkByItsNameElse) {
  Networks measured;
  for (Index i = 15; i < 20; ++i) measured.log_target[i] += 1;  // the fourth is slower than its features say
  const auto ensemble = Ensemble::fit(log_linear_and_process, {}, measured.inputs, measured.log_target);
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  EXPECT_NEAR(answer(*ensemble, 0.9, 3), 2 + Networks::curve(0.9) + 1, 0.1);
}

TEST(Ensemble, DoesWithoutAMemberThatCannotBeFitted) {
  const Networks measured;
  const MemberSpec of_layers{.backbone = Backbone::layers};  // there are no terms of work
  const auto ensemble = Ensemble::fit({of_layers, {}}, {}, measured.inputs, measured.log_target);
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  const auto means = ensemble->log_means(query(0.9, 3));
  EXPECT_TRUE(std::isnan(means(0, 0)) && std::isfinite(means(0, 1)));
  EXPECT_FALSE(Ensemble::fit({of_layers}, {}, measured.inputs, measured.log_target));
}

}  // namespace
}  // namespace neph::predict
