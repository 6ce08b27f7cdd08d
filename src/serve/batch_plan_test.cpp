#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "serve/batching.hpp"

namespace neph::serve {
namespace {

struct Case {
  std::vector<std::int64_t> queue;
  std::vector<SizeCost> sizes;
  bool may_wait = false;
};

Case draw(std::mt19937_64& random) {
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  Case drawn{.may_wait = below(2) == 1};
  std::int64_t rows = 0;
  for (auto count = 1 + below(5); count > 0; --count) {
    rows += 1 + below(6);
    drawn.sizes.push_back({rows, static_cast<double>(1 + below(8))});  // few values, so that costs tie
  }
  for (auto count = 1 + below(12); count > 0; --count) drawn.queue.push_back(1 + below(rows));
  return drawn;
}

/// By definition, from what batch_plan.hpp says: every prefix in every size that holds it.
BatchPlan by_definition(const Case& given) {
  BatchPlan best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t taken = 1; taken <= given.queue.size(); ++taken) {
    const auto rows = std::accumulate(
        given.queue.begin(), given.queue.begin() + static_cast<std::ptrdiff_t>(taken), std::int64_t{0});
    for (std::size_t size = 0; size < given.sizes.size(); ++size) {
      if (given.sizes[size].rows < rows) continue;
      const double cost = given.sizes[size].seconds / static_cast<double>(rows);
      if (cost <= least) {
        least = cost;
        best = {taken, size};
      }
      break;  // the smallest that holds them
    }
  }
  const auto all = std::accumulate(given.queue.begin(), given.queue.end(), std::int64_t{0});
  bool pays = false;
  for (const auto& size : given.sizes)
    pays = pays || (size.rows > all && size.seconds / static_cast<double>(size.rows) < least);
  return given.may_wait && pays ? BatchPlan{} : best;
}

TEST(BatchPlan, IsWhatItsDefinitionSaysOfManyQueues) {
  constexpr std::uint64_t seed = 20261121;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100'000; ++i) {
    const auto given = draw(random);
    const auto plan = plan_batch(given.queue, given.sizes, given.may_wait);
    const auto wanted = by_definition(given);
    ASSERT_EQ(plan.requests, wanted.requests) << "seed " << seed << ", case " << i;
    ASSERT_EQ(plan.size, wanted.size) << "seed " << seed << ", case " << i;
  }
}

TEST(BatchPlan, TakesSomethingThatFitsUnlessItWaits) {
  constexpr std::uint64_t seed = 7;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const auto given = draw(random);
    const auto plan = plan_batch(given.queue, given.sizes, given.may_wait);
    if (plan.requests == 0) {
      ASSERT_TRUE(given.may_wait) << "seed " << seed << ", case " << i;
      continue;
    }
    ASSERT_LE(plan.requests, given.queue.size());
    const auto rows =
        std::accumulate(given.queue.begin(), given.queue.begin() + static_cast<std::ptrdiff_t>(plan.requests),
                        std::int64_t{0});
    ASSERT_LE(rows, given.sizes[plan.size].rows);
    if (plan.size > 0) {
      ASSERT_GT(rows, given.sizes[plan.size - 1].rows);
    }
  }
}

TEST(BatchPlan, FillsTheLargestSizeWhereThatCostsLeast) {
  const std::vector<SizeCost> sizes{{1, 1.0}, {2, 1.5}, {4, 2.0}};
  const std::vector<std::int64_t> queue{1, 1, 1, 1, 1};
  const auto plan = plan_batch(queue, sizes, true);
  EXPECT_EQ(plan.requests, 4U);
  EXPECT_EQ(plan.size, 2U);
}

TEST(BatchPlan, RunsOneByOneWhereJoiningDoesNotPay) {
  const std::vector<SizeCost> sizes{{1, 1.0}, {2, 2.5}, {4, 6.0}};
  const auto plan = plan_batch(std::vector<std::int64_t>{1, 1, 1, 1}, sizes, true);
  EXPECT_EQ(plan.requests, 1U);
  EXPECT_EQ(plan.size, 0U);
}

TEST(BatchPlan, WaitsForAFullerBatchOnlyWhileNobodyIsInAHurry) {
  const std::vector<SizeCost> sizes{{1, 1.0}, {4, 2.0}};
  const std::vector<std::int64_t> queue{1, 1};
  EXPECT_EQ(plan_batch(queue, sizes, true).requests, 0U);
  EXPECT_EQ(plan_batch(queue, sizes, false).requests, 2U);
}

TEST(BatchPlan, DoesNotWaitWhenTheNextRequestDoesNotFitAnyway) {
  const std::vector<SizeCost> sizes{{1, 1.0}, {4, 2.0}};
  EXPECT_EQ(plan_batch(std::vector<std::int64_t>{3, 2}, sizes, true).requests, 1U);
}

TEST(BatchPlan, PadsWhereALargerSizeWithAHoleIsCheaper) {
  const std::vector<SizeCost> sizes{{1, 1.0}, {4, 2.0}};
  const auto plan = plan_batch(std::vector<std::int64_t>{1, 2}, sizes, false);
  EXPECT_EQ(plan.requests, 2U);
  EXPECT_EQ(plan.size, 1U);
}

}  // namespace
}  // namespace neph::serve
