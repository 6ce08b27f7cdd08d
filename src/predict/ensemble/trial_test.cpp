#include "predict/ensemble/trial.hpp"

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

using Eigen::Index;

/// Thirty rows at each of 0, 1, 2, 3.
Inputs on_a_grid() {
  Inputs inputs{.matrix = {Eigen::MatrixXd(120, 1), Eigen::MatrixXi(120, 0)},
                .work = Eigen::MatrixXd(120, 0),
                .ranged = Eigen::MatrixXd(120, 1)};
  for (Index i = 0; i < 120; ++i) inputs.ranged(i, 0) = static_cast<double>(i % 4);
  inputs.matrix.numbers = inputs.ranged;
  return inputs;
}

TEST(Trials, KnowHowFarWhatWasLeftOutLies) {
  const auto inputs = on_a_grid();
  const Eigen::VectorXd log_target = inputs.ranged.col(0) * 0.5;
  std::vector<double> above;
  for (const auto& trial : run_trials({{Backbone::log_linear, ResidualPolicy::none}}, {}, inputs, log_target,
                                      nullptr, {.units = Eigen::RowVectorXd::Constant(1, 2)})) {
    EXPECT_LT(trial.errors.cwiseAbs().maxCoeff(), 0.01) << "a straight line";
    if (trial.shifts.front().kind == ShiftKind::above) above.push_back(trial.distances.front());
  }
  EXPECT_EQ(above, (std::vector<double>{0.5, 0.75})) << "one and two steps, in units of 2";
}

/// Each level adds something of its own: left out, its rows are as far off as nothing is known of it.
TEST(Trials, AnswerForALevelThatIsLeftOutWithoutItsCategory) {
  auto inputs = on_a_grid();
  inputs.matrix.levels.resize(120, 1);
  Eigen::VectorXd log_target(120);
  for (Index i = 0; i < 120; ++i) {
    inputs.matrix.levels(i, 0) = static_cast<int>(i / 40);
    log_target[i] = static_cast<double>(i / 40);  // 0, 1, 2
  }
  std::vector<double> errors;
  for (const auto& trial :
       run_trials({{Backbone::log_linear, ResidualPolicy::none}}, {}, inputs, log_target, nullptr, {}))
    if (trial.shifts.front().kind == ShiftKind::unseen) errors.push_back(std::abs(trial.errors.mean()));
  std::ranges::sort(errors);
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_NEAR(errors[0], 0, 0.01) << "the one in the middle";
  EXPECT_NEAR(errors[1], 1.5, 0.01);
  EXPECT_NEAR(errors[2], 1.5, 0.01);
}

}  // namespace
}  // namespace neph::predict
