#include <gtest/gtest.h>

#include "experiment/experiment.hpp"

namespace neph::experiment {
namespace {

using std::chrono::seconds;

TEST(Eta, KnowsNothingBeforeTheFirstRun) {
  const ManualClock clock;
  Eta eta({{.cell = 0}, {.cell = 1}}, clock);
  EXPECT_EQ(eta.left_s(), std::nullopt);
  EXPECT_EQ(eta.runs_left(), 2);
}

TEST(Eta, NothingLeftIsNoTime) {
  const ManualClock clock;
  EXPECT_EQ(Eta({}, clock).left_s(), 0);
}

TEST(Eta, TakesEachCellsOwnMeanAndTheMeanOfAllForNewCells) {
  const ManualClock clock;
  Eta eta({{.cell = 0}, {.cell = 0, .repeat = 1}, {.cell = 1}, {.cell = 2}}, clock);
  eta.learn(0, 10);
  eta.learn(0, 14);
  eta.learn(1, 30);
  EXPECT_DOUBLE_EQ(*eta.left_s(), 12 + 12 + 30 + 18);
}

TEST(Eta, CountsTheRunInProgressDown) {
  ManualClock clock;
  const Slot first{.cell = 0};
  const Slot second{.cell = 0, .repeat = 1, .position = 1};
  Eta eta({first, second}, clock);
  eta.learn(0, 10);
  eta.started(first);
  clock.advance(seconds(4));
  EXPECT_DOUBLE_EQ(*eta.left_s(), 6 + 10);
  clock.advance(seconds(16));
  EXPECT_DOUBLE_EQ(*eta.left_s(), 0 + 10) << "late, but never negative";
  eta.ended(first);
  EXPECT_EQ(eta.runs_left(), 1);
  EXPECT_DOUBLE_EQ(*eta.left_s(), 15) << "the mean of 10 and 20";
}

TEST(Eta, RunsAtOnceShareWhatIsLeft) {
  ManualClock clock;
  const std::vector<Slot> slots{{.position = 0}, {.position = 1}, {.position = 2}};
  Eta eta(slots, clock);
  eta.learn(0, 10);
  eta.started(slots[0]);
  eta.started(slots[1]);
  clock.advance(seconds(4));
  EXPECT_DOUBLE_EQ(*eta.left_s(), (6 + 6 + 10) / 2.0);
  eta.ended(slots[1]);
  EXPECT_EQ(eta.runs_left(), 2);
  EXPECT_DOUBLE_EQ(*eta.left_s(), 3 + 7) << "the mean is 7 now";
}

}  // namespace
}  // namespace neph::experiment
