#include "load/findings.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::load {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t ms = 1'000'000;

/// `count` requests, one every 10 ms from `begin` on, each answered after 4 ms, of which the server says 2.
Measurement steady(std::int64_t count) {
  Measurement measured{.begin = 1000 * ms, .end = 1000 * ms + count * 10 * ms, .scheduled = count};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = measured.begin + i * 10 * ms;
    measured.samples.push_back({.scheduled = at,
                                .issued = at + ms / 10,
                                .sent = at + ms / 5,
                                .first_byte = at + 3 * ms,
                                .done = at + 4 * ms,
                                .server = {0, 0, 0.0005F, 0, 0.0015F, 0}});
  }
  measured.workers = {{{std::chrono::milliseconds(10), {}}, std::chrono::seconds(1)}};
  return measured;
}

RunResult found(const Measurement& measured, const Judging& judging = {}) {
  RunResult result;
  sum_up(measured, judging, 5, result);
  return result;
}

Estimate figure(const RunResult& result, const std::string& name) {
  for (const auto& entry : result.figures)
    if (entry.name == name) return entry.estimate;
  return {};
}
auto warns(WarningCode code, Weight weight) {
  return Contains(AllOf(Field(&Warning::code, code), Field(&Warning::weight, weight)));
}

TEST(Findings, TimesCountFromTheScheduleAndFromTheSending) {
  const auto result = found(steady(500));
  EXPECT_NEAR(figure(result, "response_p50_ms").value, 4, 1e-9);
  EXPECT_NEAR(figure(result, "service_p99_ms").value, 3.8, 1e-9);
  EXPECT_NEAR(figure(result, "issue_delay_p99_ms").value, 0.1, 1e-9);
  EXPECT_NEAR(figure(result, "requests_per_s").value, 100, 1e-9);
  EXPECT_NEAR(figure(result, "offered_per_s").value, 100, 1e-9);
  EXPECT_NEAR(figure(result, "in_flight_mean").value, 0.39, 1e-9);
  EXPECT_TRUE(figure(result, "response_p99_ms").low);
  EXPECT_FALSE(figure(result, "response_p999_ms").low);
  EXPECT_THAT(result.warnings, warns(WarningCode::few_samples, Weight::hint));
  EXPECT_THAT(result.warnings, Not(Contains(Field(&Warning::weight, Weight::voids))));
}

/// Of steady(): 0.1 ms until a request is issued, 1 ms from the reply's beginning to its end.
TEST(Findings, IntervalsReachDownToWhatIsNotTheGeneratorsOwn) {
  const auto is_interval = [](const Estimate& estimate, double low, double high) {
    EXPECT_NEAR(estimate.low.value_or(0), low, 1e-9);
    EXPECT_NEAR(estimate.high.value_or(0), high, 1e-9);
  };
  const auto open = found(steady(500)), closed = found(steady(500), {.closed = true}),
             capped = found(steady(500), {.in_flight = 4});
  is_interval(figure(open, "response_p50_ms"), 2.9, 4);
  is_interval(figure(open, "service_p50_ms"), 2.8, 3.8);
  is_interval(figure(closed, "response_p50_ms"), 3, 4);
  is_interval(figure(capped, "response_p50_ms"), 3, 4);
  auto untold = steady(500);
  for (auto& sample : untold.samples) sample.first_byte = -1;
  is_interval(figure(found(untold), "response_p50_ms"), 3.9, 4);
}

TEST(Findings, StagesAddUpToTheResponseTime) {
  auto measured = steady(100);
  measured.samples[7].done += 2 * ms;
  measured.samples[7].first_byte += 2 * ms;  // something outside of both took longer
  const auto result = found(measured);
  double sum_s = 0;
  for (const auto& stage : result.stages) sum_s += stage.busy_s;
  EXPECT_NEAR(sum_s, 0.4 + 0.002, 1e-6);
  EXPECT_NEAR(figure(result, "unexplained_share").value, 0.002 / 0.402, 1e-6);
  std::vector<std::string> names;
  for (const auto& stage : result.stages) names.push_back(stage.name);
  EXPECT_THAT(
      names, testing::ElementsAre("issue", "connect", "network", "server_decode", "server_queue",
                                  "server_batch", "server_infer", "server_encode", "unexplained", "receive"));
}

TEST(Findings, OutcomesAreCountedApartWithTheirOwnTimes) {
  auto measured = steady(100);
  measured.samples[3].outcome = Outcome::unavailable;
  measured.samples[4].outcome = Outcome::timed_out;
  measured.samples[4].done += 1000 * ms;
  const auto result = found(measured);
  EXPECT_EQ(figure(result, "requests_answered").value, 98);
  EXPECT_EQ(figure(result, "requests_unavailable").value, 1);
  EXPECT_NEAR(figure(result, "timed_out_p50_ms").value, 1004, 1e-6);
  EXPECT_NEAR(figure(result, "response_max_ms").value, 4, 1e-9) << "what failed is in no answer's percentile";
  EXPECT_THAT(result.warnings, warns(WarningCode::requests_failed, Weight::doubt));
  EXPECT_TRUE(std::isnan(result.samples[4].values[3])) << "done_s of a failed request";
}

TEST(Findings, ARunWithoutAnyAnswerIsInvalid) {
  auto measured = steady(10);
  for (auto& sample : measured.samples) sample.outcome = Outcome::failed;
  EXPECT_THAT(found(measured).warnings, warns(WarningCode::requests_failed, Weight::voids));
}

TEST(Findings, RepliesToNothingMakeARunInvalid) {
  auto measured = steady(500);
  measured.stray_replies = 1;
  for (const bool closed : {false, true})
    EXPECT_THAT(found(measured, {.closed = closed}).warnings,
                warns(WarningCode::stray_replies, Weight::voids));
  EXPECT_NE(not_of_the_server(generator_doubts(measured, {})), nullptr) << "a search does not count it";
}

TEST(Findings, TheGeneratorThatMissesItsScheduleSaysSo) {
  auto measured = steady(100);
  for (std::size_t i = 10; i < 13; ++i) {  // of 100: in no percentile that has an interval
    measured.samples[i].issued += 5 * ms;
    measured.samples[i].done += 5 * ms;
  }
  EXPECT_THAT(found(measured).warnings, Not(Contains(Field(&Warning::code, WarningCode::schedule_missed))));
  for (std::size_t i = 20; i < 40; ++i) {
    measured.samples[i].issued += 5 * ms;
    measured.samples[i].done += 5 * ms;
  }
  EXPECT_THAT(found(measured).warnings, warns(WarningCode::schedule_missed, Weight::voids));
  EXPECT_THAT(found(measured, {.closed = true}).warnings,
              Not(Contains(Field(&Warning::code, WarningCode::schedule_missed))));
  measured = steady(100);
  measured.scheduled = 120;
  EXPECT_THAT(found(measured).warnings, warns(WarningCode::schedule_missed, Weight::voids));
}

/// Each issued, and done, so much later.
Measurement slipped(Measurement measured, std::int64_t by) {
  for (auto& sample : measured.samples) {
    sample.issued += by;
    sample.done += by;
  }
  return measured;
}

/// Seen: 0.2 ms of a thread's waking up, called the bottleneck at 50 requests a second.
TEST(Findings, ALateWakeUpIsTheMachinesAndNoBusyGenerator) {
  const auto late = slipped(steady(400), 3 * ms / 10);
  const auto told = found(late).warnings;
  EXPECT_THAT(told, warns(WarningCode::late_wakeups, Weight::doubt));
  EXPECT_THAT(told, Not(Contains(Field(&Warning::code, WarningCode::schedule_missed))));
  EXPECT_THAT(told, Contains(Field(&Warning::advice, HasSubstr("a lower rate does not help"))));
  auto worse = slipped(steady(400), 3 * ms / 10);
  for (std::size_t i = 0; i < 50; ++i) {
    worse.samples[i].issued += 20 * ms;
    worse.samples[i].done += 20 * ms;
  }
  EXPECT_THAT(found(worse).warnings, warns(WarningCode::schedule_missed, Weight::voids))
      << "the p50 is only late";
  auto busy = late;
  busy.workers = {{{std::chrono::milliseconds(700), {}}, std::chrono::seconds(1)}};
  EXPECT_THAT(found(busy).warnings, warns(WarningCode::schedule_missed, Weight::voids));
}

TEST(Findings, ASlipIsHeldAgainstTheLimitThatIsPromised) {
  const auto slip = slipped(steady(400), ms / 2);  // of 4 ms
  EXPECT_THAT(found(slip).warnings, warns(WarningCode::late_wakeups, Weight::doubt));
  EXPECT_THAT(found(slip, {.promise = {.limit_s = 0.02}}).warnings,
              Not(Contains(Field(&Warning::code, WarningCode::late_wakeups))));
  EXPECT_THAT(found(slipped(steady(400), 3 * ms), {.promise = {.limit_s = 0.02}}).warnings,
              warns(WarningCode::schedule_missed, Weight::voids));
  EXPECT_EQ(not_of_the_server(generator_doubts(slip, {.promise = {.limit_s = 0.02}})), nullptr);
}

TEST(Findings, TheGeneratorThatIsTheBottleneckSaysSo) {
  auto measured = steady(100);
  measured.workers.push_back(
      {{std::chrono::milliseconds(600), std::chrono::milliseconds(350)}, std::chrono::seconds(1)});
  EXPECT_THAT(found(measured).warnings, warns(WarningCode::generator_saturated, Weight::voids));
}

TEST(Findings, AReachedLimitInFlightIsToldInsteadOfASlip) {
  auto measured = steady(100);
  for (auto& sample : measured.samples) sample.issued += 3 * ms;
  measured.held_back = 103;
  measured.cut_off = 4;  // by the user: they waited too
  const auto result = found(measured, {.in_flight = 4});
  EXPECT_THAT(result.warnings, Contains(Field(&Warning::message, HasSubstr("103 of 104 requests waited"))));
  EXPECT_THAT(result.warnings, warns(WarningCode::in_flight_reached, Weight::doubt));
  EXPECT_THAT(result.warnings, Not(Contains(Field(&Warning::code, WarningCode::schedule_missed))));
}

/// Seen: "violated at 16.1" and "18.5 offered", though 40/s were scheduled.
TEST(Findings, AHeldBackLoopTellsNothingOfTheServer) {
  auto measured = steady(400);
  for (std::int64_t i = 0; i < 400; ++i) {
    auto& sample = measured.samples[static_cast<std::size_t>(i)];
    sample.issued += i * 5 * ms;
    sample.done += i * 5 * ms;
  }
  measured.held_back = 390;
  measured.end += 2000 * ms;  // until the last was sent
  measured.offered_s = 4;
  const Judging judging{.in_flight = 2, .promise = {.q = 0.99, .limit_s = 0.02}};
  const auto result = found(measured, judging);
  for (const auto blame : {WarningCode::overloaded, WarningCode::promise_broken})
    EXPECT_THAT(result.warnings, Not(Contains(Field(&Warning::code, blame)))) << enum_name(blame);
  EXPECT_NEAR(figure(result, "offered_per_s").value, 100, 1e-6) << "as scheduled";
  ASSERT_NE(not_of_the_server(generator_doubts(measured, judging)), nullptr);
}

TEST(Findings, WhatTheUserCutOffIsToldAndCountsForNothing) {
  auto measured = steady(80);
  measured.stopped = true;
  measured.cut_off = 8;
  measured.cut_off_after_s = 1.5;
  const auto told = found(measured).warnings;
  EXPECT_THAT(told, Contains(Field(&Warning::message,
                                   HasSubstr("80 requests; 8 more were under way, for up to 1.50 s"))));
  EXPECT_THAT(told, Not(Contains(Field(&Warning::code, WarningCode::requests_failed))));
}

/// Seen: "offered 4.00, answered 4.25". Of the two that were carried over one stands for the last, which
/// ended too late.
TEST(Findings, NoMoreIsAnsweredThanWasAsked) {
  auto measured = steady(100);
  measured.samples.back().done = measured.end + ms;
  for (const std::int64_t at : {-20 * ms, -10 * ms})
    measured.carried_over.push_back({.scheduled = measured.begin + at, .done = measured.begin + 2 * ms});
  EXPECT_NEAR(figure(found(measured), "requests_per_s").value, 100, 1e-6);
  EXPECT_NEAR(figure(found(measured), "offered_per_s").value, 100, 1e-6);
}

TEST(Findings, NothingIsOfferedInAClosedLoop) {
  EXPECT_TRUE(std::isnan(figure(found(steady(100), {.closed = true}), "offered_per_s").value));
}

TEST(Findings, AQueueThatGrowsIsTold) {
  auto measured = steady(400);
  for (std::int64_t i = 0; i < 400; ++i) measured.samples[static_cast<std::size_t>(i)].done += i * 2 * ms;
  EXPECT_THAT(found(measured).warnings, warns(WarningCode::overloaded, Weight::doubt));
  EXPECT_THAT(found(measured).warnings, warns(WarningCode::unsteady, Weight::doubt));
}

/// 200 a second at a server that does 100, for a second before and two while it is measured.
TEST(Findings, AQueueThatHasGrownDuringTheWarmupStillGrows) {
  Measurement measured{.begin = 1000 * ms, .end = 3000 * ms, .scheduled = 400};
  for (std::int64_t i = 0; i < 600; ++i) {
    const auto due = i * 5 * ms;
    auto& kept = due < measured.begin ? measured.carried_over : measured.samples;
    kept.push_back({.scheduled = due, .issued = due, .sent = due, .done = (i + 1) * 10 * ms});
  }
  EXPECT_THAT(found(measured).warnings, warns(WarningCode::overloaded, Weight::doubt));
  EXPECT_THAT(found(measured).warnings,
              Contains(Field(&Warning::message, HasSubstr("300 of 400 requests had no reply"))));
}

/// Each waits for those before it.
TEST(Findings, WhatComesTogetherIsNotUnsteadyForTakingLonger) {
  auto measured = steady(400);
  for (std::int64_t i = 0; i < 400; ++i) {
    auto& sample = measured.samples[static_cast<std::size_t>(i)];
    const auto at = measured.begin;
    sample = {.scheduled = at, .issued = at, .sent = at, .done = at + (i + 1) * ms};
  }
  EXPECT_THAT(found(measured, {.all_at_once = true, .by_count = true}).warnings,
              Not(Contains(Field(&Warning::code, WarningCode::unsteady))));
  EXPECT_THAT(found(measured).warnings,
              Contains(Field(&Warning::message, HasSubstr("times as long at the end"))));
}

/// `count` requests at 200 a second, `together` at a time, at a server that answers 100 a second.
Measurement overloaded(std::int64_t count, std::int64_t together = 1) {
  Measurement measured{.scheduled = count};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto due = i / together * together * 5 * ms;
    measured.samples.push_back({.scheduled = due, .issued = due, .sent = due, .done = (i + 1) * 10 * ms});
  }
  measured.end = measured.samples.back().scheduled;
  return measured;
}

TEST(Findings, WhatWasOfferedDoesNotDependOnHowLongTheRepliesTake) {
  for (const std::int64_t together : {1, 4}) {
    const auto result = found(overloaded(100, together), {.by_count = true});
    EXPECT_NEAR(figure(result, "offered_per_s").value, 200, 1e-6) << together;
    EXPECT_NEAR(figure(result, "requests_per_s").value, 100, 1e-6) << together;
  }
  EXPECT_THAT(found(overloaded(1000), {.by_count = true}).warnings,
              warns(WarningCode::overloaded, Weight::doubt));
}

TEST(Findings, AScheduleThatWasGivenUpOfferedItsWholeRate) {
  auto measured = steady(95);
  measured.scheduled = 100;
  measured.held_back = 5;
  measured.offered_s = 1;
  EXPECT_NEAR(figure(found(measured, {.in_flight = 1}), "offered_per_s").value, 100, 1e-6);
}

/// The last arrival counts with its gap on both sides.
TEST(Findings, AServerThatKeepsUpAnswersWhatACountOffers) {
  auto measured = steady(5);
  measured.end = measured.samples.back().scheduled;
  const auto result = found(measured, {.by_count = true});
  EXPECT_NEAR(figure(result, "offered_per_s").value, 100, 1e-6);
  EXPECT_NEAR(figure(result, "requests_per_s").value, 100, 1e-6);
}

/// Half a second each at 100 a second: 50 are in flight at any time, and no queue grows.
TEST(Findings, ASlowServerIsNotOverloaded) {
  auto measured = steady(400);
  for (auto& sample : measured.samples) sample.done += 500 * ms;
  EXPECT_THAT(found(measured).warnings, Not(Contains(Field(&Warning::code, WarningCode::overloaded))));
}

TEST(Findings, ARunThatTellsOfTheGeneratorBlamesNoServer) {
  auto measured = steady(400);
  for (std::int64_t i = 0; i < 400; ++i) measured.samples[static_cast<std::size_t>(i)].done += i * 2 * ms;
  measured.scheduled = 500;
  const auto result = found(measured, {.promise = {.q = 0.99, .limit_s = 0.02}});
  EXPECT_THAT(result.warnings, warns(WarningCode::schedule_missed, Weight::voids));
  for (const auto blame : {WarningCode::overloaded, WarningCode::promise_broken})
    EXPECT_THAT(result.warnings, Not(Contains(Field(&Warning::code, blame)))) << enum_name(blame);
  EXPECT_GT(figure(result, "late_share").value, 0.5) << "what was measured stays";
}

TEST(Findings, GoodputCountsWhatKeepsThePromise) {
  auto measured = steady(1000);
  for (std::size_t i = 0; i < 1000; i += 20) measured.samples[i].done += 50 * ms;
  const auto result = found(measured, {.promise = {.q = 0.99, .limit_s = 0.02}});
  EXPECT_NEAR(figure(result, "goodput_per_s").value, 95, 0.2);
  const auto late = figure(result, "late_share");
  EXPECT_NEAR(late.value, 0.05, 1e-9);
  EXPECT_LT(*late.low, 0.05);
  EXPECT_GT(*late.high, 0.05);
  EXPECT_THAT(result.warnings, warns(WarningCode::promise_broken, Weight::hint));
}

/// Seen: "promise broken" beside a headline that called the same counts inconclusive.
TEST(Findings, AFewLateOnesBreakNoPromise) {
  auto measured = steady(100);
  for (const std::size_t i : {10, 60}) measured.samples[i].done += 50 * ms;
  const auto result = found(measured, {.promise = {.q = 0.99, .limit_s = 0.02}});
  EXPECT_NEAR(figure(result, "late_share").value, 0.02, 1e-9);
  EXPECT_EQ(figure(result, "requests_late").value, 2);
  EXPECT_THAT(result.warnings, Not(Contains(Field(&Warning::code, WarningCode::promise_broken))));
}

TEST(Findings, AClosedLoopIsLabelled) {
  EXPECT_THAT(found(steady(100), {.closed = true}).warnings, warns(WarningCode::closed_loop, Weight::hint));
}

TEST(Findings, RawSamplesStandInTheRunsTime) {
  const auto result = found(steady(10));
  ASSERT_EQ(result.samples.front().name, "scheduled_s");
  EXPECT_DOUBLE_EQ(result.samples.front().values.front(), 6);
}

}  // namespace
}  // namespace neph::load
