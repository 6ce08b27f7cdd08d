#include "predict/candidate.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Twelve networks at five batches, whose logarithms of time are a curve of a feature of the network.
struct Networks {
  Networks() {
    inputs.places = {Eigen::MatrixXd(60, 2), Eigen::MatrixXi(60, 1)};
    inputs.network = 0;
    for (Index i = 0; i < 60; ++i) {
      const auto network = static_cast<int>(i / 5);
      const double feature = 0.3 * network, batch = static_cast<double>(i % 5);
      inputs.places.numbers.row(i) << feature, batch;
      inputs.places.levels(i, 0) = network;
      log_target[i] = batch + curve(feature);
    }
  }
  static double curve(double feature) { return std::sin(2 * feature); }

  Inputs inputs;
  VectorXd log_target{60};
};

/// One row: a feature, the middle batch, and a network by its level.
Inputs asked(double feature, int level) {
  Inputs at{.places = {Eigen::MatrixXd{{feature, 2}}, Eigen::MatrixXi::Constant(1, 1, level)}};
  at.network = 0;
  return at;
}

double free_answer(const Candidate& candidate, double feature, int level) {
  return candidate.log_means(asked(feature, level))(0, static_cast<Index>(Departure::free));
}

TEST(Candidate, SeeksWhatSetsANetworkApartInItsFeaturesWhereItsNameIsHidden) {
  const Networks measured;
  const CandidateSpec by_features{.backbone = Backbone::powers, .names_networks = false};
  const auto candidate = Candidate::fit(by_features, {}, measured.inputs, measured.log_target);
  ASSERT_TRUE(candidate) << candidate.error().message;
  const double between = 0.3 * 5.5;
  EXPECT_EQ(free_answer(*candidate, between, -1), free_answer(*candidate, between, 3));
  EXPECT_NEAR(free_answer(*candidate, between, -1), 2 + Networks::curve(between), 0.05);
}

TEST(Candidate, KnowsANetworkByItsNameElse) {
  Networks measured;
  for (Index i = 15; i < 20; ++i) measured.log_target[i] += 1;  // the fourth is slower than its features say
  const auto candidate =
      Candidate::fit({.backbone = Backbone::powers}, {}, measured.inputs, measured.log_target);
  ASSERT_TRUE(candidate) << candidate.error().message;
  EXPECT_NEAR(free_answer(*candidate, 0.9, 3), 2 + Networks::curve(0.9) + 1, 0.1);
  EXPECT_LT(free_answer(*candidate, 0.9, -1), free_answer(*candidate, 0.9, 3) - 0.3);
}

}  // namespace
}  // namespace neph::predict
