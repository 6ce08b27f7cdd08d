#include "predict/hold_out.hpp"

#include <algorithm>
#include <numeric>

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

/// So many rows at each of 0, 1, 2, ...
Inputs with_rows_at(const std::vector<Index>& counts) {
  auto inputs = numbered(std::accumulate(counts.begin(), counts.end(), Index{0}));
  Index row = 0;
  for (std::size_t value = 0; value < counts.size(); ++value)
    for (Index i = 0; i < counts[value]; ++i) inputs.ranged(row++, 0) = static_cast<double>(value);
  return inputs;
}
Inputs with_sparse_end() { return with_rows_at({30, 30, 30, 30, 2}); }

std::vector<HoldOut> sparse_of(const Inputs& inputs, const HoldOutSettings& settings = {}) {
  auto all = hold_outs(inputs, settings);
  std::erase_if(all,
                [](const HoldOut& each) { return each.conditions.front().situation != Situation::sparse; });
  return all;
}

TEST(HoldOuts, LeaveAsFewAsStandAtAnEndOfTheRange) {
  const auto inputs = with_sparse_end();
  const auto sparse = sparse_of(inputs);
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

TEST(HoldOuts, KeepTheFewOfAManyRowsTable) {
  const auto inputs = with_rows_at({300, 300, 300, 300, 3});
  const auto all = sparse_of(inputs, {.most_kept = 20});
  ASSERT_EQ(all.size(), 2U);
  for (const auto& each : all) {
    EXPECT_EQ(each.kept.size(), 20U);
    EXPECT_EQ(each.few.size(), 3U);
    EXPECT_TRUE(std::ranges::includes(each.kept, each.few));
    EXPECT_TRUE(std::is_sorted(each.kept.begin(), each.kept.end()));
  }
}

TEST(HoldOuts, LeaveAsFewAsStandAtEitherEnd) {
  const auto all = sparse_of(with_rows_at({3, 30, 30, 30, 2}));
  ASSERT_EQ(all.size(), 4U);
  std::vector<std::size_t> fews;
  for (const auto& each : all) fews.push_back(each.few.size());
  EXPECT_THAT(fews, testing::ElementsAre(2, 2, 3, 3));
}

TEST(HoldOuts, DoNotTryFewPointsWhereOnlyOneValueHasMany) {
  EXPECT_TRUE(sparse_of(with_rows_at({40, 2})).empty());
}

TEST(HoldOuts, KnowFewPointsBeforeFewerOnes) {
  const auto range = crowded_range(with_rows_at({30, 30, 30, 4, 1}).ranged.col(0));
  EXPECT_EQ(range.high, 2);
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(crowded_range(with_rows_at({1, 30, 1}).ranged.col(0)).low, 1);
  auto apart = numbered(100);
  apart.ranged(99, 0) = 10;
  EXPECT_EQ(crowded_range(apart.ranged.col(0)).high, apart.ranged(98, 0)) << "of many values";
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
  for (auto inputs : {numbered(1000), with_sparse_end()}) {
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
}

}  // namespace
}  // namespace neph::predict
