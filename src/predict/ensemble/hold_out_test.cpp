#include "predict/ensemble/hold_out.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

using Eigen::Index;

Inputs numbered(Index rows) {
  return {.matrix = {Eigen::MatrixXd::Zero(rows, 1), Eigen::MatrixXi(rows, 0)},
          .work = Eigen::MatrixXd(rows, 0),
          .ranged = Eigen::VectorXd::LinSpaced(rows, 0, 1)};
}

TEST(HoldOuts, LookAtADrawOfManyRows) {
  const HoldOutSettings settings{.most_kept_in_folds = 300, .most_kept = 200, .most_left_out = 50};
  const auto all = hold_outs(numbered(1000), settings);
  ASSERT_GT(all.size(), 5U);
  for (const auto& each : all) {
    EXPECT_EQ(each.kept.size(), each.shifts.front().kind == ShiftKind::inside ? 300U : 200U);
    EXPECT_EQ(each.left_out.size(), 50U);
    EXPECT_TRUE(std::is_sorted(each.kept.begin(), each.kept.end()));
    if (each.shifts.front().kind == ShiftKind::above) {
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
    if (each.shifts.front().kind == ShiftKind::between)
      left_out.push_back(inputs.ranged(static_cast<Eigen::Index>(each.left_out.front()), 0));
  EXPECT_EQ(left_out, (std::vector<double>{2}));
}

/// Half of the rows have the largest value: a tenth of them cannot be left out without the others.
TEST(HoldOuts, LeaveNoValueOutInPart) {
  auto inputs = numbered(100);
  for (Index i = 50; i < 100; ++i) inputs.ranged(i, 0) = 1;
  std::size_t above = 0;
  for (const auto& each : hold_outs(inputs)) {
    if (each.shifts.front().kind != ShiftKind::above) continue;
    ++above;
    EXPECT_EQ(each.left_out.size(), 50U);
  }
  EXPECT_EQ(above, 1U);
}

TEST(HoldOuts, LeaveAsFewOfALevelAsARareOneHas) {
  auto inputs = numbered(103);
  inputs.matrix.levels = Eigen::MatrixXi::Zero(103, 1);
  for (Index i = 50; i < 100; ++i) inputs.matrix.levels(i, 0) = 1;
  for (Index i = 100; i < 103; ++i) inputs.matrix.levels(i, 0) = 2;
  std::size_t rare = 0, unseen = 0;
  for (const auto& each : hold_outs(inputs, {.most_kept = 30})) {
    unseen += each.shifts.front().kind == ShiftKind::unseen;
    if (each.shifts.front().kind != ShiftKind::rare) continue;
    ++rare;
    const auto level = inputs.matrix.levels(static_cast<Index>(each.left_out.front()), 0);
    EXPECT_EQ(each.left_out.size(), 47U);
    EXPECT_EQ(std::ranges::count_if(
                  each.kept,
                  [&](std::size_t row) { return inputs.matrix.levels(static_cast<Index>(row), 0) == level; }),
              3)
        << "a draw has them all";
    EXPECT_EQ(each.kept.size(), 30U);
  }
  EXPECT_EQ(rare, 2U);
  EXPECT_EQ(unseen, 3U);
}

TEST(HoldOuts, OfColumnsThatVaryTogetherAreOne) {
  for (auto inputs : {numbered(1000), numbered(9)}) {
    const auto alone = hold_outs(inputs);
    inputs.ranged = inputs.ranged.col(0).replicate(1, 2).eval();
    inputs.ranged.col(1).array() *= 3;
    const auto together = hold_outs(inputs);
    ASSERT_EQ(together.size(), alone.size());
    for (const auto& each : together) {
      const auto kind = each.shifts.front().kind;
      if (kind == ShiftKind::inside) continue;
      EXPECT_EQ(each.shifts, (std::vector<Shift>{{kind, 0}, {kind, 1}}));
    }
  }
}

}  // namespace
}  // namespace neph::predict
