#include "compare/pairs.hpp"

#include <gmock/gmock.h>

#include "compare/sample_source_test.hpp"
#include "core/random.hpp"

namespace neph::compare {
namespace {

using testing::HasSubstr;

/// Measures nothing: a machine that drifts, and sides that differ by a factor.
struct Simulated {
  Simulated(double times, double spread, std::uint64_t seed)
      : factor(times), deviation(spread), random(seed) {}

  Result<Source> operator()(Side side) {
    ++measured;
    drift += 0.02 * random.normal();
    const double speed = 100 * (side == Side::candidate ? factor : 1) *
                         std::exp(0.2 * std::sin(drift) + deviation * random.normal());
    clock.advance(std::chrono::seconds(1));
    if (side == Side::candidate && is_first) ++candidate_first;
    is_first = !is_first;
    return source_with(side == Side::baseline ? "old" : "new", {configuration_of("all", {speed})});
  }

  double factor, deviation, drift = 0;
  Random random;
  ManualClock clock;
  std::int64_t measured = 0, candidate_first = 0;
  bool is_first = true;
};

const OnPair go_on = [](const PairsSoFar&) { return true; };

Comparison in_pairs(Simulated& simulated, const PairsOptions& options = {}) {
  const auto result = compare_in_pairs(
      options, [&](Side side) { return simulated(side); }, go_on, simulated.clock);
  EXPECT_TRUE(result) << result.error().text();
  return result.value_or(Comparison{});
}

TEST(Pairs, FindASlowdownAndEndThere) {
  Simulated slower(0.9, 0.02, 1);
  const auto comparison = in_pairs(slower);
  EXPECT_EQ(comparison.rows.at(0).outcome, Outcome::worse);
  EXPECT_LT(comparison.pairs, 20);
  EXPECT_EQ(slower.measured, 2 * (comparison.pairs + 1)) << "one pair is the warm-up";
}

TEST(Pairs, BeginWithEitherSide) {
  Simulated same(1, 0.05, 2);
  in_pairs(same, {.compare = {.threshold = 0.001}, .most_pairs = 60});
  EXPECT_GT(same.candidate_first, 15);
  EXPECT_LT(same.candidate_first, 45);
}

TEST(Pairs, EndWithinTheBudget) {
  Simulated same(1, 0.2, 3);
  const auto comparison = in_pairs(same, {.budget_s = 20, .warmup = 0});
  EXPECT_EQ(comparison.pairs, 10) << "two seconds each";
  EXPECT_EQ(comparison.rows.at(0).outcome, Outcome::undecided);
  EXPECT_GT(comparison.planned, 10);
}

TEST(Pairs, EndWhenToldTo) {
  Simulated same(1, 0.2, 4);
  const auto comparison = compare_in_pairs(
      {}, [&](Side side) { return same(side); },
      [](const PairsSoFar& so_far) { return so_far.comparison.pairs < 3; }, same.clock);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->pairs, 3);
}

TEST(Pairs, EndAtOnceWhereTheSidesCannotBeCompared) {
  Simulated same(1, 0.01, 5);
  const auto comparison = compare_in_pairs(
      {.warmup = 0},
      [&](Side side) {
        auto source = same(side);
        source->configurations[0].facts["answers"] = side == Side::baseline ? "d04e" : "ffff";
        return source;
      },
      go_on, same.clock);
  ASSERT_TRUE(comparison);
  ASSERT_TRUE(refusal_of(*comparison));
  EXPECT_EQ(refusal_of(*comparison)->what, "answers");
  EXPECT_EQ(same.measured, 2);
}

TEST(Pairs, AreWhatWasMeasuredUntilARowWasDecided) {
  // Memory is noise; the time is longer in the first pairs only.
  const ManualClock clock;
  Random random(6);
  std::int64_t measured = 0;
  const auto result = compare_in_pairs(
      {.compare = {.metrics = {"time_s", "peak_memory_bytes"}}, .most_pairs = 20, .warmup = 0},
      [&](Side side) -> Result<Source> {
        const bool is_slow = side == Side::candidate && measured++ < 6;
        auto all = configuration_of("all", {});
        all.runs.push_back({.metrics = {{"time_s", (is_slow ? 1.2 : 1) * std::exp(0.002 * random.normal())},
                                        {"peak_memory_bytes", std::exp(0.5 * random.normal())}}});
        return source_with("side", {all});
      },
      go_on, clock);
  ASSERT_TRUE(result);
  const auto& row = result->rows.at(0);
  EXPECT_EQ(row.outcome, Outcome::worse);
  EXPECT_EQ(row.ratio.n, 5);
  EXPECT_GT(*row.ratio.low, 1.1) << "the interval is that of the verdict";
  EXPECT_NEAR(row.candidate.value / row.baseline.value, row.ratio.value, 1e-9);
  EXPECT_EQ(result->pairs, 20);
}

TEST(Pairs, OfMeansWithoutRunsAreRuns) {
  const ManualClock clock;
  const auto result = compare_in_pairs(
      {.warmup = 0},
      [](Side side) -> Result<Source> {
        auto all = configuration_of("all", {});
        all.means["images_per_s"] = {.value = side == Side::baseline ? 100. : 90., .n = 3};
        return source_with("side", {all});
      },
      go_on, clock);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.at(0).outcome, Outcome::worse);
  EXPECT_EQ(result->pairs, 5);
}

TEST(Pairs, DoNotWaitForWhatASideDoesNotHave) {
  Simulated same(1, 0.01, 8);
  const auto result = compare_in_pairs(
      {.compare = {.metrics = {"speed", "memory"}}, .warmup = 0},
      [&](Side side) {
        auto source = same(side);
        if (side == Side::candidate) source->configurations[0].runs[0].metrics["peak_memory_bytes"] = 1e6;
        return source;
      },
      go_on, same.clock);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_LT(result->pairs, 20);
  EXPECT_EQ(result->rows.at(1).outcome, Outcome::undecided);
}

TEST(Pairs, EndWhereARunOfALaterPairFails) {
  Simulated same(1, 0.01, 9);
  const auto result = compare_in_pairs(
      {.warmup = 0},
      [&](Side side) {
        auto source = same(side);
        if (side == Side::candidate && same.measured > 4)
          source->configurations[0].failures = {"1 of 2 runs failed"};
        return source;
      },
      go_on, same.clock);
  ASSERT_TRUE(result);
  ASSERT_TRUE(refusal_of(*result));
  EXPECT_THAT(refusal_of(*result)->message, HasSubstr("candidate: all: 1 of 2 runs failed"));
  EXPECT_EQ(same.measured, 6) << "the third pair";
}

TEST(Pairs, WhatCannotBeComparedIsRefusedBeforeTheFirst) {
  for (const auto& [metric, runs] :
       {std::pair("nope", 0), std::pair("offered_per_s", 0), std::pair("p99", 2)}) {
    Simulated same(1, 0.01, 10);
    const auto result = compare_in_pairs(
        {.compare = {.metrics = {metric}}}, [&](Side side) { return same(side); }, go_on, same.clock);
    ASSERT_FALSE(result) << metric;
    EXPECT_THAT(result.error().text(), HasSubstr(metric));
    EXPECT_EQ(same.measured, runs) << metric << ": whether neph can know it before the commands have run";
  }
  Simulated same(1, 0.01, 11);
  EXPECT_FALSE(compare_in_pairs(
      {.compare = {.accepted = {"machin"}}}, [&](Side side) { return same(side); }, go_on, same.clock));
  EXPECT_EQ(same.measured, 0);
}

TEST(Pairs, HeedTheBudgetInTheWarmUp) {
  Simulated same(1, 0.1, 7);
  const auto result = compare_in_pairs(
      {.budget_s = 3, .warmup = 9}, [&](Side side) { return same(side); }, go_on, same.clock);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text(), HasSubstr("the warm-up alone took longer"));
}

TEST(Pairs, PassErrorsOn) {
  const ManualClock clock;
  const auto result = compare_in_pairs(
      {}, [](Side) -> Result<Source> { return fail(ErrorCode::unavailable, "it ended with exit code 3"); },
      go_on, clock);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text(), HasSubstr("exit code 3"));
}

TEST(Pairs, SeldomTellAThingFromItselfAndUsuallyFindThreePercent) {
  int alarms = 0, equivalent = 0, found = 0;
  constexpr int simulations = 100;
  for (int i = 0; i < simulations; ++i) {
    Simulated same(1, 0.01, 100 + i), slower(1 / 1.03, 0.01, 1000 + i);
    const auto outcome = in_pairs(same, {.compare = {.threshold = 0.05}}).rows.at(0).outcome;
    alarms += outcome == Outcome::better || outcome == Outcome::worse;
    equivalent += outcome == Outcome::equivalent;
    found += in_pairs(slower).rows.at(0).outcome == Outcome::worse;
  }
  EXPECT_LE(alarms, 10) << "5 expected at most; more than 10 of 100 are so in 1 of 100 such tests";
  EXPECT_GE(equivalent, 80);
  EXPECT_GE(found, 85) << "90 expected";
}

}  // namespace
}  // namespace neph::compare
