#include <limits>

#include <gmock/gmock.h>

#include "core/json.hpp"
#include "experiment/experiment.hpp"

namespace neph::experiment {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

Experiment two_batches() {
  return {
      .workload = "infer", .spec = Json::object(), .factors = {{"batch", {1, 8}}}, .repeat = 5, .seed = 1};
}

neph::Run rate_run(std::int64_t cell, std::int64_t repeat, double images_per_s) {
  neph::Run run{.cell = cell, .repeat = repeat, .position = repeat};
  run.result.figures = {
      {"images_per_s",
       "pictures/s",
       {.value = images_per_s, .low = images_per_s - 1, .high = images_per_s + 1, .n = 20}}};
  return run;
}

std::vector<neph::Run> rate_runs(const std::vector<double>& rates) {
  std::vector<neph::Run> runs;
  for (const double rate : rates) runs.push_back(rate_run(0, std::ssize(runs), rate));
  return runs;
}

std::vector<std::string> codes(const CellSummary& summary) {
  std::vector<std::string> found;
  for (const auto& warning : summary.warnings) found.emplace_back(enum_name(warning.code));
  return found;
}

TEST(Summary, FiguresAreMeansOverTheRepeats) {
  const auto summary = summarise(two_batches(), rate_runs({100, 101, 99, 100.5, 99.5})).at(0);
  const auto& rate = summary.figures.at("images_per_s");
  // scipy.stats.t.interval(0.95, 4, 100, scipy.stats.sem([100, 101, 99, 100.5, 99.5])) = (99.018, 100.982)
  EXPECT_DOUBLE_EQ(rate.value, 100);
  EXPECT_NEAR(*rate.low, 99.018, 1e-3);
  EXPECT_NEAR(*rate.high, 100.982, 1e-3);
  EXPECT_EQ(rate.n, 5);
  EXPECT_EQ(summary.runs_ok, 5);
  EXPECT_EQ(summary.verdict, Verdict::valid);
  EXPECT_THAT(summary.warnings, IsEmpty());
}

TEST(Summary, NothingIsSaidOfRunsOnOneMachine) {
  auto runs = rate_runs({100, 101, 99, 100.5, 99.5});
  for (auto& run : runs) run.machine_id = 3;
  runs[1].machine_id.reset();  // not known is not another
  runs.push_back(runs[0]);
  runs.back().machine_id = 4;
  runs.back().status = RunStatus::failed;  // it is in no figure
  auto summaries = summarise(two_batches(), runs);
  const auto before = codes(summaries[0]);
  check_machines(summaries, runs);
  EXPECT_EQ(codes(summaries[0]), before);
}

TEST(Summary, CellsOnDifferentMachinesAreDoubtful) {
  auto runs = rate_runs({100, 101, 99, 100.5, 99.5});
  for (std::int64_t repeat = 0; repeat < 5; ++repeat)
    runs.push_back(rate_run(1, repeat, 200 + static_cast<double>(repeat) / 10));
  for (auto& run : runs) run.machine_id = run.cell == 0 ? 3 : 4;
  auto summaries = summarise(two_batches(), runs);
  check_machines(summaries, runs);
  for (const auto& summary : summaries) {
    EXPECT_THAT(codes(summary), ElementsAre("machines_differ"));
    EXPECT_EQ(summary.verdict, Verdict::doubtful);
  }
  EXPECT_THAT(summaries[0].warnings[0].message, HasSubstr("of this configuration 5 on machine #3"));
  EXPECT_THAT(summaries[1].warnings[0].message, HasSubstr("of this configuration 5 on machine #4"));
}

TEST(Summary, OneRunSpeaksForItself) {
  const auto summary = summarise(two_batches(), rate_runs({100})).at(0);
  EXPECT_EQ(summary.figures.at("images_per_s").low, 99);
  EXPECT_EQ(summary.figures.at("images_per_s").n, 1) << "its 20 stretches are not runs";
}

TEST(Summary, CellsWithoutRunsAreThereAndInvalid) {
  const auto summaries = summarise(two_batches(), rate_runs({100}));
  ASSERT_THAT(summaries, SizeIs(2));
  EXPECT_EQ(summaries[1].cell.label, "batch 8");
  EXPECT_EQ(summaries[1].runs_ok, 0);
  EXPECT_EQ(summaries[1].verdict, Verdict::invalid);
}

TEST(Summary, FailedRunsAreCountedWithEachReasonOnceAndInterruptedOnesAreNot) {
  auto runs = rate_runs({100, 100, 1, 1, 1, 1});
  for (std::size_t i = 2; i < 6; ++i) runs[i].status = RunStatus::failed;
  runs[2].reason = runs[3].reason = "was killed by SIGKILL";
  runs[4].reason = "took too long";
  runs[5].status = RunStatus::interrupted;
  const auto summary = summarise(two_batches(), runs).at(0);
  EXPECT_EQ(summary.runs_ok, 2);
  EXPECT_EQ(summary.runs_failed, 3);
  EXPECT_THAT(summary.failures, ElementsAre("was killed by SIGKILL", "took too long"));
  EXPECT_EQ(summary.figures.at("images_per_s").value, 100);
  EXPECT_THAT(codes(summary), ElementsAre("some_runs_failed"));
  EXPECT_EQ(summary.verdict, Verdict::doubtful);
}

TEST(Summary, ACellWhoseRunsAllFailedHasNoFiguresToDoubt) {
  auto runs = rate_runs({1, 1});
  for (auto& run : runs) run.status = RunStatus::failed;
  const auto summary = summarise(two_batches(), runs).at(0);
  EXPECT_EQ(summary.verdict, Verdict::invalid);
  EXPECT_THAT(codes(summary), IsEmpty());
}

TEST(Summary, LatencyQuantilesPoolAllSamples) {
  auto runs = rate_runs({100, 100});
  for (std::size_t i = 0; i < 2; ++i) {
    Column issued{"issued_s", {}};
    Column done{"done_s", {}};
    for (int sample = 0; sample < 50; ++sample) {
      issued.values.push_back(sample);
      done.values.push_back(sample + 1e-3 * (sample + 1 + 50.0 * static_cast<double>(i)));  // 1 to 100 ms
    }
    runs[i].result.samples = {issued, done};
  }
  const auto latency = summarise(two_batches(), runs).at(0).latency_ms;
  EXPECT_THAT(latency, SizeIs(5));
  EXPECT_NEAR(latency.at("p50").value, 50.5, 1e-9);  // numpy.quantile(range(1, 101), 0.5)
  EXPECT_NEAR(latency.at("p90").value, 90.1, 1e-9);
  EXPECT_NEAR(latency.at("p95").value, 95.05, 1e-9);
  EXPECT_EQ(latency.at("p50").n, 100);
  EXPECT_FALSE(latency.at("p999").high) << "100 samples say nothing about p99.9";

  runs[0].result.samples.insert(runs[0].result.samples.begin(), {"scheduled_s", std::vector<double>(50, -1)});
  EXPECT_GT(summarise(two_batches(), runs).at(0).latency_ms.at("p50").value, 100) << "from the schedule";
}

TEST(Summary, RepeatsMakeNoPercentileOfRunsWithTooFewSamples) {
  auto runs = rate_runs({100, 100, 100});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double ms = 40 + static_cast<double>(i);
    runs[i].result.figures.push_back(
        {"response_p50_ms", "ms", {.value = ms, .low = ms - 1, .high = ms + 1, .n = 90}});
    runs[i].result.figures.push_back({"response_p99_ms", "ms", {.value = 2 * ms, .n = 90}});
  }
  const auto figures = summarise(two_batches(), runs).at(0).figures;
  EXPECT_TRUE(figures.at("response_p50_ms").low);
  EXPECT_EQ(figures.at("response_p99_ms").value, 82);
  EXPECT_FALSE(figures.at("response_p99_ms").low) << "a mean of three largest samples";
}

TEST(Summary, PhasesAndStagesAreMeans) {
  auto runs = rate_runs({100, 100});
  runs[0].result.phases = {{"load", 0, 1}, {"measure", 1, 2}, {"measure", 3, 5}};
  runs[1].result.phases = {{"load", 0, 3}, {"measure", 1, 2}, {"measure", 3, 5}};
  runs[0].result.stages = {{"decode", 1, 500}, {"write", 1, 0}};
  runs[1].result.stages = {{"decode", 2, 500}};
  const auto summary = summarise(two_batches(), runs).at(0);
  EXPECT_DOUBLE_EQ(summary.phases_s.at("load").value, 2);
  EXPECT_DOUBLE_EQ(summary.phases_s.at("measure").value, 3);
  EXPECT_DOUBLE_EQ(summary.stages_ms.at("decode").value, 3);
  EXPECT_EQ(summary.stages_ms.count("write"), 0u) << "nothing went through it";
}

TEST(Summary, TelemetryIsMeanOfMeansAndExtremesOfExtremes) {
  auto runs = rate_runs({100, 100, 100});
  runs[0].result.telemetry = {{"machine", "cpu", "cores", 1.0, 4.0, 0.5, ""},
                              {"gpu0", "power", "watt", {}, {}, {}, "no GPU"}};
  runs[1].result.telemetry = {{"machine", "cpu", "cores", 3.0, 3.5, 0.1, ""}};
  runs[2].result.telemetry = {{"machine", "cpu", "cores", {}, {}, {}, "/proc vanished"}};
  const auto telemetry = summarise(two_batches(), runs).at(0).telemetry;
  ASSERT_THAT(telemetry, SizeIs(2));
  EXPECT_EQ(telemetry[0].mean, 2.0);
  EXPECT_EQ(telemetry[0].max, 4.0);
  EXPECT_EQ(telemetry[0].min, 0.1);
  EXPECT_EQ(telemetry[0].unavailable, "");
  EXPECT_EQ(telemetry[1].mean, std::nullopt) << "unavailable is not 0";
  EXPECT_EQ(telemetry[1].unavailable, "no GPU");
}

TEST(Summary, KeepsTheFactsOnWhichAllRunsAgree) {
  auto runs = rate_runs({100, 100});
  runs[0].result.facts = {{"precision", "bf16"}, {"streams", "1"}, {"only", "here"}};
  runs[1].result.facts = {{"precision", "bf16"}, {"streams", "2"}};
  EXPECT_THAT(summarise(two_batches(), runs).at(0).facts, ElementsAre(Pair("precision", "bf16")));
}

TEST(Summary, WarningsAreMergedWithTheNumberOfRuns) {
  auto runs = rate_runs({100, 100, 100});
  runs[0].result.warnings = {{WarningCode::stolen, "12 % stolen", "ask for a core"}};
  runs[2].result.warnings = {{WarningCode::stolen, "15 % stolen", "ask for a core", Weight::voids},
                             {WarningCode::stolen, "again", ""}};
  const auto summary = summarise(two_batches(), runs).at(0);
  ASSERT_THAT(summary.warnings, SizeIs(1));
  EXPECT_EQ(summary.warnings[0].message, "12 to 15 % stolen (in 2 of 3 runs)");
  EXPECT_EQ(summary.verdict, Verdict::invalid);
}

TEST(Summary, AHintLeavesACellValid) {
  auto runs = rate_runs({100, 100, 100});
  runs[0].result.warnings = {{WarningCode::governor_not_performance, "powersave", "set it", Weight::hint}};
  EXPECT_EQ(summarise(two_batches(), runs).at(0).verdict, Verdict::valid);
  runs[1].result.warnings = {{WarningCode::stolen, "12 % stolen", "ask for a core"}};
  const auto summary = summarise(two_batches(), runs).at(0);
  EXPECT_THAT(codes(summary), ElementsAre("governor_not_performance", "stolen"));
  EXPECT_EQ(summary.verdict, Verdict::doubtful);
}

TEST(Summary, RepeatsAreCountedFromOneForPeople) {
  const auto summary =
      summarise(two_batches(), rate_runs({100, 100.1, 99.9, 100, 100.2, 99.8, 100, 100.1, 99.9, 103})).at(0);
  ASSERT_THAT(codes(summary), ElementsAre("outlier_runs"));
  EXPECT_THAT(summary.warnings[0].message, HasSubstr("in repeat #10 with 103"));
}

TEST(Summary, NoIntervalOfARateGoesBelowZero) {
  const auto summary = summarise(two_batches(), rate_runs({20, 60})).at(0);
  // scipy.stats.t.interval(0.95, 1, 40, 20) = (-214.1, 294.1)
  const auto& rate = summary.figures.at("images_per_s");
  EXPECT_EQ(rate.low, 0);
  EXPECT_NEAR(*rate.high, 294.1, 0.1);
  ASSERT_THAT(codes(summary), ElementsAre("wide_interval"));
  EXPECT_THAT(summary.warnings[0].message, HasSubstr("635 %")) << "of the side that was not cut off";
}

TEST(Summary, DoubtsAboutTheRepeats) {
  const auto warned = [](const std::vector<double>& rates) {
    return codes(summarise(two_batches(), rate_runs(rates)).at(0));
  };
  EXPECT_THAT(warned({100, 130, 80, 110, 95}), ElementsAre("wide_interval"));
  EXPECT_THAT(warned({100, 100.1, 99.9, 100, 100.2, 99.8, 100, 100.1, 99.9, 103}),
              ElementsAre("outlier_runs"));
  EXPECT_THAT(warned({100, 99, 98.2, 97.1, 96, 95.3, 94}), ElementsAre("drift_over_runs"));

  // Seen: the ten stretches of one run, printed as ten runs.
  EXPECT_THAT(warned({100}), ElementsAre("few_repeats"));
  EXPECT_EQ(summarise(two_batches(), rate_runs({100})).at(0).figures.at("images_per_s").n, 1);
  auto one = rate_runs({100});
  one[0].result.figures[0].estimate = {.value = 100, .n = 1};
  EXPECT_THAT(codes(summarise(two_batches(), one).at(0)), ElementsAre("few_repeats"));
}

TEST(Summary, AsksForMoreRequestsAndNotRepeatsWhereAPercentileHasNoInterval) {
  auto runs = rate_runs({100, 101, 102, 100, 101});
  for (auto& run : runs) run.result.figures = {{"response_p50_ms", "ms", {.value = 40, .n = 4}}};
  for (const std::size_t count : {5, 1}) {
    runs.resize(count);
    const auto warnings = summarise(two_batches(), runs).at(0).warnings;
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_EQ(warnings[0].code, WarningCode::few_requests);
    EXPECT_EQ(warnings[0].message, "p50 response time has no interval: a run has too few requests");
    EXPECT_EQ(warnings[0].advice, "a longer --duration or a higher --count");
  }
}

TEST(Summary, DriftFollowsTheOrderOfRunsAndNotOfRepeats) {
  auto runs = rate_runs({100, 99, 98.2, 97.1, 96, 95.3, 94});
  const std::vector<std::int64_t> shuffled{3, 0, 6, 1, 5, 2, 4};
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].position = shuffled[i];
  EXPECT_THAT(codes(summarise(two_batches(), runs).at(0)), IsEmpty());
}

TEST(Summary, NumbersThatAreNotFiniteDoNotSpreadIntoMeans) {
  auto runs = rate_runs({100, 102});
  runs.push_back(rate_run(0, 2, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_DOUBLE_EQ(summarise(two_batches(), runs).at(0).figures.at("images_per_s").value, 101);
}

TEST(Agreement, RepeatsThatAnswerDifferently) {
  auto runs = rate_runs({100, 100, 100, 100});
  for (auto& run : runs) run.result.outputs_checksum = "abc";
  EXPECT_EQ(summarise(two_batches(), runs).at(0).outputs_checksum, "abc");
  runs[3].result.outputs_checksum = "abd";
  const auto summary = summarise(two_batches(), runs).at(0);
  EXPECT_EQ(summary.outputs_checksum, "differs");
  EXPECT_THAT(codes(summary), ElementsAre("answers_differ"));
}

TEST(Agreement, CellsThatShouldAnswerAlike) {
  Experiment experiment{.spec = Json::object(),
                        .factors = {{"precision", {"f32", "bf16"}}, {"batch", {1, 8}}}};
  std::vector<neph::Run> runs;
  for (std::int64_t cell = 0; cell < 4; ++cell) {
    runs.push_back(rate_run(cell, 0, 100));
    runs.back().result.outputs = {1, 2, 3, cell == 1 ? 5 : 4};
    runs.back().result.outputs_checksum = cell == 1 ? "b" : cell >= 2 ? "c" : "a";
  }
  auto summaries = summarise(experiment, runs);
  check_agreement(summaries, runs, {"precision", "model"});
  EXPECT_THAT(codes(summaries[0]), ElementsAre("few_repeats"));
  EXPECT_THAT(codes(summaries[1]), ElementsAre("few_repeats", "answers_differ"));
  EXPECT_EQ(summaries[1].verdict, Verdict::doubtful);
  EXPECT_THAT(
      summaries[1].warnings[1].message,
      HasSubstr("'precision f32, batch 8' and 'precision f32, batch 1' should answer alike, but 1 of 4"));
  EXPECT_THAT(codes(summaries[2]), ElementsAre("few_repeats")) << "another precision may answer otherwise";
  EXPECT_THAT(codes(summaries[3]), ElementsAre("few_repeats"));
}

/// Items 1 and 2 answer otherwise in the second run of each.
TEST(Agreement, RoundingMayExchangeCloseClasses) {
  auto runs = rate_runs({100, 100, 100, 100});
  for (auto& run : runs) {
    run.result.outputs = {1, 2, 3};
    run.result.outputs_checksum = "a";
  }
  runs[1].result.outputs = {1, 7, 8};
  runs[1].result.outputs_checksum = "b";
  const auto codes_with = [&](std::string close_here, std::string close_there) {
    runs[0].result.facts["close_answers"] = std::move(close_here);
    runs[1].result.facts["close_answers"] = std::move(close_there);
    return codes(summarise(two_batches(), runs).at(0));
  };
  EXPECT_THAT(codes_with("0", "1"), ElementsAre("answers_differ"));
  EXPECT_THAT(codes_with("", "12"), ElementsAre("answers_differ"));
  EXPECT_THAT(codes_with("2", "0,1"), IsEmpty());
  EXPECT_THAT(codes_with("", "1,2"), IsEmpty());
}

TEST(Agreement, CellsThatSawOtherPictures) {
  Experiment experiment{.spec = Json::object(), .factors = {{"files", {"on", "off"}}, {"batch", {1, 8}}}};
  std::vector<neph::Run> runs;
  for (std::int64_t cell = 0; cell < 4; ++cell) {
    runs.push_back(rate_run(cell, 0, 100));
    runs.back().result.facts = {{"distinct_pictures", cell < 2 ? "500" : "20"}};
    runs.back().result.outputs_checksum = cell < 2 ? "a" : cell == 2 ? "b" : "c";
  }
  auto summaries = summarise(experiment, runs);
  check_agreement(summaries, runs, {"model"});
  EXPECT_THAT(codes(summaries[2]), ElementsAre("few_repeats")) << "memory held 20 of the 500";
  EXPECT_THAT(codes(summaries[3]), ElementsAre("few_repeats", "answers_differ")) << "both held the same 20";
}

}  // namespace
}  // namespace neph::experiment
