#include "predict/trial.hpp"

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

using Eigen::Index;

/// Thirty rows at each of 0, 1, 2, 3, and two at 4.
Inputs with_sparse_end() {
  Inputs inputs{.log_quantities = Eigen::MatrixXd(122, 0),
                .places = {Eigen::MatrixXd(122, 1), Eigen::MatrixXi(122, 0)},
                .work = Eigen::MatrixXd(122, 0),
                .ranged = Eigen::MatrixXd(122, 1)};
  for (Index i = 0; i < 122; ++i) inputs.ranged(i, 0) = i < 120 ? static_cast<double>(i % 4) : 4;
  inputs.places.numbers = inputs.ranged;
  return inputs;
}

TEST(Trials, AreAsFarFromMostPointsAsTheFewThatStandForThem) {
  const auto inputs = with_sparse_end();
  const Eigen::VectorXd log_target = inputs.ranged.col(0) * 0.5;
  std::size_t sparse = 0;
  for (const auto& trial :
       run_trials({{.backbone = Backbone::powers, .has_process = false}}, {}, inputs, log_target, {})) {
    if (trial.conditions.front().situation != Situation::sparse) continue;
    ++sparse;
    EXPECT_EQ(trial.distances, (std::vector<double>{1}));
  }
  EXPECT_EQ(sparse, 2U);
}

}  // namespace
}  // namespace neph::predict
