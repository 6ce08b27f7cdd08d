#include "predict/hold_out.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace neph::predict {
namespace {

using Eigen::Index;

Inputs numbered(Index rows) {
  Inputs inputs{.log_quantities = Eigen::MatrixXd(rows, 0),
                .places = {Eigen::MatrixXd::Zero(rows, 1), Eigen::MatrixXi(rows, 0)},
                .work = Eigen::MatrixXd(rows, 0),
                .ranged = Eigen::VectorXd::LinSpaced(rows, 0, 1)};
  return inputs;
}

TEST(HoldOuts, LookAtADrawOfManyRows) {
  const HoldOutSettings settings{.most_kept_in_folds = 300, .most_kept = 200, .most_left_out = 50};
  const auto all = hold_outs(numbered(1000), settings);
  ASSERT_GT(all.size(), 5U);
  for (const auto& each : all) {
    EXPECT_EQ(each.kept.size(), each.conditions.front().situation == Situation::inside ? 300U : 200U);
    EXPECT_EQ(each.left_out.size(), 50U);
    EXPECT_TRUE(std::is_sorted(each.kept.begin(), each.kept.end()));
    if (each.conditions.front().situation == Situation::above) {
      EXPECT_LT(each.kept.back(), each.left_out.front()) << "what is left out lies above what is kept";
    }
  }
}

TEST(HoldOuts, LookAtAllRowsOfASmallTable) {
  for (const auto& each : hold_outs(numbered(1000)))
    EXPECT_EQ(each.kept.size() + each.left_out.size(), 1000U);
}

TEST(HoldOuts, AskForValuesBetweenThoseOfAGrid) {
  auto inputs = numbered(100);
  EXPECT_TRUE(grid_of(inputs.ranged.col(0)).empty()) << "a hundred values are no grid";
  for (Eigen::Index i = 0; i < 100; ++i) inputs.ranged(i, 0) = static_cast<double>(i % 5);
  EXPECT_EQ(grid_of(inputs.ranged.col(0)), (std::vector<double>{0, 1, 2, 3, 4}));
  std::vector<double> left_out;
  for (const auto& each : hold_outs(inputs))
    if (each.conditions.front().situation == Situation::between)
      left_out.push_back(inputs.ranged(static_cast<Eigen::Index>(each.left_out.front()), 0));
  EXPECT_EQ(left_out, (std::vector<double>{1, 2}));
}

/// Thirty rows at each of 0, 1, 2, 3, and two at 4.
Inputs with_sparse_end() {
  auto inputs = numbered(122);
  for (Index i = 0; i < 122; ++i) inputs.ranged(i, 0) = i < 120 ? static_cast<double>(i % 4) : 4;
  return inputs;
}

TEST(HoldOuts, LeaveAsFewAsStandAtAnEndOfTheRange) {
  const auto inputs = with_sparse_end();
  std::vector<HoldOut> sparse;
  for (const auto& each : hold_outs(inputs))
    if (each.conditions.front().situation == Situation::sparse) sparse.push_back(each);
  ASSERT_EQ(sparse.size(), 2U);
  const auto count = [&](const std::vector<std::size_t>& rows, double value) {
    return std::ranges::count_if(
        rows, [&](std::size_t row) { return inputs.ranged(static_cast<Index>(row), 0) == value; });
  };
  EXPECT_EQ(count(sparse[0].kept, 3), 2) << "next to the end";
  EXPECT_EQ(count(sparse[0].left_out, 3), 28);
  EXPECT_EQ(count(sparse[0].kept, 4) + count(sparse[0].left_out, 4), 0) << "what lies further says more";
  EXPECT_EQ(count(sparse[1].kept, 0), 2) << "the other end";
  EXPECT_EQ(count(sparse[1].kept, 4), 2);
}

TEST(HoldOuts, KnowWhatFewPointsStandFor) {
  auto inputs = with_sparse_end();
  const auto range = crowded_range(inputs.ranged.col(0));
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 3);
  EXPECT_EQ(range.distance_to(3.5), 0.5);
  EXPECT_EQ(range.distance_to(2.5), 0);
  inputs.ranged.col(0) *= -1;
  EXPECT_EQ(crowded_range(inputs.ranged.col(0)).low, -3);
  EXPECT_EQ(crowded_range(numbered(100).ranged.col(0)).high, 1) << "no end stands apart";
  EXPECT_EQ(crowded_range(numbered(5).ranged.col(0)).high, 1) << "nor do few stand beside many";
}

TEST(HoldOuts, OfColumnsThatVaryTogetherAreOne) {
  auto inputs = numbered(1000);
  const auto alone = hold_outs(inputs);
  inputs.ranged = inputs.ranged.col(0).replicate(1, 2).eval();
  inputs.ranged.col(1).array() *= 3;
  const auto together = hold_outs(inputs);
  ASSERT_EQ(together.size(), alone.size());
  for (const auto& each : together) {
    const auto situation = each.conditions.front().situation;
    if (situation == Situation::inside) continue;
    EXPECT_EQ(each.conditions, (std::vector<Condition>{{situation, 0}, {situation, 1}}));
  }
}

}  // namespace
}  // namespace neph::predict
