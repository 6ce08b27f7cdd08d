#include "predict/models/machine_law.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

using Eigen::Index;

constexpr Index configurations = 12;

/// So many configurations on each of some machines, of which each has something of its own.
struct Measured {
  MachineRows rows;
  Eigen::VectorXd log_target;
};

Measured measured(Index machines, unsigned seed, double own = 0.2) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const Index count = machines * configurations;
  Measured all{{{Eigen::MatrixXd(count, 1), Eigen::MatrixXi(count, 0)},
                Eigen::MatrixXd(count, 2),
                Eigen::VectorXi(count),
                Eigen::VectorXi::Zero(count)},
               Eigen::VectorXd(count)};
  for (Index machine = 0, row = 0; machine < machines; ++machine) {
    const double peak = 3 + normal(random), bandwidth = 6 + normal(random), offset = own * normal(random);
    for (Index i = 0; i < configurations; ++i, ++row) {
      all.rows.configurations.numbers(row, 0) = static_cast<double>(i);
      all.rows.log_speeds.row(row) << peak, bandwidth;
      all.rows.machines[row] = static_cast<int>(machine);
      all.log_target[row] = 0.3 * static_cast<double>(i) - 0.5 * peak - 0.5 * bandwidth + offset;
    }
  }
  return all;
}

MachineRows part(const MachineRows& rows, Index from, Index count) {
  return {{rows.configurations.numbers.middleRows(from, count),
           rows.configurations.levels.middleRows(from, count)},
          rows.log_speeds.middleRows(from, count),
          rows.machines.segment(from, count),
          rows.families.segment(from, count)};
}

/// Of the first `known` rows, what it answers to those behind `kept`, whose machine is known to it or not.
std::vector<MachineLaw::Answer> answers(const Measured& all, Index known, Index kept, bool is_known = false) {
  const auto law = MachineLaw::fit(part(all.rows, 0, known), all.log_target.head(known));
  EXPECT_TRUE(law);
  auto asked = part(all.rows, kept, all.log_target.size() - kept);
  if (!is_known) asked.machines.setConstant(-1);
  return law->at(asked);
}

TEST(MachineLaw, WhatAFamilyHasInCommonIsLearntFromItsOthers) {
  auto all = measured(9, 3, 0.05);
  constexpr double slower = 0.7;
  for (Index row = 0; row < all.log_target.size(); ++row)
    if (all.rows.families[row] = all.rows.machines[row] % 2; all.rows.families[row] == 0)
      all.log_target[row] += slower;
  const Index known = 8 * configurations;
  const auto right = answers(all, known, known);
  all.rows.families.tail(configurations).setConstant(-1);
  const auto unknown = answers(all, known, known);
  for (Index i = 0; i < configurations; ++i) {
    const auto& answer = right[static_cast<std::size_t>(i)];
    EXPECT_NEAR(answer.log_mean, all.log_target[known + i], 0.3);
    EXPECT_LT(answer.deviation, unknown[static_cast<std::size_t>(i)].deviation);
  }
}

TEST(MachineLaw, NineOfTenUnseenMachinesLieInItsIntervals) {
  constexpr int tables = 60;
  int inside = 0;
  double squares = 0;
  for (unsigned seed = 1; seed <= tables; ++seed) {
    const auto all = measured(5, seed);
    const auto answer = answers(all, 48, 48)[5];
    const double error = answer.log_mean - all.log_target[48 + 5];
    inside += std::abs(error) < 1.645 * answer.deviation ? 1 : 0;
    squares += error * error;
  }
  EXPECT_GE(inside, tables * 85 / 100);
  EXPECT_LT(std::sqrt(squares / tables), 0.35);  // a machine's own has 0.2
}

TEST(MachineLaw, OneMachineLeavesThePriorAlone) {
  const auto all = measured(2, 7, 0);
  const auto answer = answers(all, 12, 12)[5];
  EXPECT_GT(answer.deviation, MachineLawPrior().own);
  EXPECT_LT(std::abs(answer.log_mean - all.log_target[17]), 2.5 * answer.deviation);
  auto slower = all;
  slower.rows.log_speeds.bottomRows(12).array() -= std::log(2.0);
  EXPECT_NEAR(answers(slower, 12, 12)[5].log_mean - answer.log_mean, std::log(2.0), 0.2);
}

TEST(MachineLaw, RowsOfTheMachineItselfSharpenIt) {
  const auto all = measured(5, 3, 0.5);
  const auto without = answers(all, 48, 51)[6], with = answers(all, 51, 51, true)[6];
  EXPECT_LT(with.deviation, 0.5 * without.deviation);
  EXPECT_NEAR(with.log_mean, all.log_target[57], 0.1);
}

}  // namespace
}  // namespace neph::predict
