#include "workload/command/account.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::workload::command {
namespace {

using testing::ElementsAre;

constexpr Stretch command{100, 200};
constexpr double origin_s = 90;

struct Given {
  Tellings all;
  Given& steps(Teller by, std::vector<double> ends_s, std::int64_t pid = 1, std::int64_t stream = 0) {
    all.add({.by = by, .pid = pid, .what = Steps{stream, std::move(ends_s)}});
    return *this;
  }
  Given& span(Teller by, Span span, std::int64_t pid = 1) {
    all.add({.by = by, .pid = pid, .what = span});
    return *this;
  }
  Account account() const { return account_for(all, command, origin_s); }
};

std::vector<std::string> phases(const Account& account) {
  std::vector<std::string> texts;
  for (const auto& phase : account.phases)
    texts.push_back(fmt::format("{} {}-{}", phase.kind.name, phase.time.begin_s, phase.time.end_s));
  return texts;
}

/// Two epochs of three steps, each verified, then saved; the loop over the test samples is kept when it is
/// over.
Given two_epochs() {
  Given given;
  given.steps(Teller::torch, {112, 113, 114, 122, 123, 124})
      .span(Teller::torch, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 114, .steps = 3, .samples = 30})
      .span(Teller::torch, {.kind = SpanKind::loop, .begin_s = 115, .end_s = 117})
      .span(Teller::torch, {.kind = SpanKind::epoch, .begin_s = 120, .end_s = 124, .steps = 3, .samples = 30})
      .span(Teller::torch, {.kind = SpanKind::loop, .begin_s = 125, .end_s = 199})
      .span(Teller::torch, {.kind = SpanKind::save, .begin_s = 128, .end_s = 129, .bytes = 77});
  return given;
}

TEST(Account, LoopsOfPyTorchAreEpochsAndVerifying) {
  const auto account = two_epochs().account();
  EXPECT_THAT(phases(account), ElementsAre("prepare 10-20", "first_step 20-22", "learn 22-24", "verify 25-27",
                                           "learn 30-34", "verify 35-38", "save 38-39"));
  EXPECT_EQ(account.steps_seen, 6);
  ASSERT_EQ(account.steps.size(), 4U);  // not from one epoch to the next
  EXPECT_EQ(account.steps[2].epoch, 2);
  ASSERT_EQ(account.epochs.size(), 2U);
  EXPECT_EQ(account.epochs[0].learnt_s, 4);
  EXPECT_EQ(account.epochs[1].learnt_s, 4);
  EXPECT_EQ(account.learnt_s, 6);
  EXPECT_EQ(account.samples, 50);  // without those of the first step
  EXPECT_EQ(account.saved_bytes, 77);
}

TEST(Account, StepsAloneAreOneStretchThatSavesInterrupt) {
  Given given;
  given.steps(Teller::torch, {110, 111, 112, 115, 116})
      .span(Teller::torch, {.kind = SpanKind::save, .begin_s = 113, .end_s = 114});
  const auto account = given.account();
  EXPECT_THAT(phases(account), ElementsAre("prepare 10-20", "learn 20-23", "save 23-24", "learn 24-26"));
  EXPECT_EQ(account.steps.size(), 3U);  // the one with the save in it is none
  EXPECT_TRUE(account.epochs.empty());
}

TEST(Account, TheProcessThatStepsMostStandsForAll) {
  auto given = two_epochs();
  given.steps(Teller::torch, {112.1, 113.1}, 2)
      .span(Teller::torch, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 114, .steps = 3, .samples = 30},
            2)
      .span(Teller::torch, {.kind = SpanKind::epoch, .begin_s = 120, .end_s = 124, .steps = 3, .samples = 30},
            2);
  const auto account = given.account();
  EXPECT_EQ(account.steps_seen, 6);
  EXPECT_EQ(account.epochs.size(), 2U);
  EXPECT_EQ(account.samples, 100);
}

TEST(Account, OfTwoOptimizersTheOneThatEndsTheIterationStandsForBoth) {
  Given given;  // of 2 s: the first steps after one, the second at its end
  given.steps(Teller::torch, {111, 113, 115, 122, 124, 126}, 1, 0)
      .steps(Teller::torch, {112, 114, 116, 123, 125, 127}, 1, 1)
      .span(Teller::torch, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 116, .steps = 3, .samples = 30})
      .span(Teller::torch,
            {.kind = SpanKind::epoch, .begin_s = 121, .end_s = 127, .steps = 3, .samples = 30});
  const auto account = given.account();
  EXPECT_EQ(account.samples, 50);
  EXPECT_EQ(account.learnt_s, 10);
}

TEST(Account, AnEpochEndsWithTheLastStepOfAnyOptimizer) {
  Given given;  // the second steps in the last iteration only
  given.steps(Teller::torch, {111, 112, 121, 122}, 1, 0)
      .steps(Teller::torch, {123}, 1, 1)
      .span(Teller::torch, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 112, .steps = 2, .samples = 20})
      .span(Teller::torch,
            {.kind = SpanKind::epoch, .begin_s = 120, .end_s = 123, .steps = 2, .samples = 20});
  EXPECT_EQ(given.account().learnt_s, 4);
}

TEST(Account, OptimizersThatFollowEachOtherAreOne) {
  Given given;  // the second has more steps
  given.steps(Teller::torch, {111, 112}, 1, 0)
      .steps(Teller::torch, {121, 122, 123, 124}, 1, 1)
      .span(Teller::torch, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 112, .steps = 2, .samples = 20})
      .span(Teller::torch,
            {.kind = SpanKind::epoch, .begin_s = 120, .end_s = 124, .steps = 4, .samples = 40});
  const auto account = given.account();
  EXPECT_EQ(account.steps_seen, 6);
  EXPECT_EQ(account.samples, 50);
  EXPECT_EQ(account.learnt_s, 5);
}

TEST(Account, KerasIsBelievedBeforePyTorchBelowIt) {
  auto given = two_epochs();
  given.steps(Teller::keras, {112, 113, 114})
      .span(Teller::keras, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 118})
      .span(Teller::keras, {.kind = SpanKind::verify, .begin_s = 115, .end_s = 117});
  const auto account = given.account();
  EXPECT_EQ(account.steps_by, Teller::keras);
  EXPECT_EQ(account.epochs.size(), 1U);
  EXPECT_THAT(phases(account),
              ElementsAre("prepare 10-20", "first_step 20-22", "learn 22-24", "verify 25-27", "save 38-39"));
}

TEST(Account, EpochsWithoutStepsAreLearnt) {
  Given given;
  given.span(Teller::mllog, {.kind = SpanKind::prepare, .begin_s = 101, .end_s = 109}, 0)
      .span(Teller::mllog, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 120}, 0)
      .span(Teller::mllog, {.kind = SpanKind::verify, .begin_s = 120, .end_s = 125}, 0)
      .span(Teller::output, {.kind = SpanKind::epoch, .begin_s = 111, .end_s = 119, .steps = 5}, 0);
  const auto account = given.account();
  EXPECT_THAT(phases(account), ElementsAre("prepare 10-20", "learn 20-30", "verify 30-35"));
  EXPECT_EQ(account.epochs_by, Teller::mllog);
  EXPECT_FALSE(account.steps_by);
  EXPECT_TRUE(account.steps.empty());
}

TEST(Account, ALoopLeftEarlyAndOneBeforeTheFirstStepAreNoVerifying) {
  Given given;
  given.steps(Teller::torch, {112, 113})
      .span(Teller::torch, {.kind = SpanKind::loop, .begin_s = 101, .end_s = 102})
      .span(Teller::torch, {.kind = SpanKind::loop, .begin_s = 114, .end_s = 115, .is_whole = false});
  EXPECT_THAT(phases(given.account()), ElementsAre("prepare 10-22", "learn 22-23"));
}

TEST(Account, NothingToldIsNoPhase) {
  const auto account = Given().account();
  EXPECT_TRUE(account.phases.empty());
  EXPECT_FALSE(account.learning);
}

TEST(Account, OneStepHasNoTime) {
  Given given;
  given.steps(Teller::events, {150}, 0);
  const auto account = given.account();
  EXPECT_THAT(phases(account), ElementsAre("prepare 10-60"));
  EXPECT_EQ(account.steps_seen, 1);
  EXPECT_TRUE(account.steps.empty());
}

TEST(Account, MomentsInAnyOrderAndTwiceAreNoTrouble) {
  Given given;
  given.steps(Teller::events, {114, 112, 112, 113}, 0)
      .span(Teller::events, {.kind = SpanKind::verify, .begin_s = 112.5, .end_s = 112.6}, 0)
      .span(Teller::events, {.kind = SpanKind::verify, .begin_s = 112.5, .end_s = 112.6}, 0);
  const auto account = given.account();
  EXPECT_EQ(account.steps_seen, 4);
  EXPECT_NEAR(account.learnt_s, 1.9, 1e-9);
}

TEST(Account, ACheckpointIsAllFilesThatWereWrittenTogether) {
  Given given;
  given.steps(Teller::torch, {110, 120})
      .span(Teller::torch, {.kind = SpanKind::save, .begin_s = 111, .end_s = 112, .bytes = 500})
      .span(Teller::torch, {.kind = SpanKind::save, .begin_s = 121, .end_s = 122, .bytes = 30})
      .span(Teller::torch, {.kind = SpanKind::save, .begin_s = 122, .end_s = 123, .bytes = 4});
  EXPECT_EQ(given.account().saved_bytes, 34);
}

TEST(Account, TheLastStepOfAnEpochMayBeShort) {
  const auto samples = [](double train_samples) {
    Given given;
    given.steps(Teller::keras, {112, 113, 114})
        .span(Teller::keras, {.kind = SpanKind::epoch, .begin_s = 110, .end_s = 114, .steps = 3});
    given.all.add({.by = Teller::output, .what = Figure{Value::samples_per_step, 32}});
    given.all.add({.by = Teller::events, .what = Figure{Value::train_samples, train_samples}});
    return given.account().samples;
  };
  EXPECT_DOUBLE_EQ(samples(72), 2 * 24);   // 32, 32 and 8
  EXPECT_DOUBLE_EQ(samples(100), 2 * 32);  // those left over were dropped
}

TEST(Account, TheBatchSizeMakesSamplesOfSteps) {
  Given given;
  given.steps(Teller::events, {110, 111, 112}, 0);
  given.all.add({.by = Teller::mllog, .what = Figure{Value::samples_per_step, 32}});
  EXPECT_EQ(given.account().samples, 64);
}

}  // namespace
}  // namespace neph::workload::command
