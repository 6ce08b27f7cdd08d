#include "compare/sides.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "compare/noise.hpp"
#include "compare/sample_source_test.hpp"

namespace neph::compare {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::vector<double> steady{100, 101, 99, 100.5, 99.5, 100.2};

std::vector<double> times(double factor, std::vector<double> values) {
  for (auto& value : values) value *= factor;
  return values;
}

Comparison compared(const Source& baseline, const Source& candidate, const CompareOptions& options = {}) {
  auto result = compare(baseline, candidate, options);
  EXPECT_TRUE(result) << result.error().text();
  return result.value_or(Comparison{});
}

Comparison compared(double factor, const CompareOptions& options = {}) {
  return compared(source_with("yesterday", {configuration_of("all", steady)}),
                  source_with("today", {configuration_of("all", times(factor, steady))}), options);
}

std::string refused(const Source& baseline, const Source& candidate, const CompareOptions& options = {}) {
  const auto result = compare(baseline, candidate, options);
  return result ? "" : result.error().text();
}

TEST(Compare, HasFourVerdicts) {
  EXPECT_EQ(compared(0.9).rows.at(0).outcome, Outcome::worse);
  EXPECT_EQ(compared(1.1).rows.at(0).outcome, Outcome::better);
  EXPECT_EQ(compared(1.001).rows.at(0).outcome, Outcome::equivalent);
  const auto wide = compared(source_with("yesterday", {configuration_of("all", {80, 100, 120})}),
                             source_with("today", {configuration_of("all", {75, 96, 118})}));
  EXPECT_EQ(wide.rows.at(0).outcome, Outcome::undecided);
  EXPECT_GT(wide.rows.at(0).smallest_effect, 0.1);
}

TEST(Compare, CallsATimeThatGrowsWorse) {
  auto baseline = configuration_of("all", {}), candidate = baseline;
  for (std::size_t i = 0; i < steady.size(); ++i) {
    baseline.runs.push_back({.metrics = {{"time_s", steady[i]}}});
    candidate.runs.push_back({.metrics = {{"time_s", 1.1 * steady[i]}}});
  }
  EXPECT_EQ(compared(source_with("a", {baseline}), source_with("b", {candidate})).rows.at(0).outcome,
            Outcome::worse);
}

TEST(Compare, GivesTheInverseWhenTheSidesChangePlaces) {
  const auto one = source_with("a", {configuration_of("all", steady)}),
             other = source_with("b", {configuration_of("all", times(0.93, steady))});
  const auto there = compared(one, other).rows.at(0).ratio, back = compared(other, one).rows.at(0).ratio;
  EXPECT_NEAR(there.value * back.value, 1, 1e-12);
  EXPECT_NEAR(*there.low * *back.high, 1, 1e-12);
}

TEST(Compare, OfOneRunIsUndecided) {
  const auto row = compared(source_with("a", {configuration_of("all", {100})}),
                            source_with("b", {configuration_of("all", {50})}))
                       .rows.at(0);
  EXPECT_EQ(row.outcome, Outcome::undecided);
  EXPECT_FALSE(row.ratio.low);
}

TEST(Compare, PairsRunsOfTheSameBlocks) {
  // Blocks differ by far more than the sides do.
  const std::vector<double> drifting{100, 50, 150, 80, 200, 120};
  auto baseline = source_with("a", {configuration_of("engine one", drifting)}),
       candidate = source_with("b", {configuration_of("engine two", times(0.95, drifting))});
  candidate.configurations[0].runs[2].metrics["images_per_s"] *= 1.01;
  EXPECT_EQ(compared(baseline, candidate).rows.at(0).outcome, Outcome::undecided);
  baseline.identity = candidate.identity = "one experiment";
  const auto row = compared(baseline, candidate).rows.at(0);
  EXPECT_TRUE(row.is_paired);
  EXPECT_EQ(row.outcome, Outcome::worse);
  EXPECT_EQ(row.ratio.n, 6);
}

TEST(Compare, SaysThatOthersWereNotMeasuredSideBySide) {
  EXPECT_THAT(compared(1).notes, Contains(HasSubstr("not measured side by side")));
}

TEST(Compare, MatchesByLabelAndSaysWhatIsLeftOut) {
  const auto baseline =
      source_with("a", {configuration_of("batch 1", steady), configuration_of("batch 8", steady)});
  const auto candidate =
      source_with("b", {configuration_of("batch 8", steady), configuration_of("batch 16", steady)});
  const auto comparison = compared(baseline, candidate);
  EXPECT_THAT(comparison.rows, SizeIs(1));
  EXPECT_EQ(comparison.rows[0].configuration, "batch 8");
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("only the baseline has (batch 1)")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("only the candidate has (batch 16)")));
}

TEST(Compare, RefusesWhereNothingMatches) {
  const auto comparison =
      compared(source_with("a", {configuration_of("batch 1", steady), configuration_of("batch 2", steady)}),
               source_with("b", {configuration_of("batch 4", steady), configuration_of("batch 8", steady)}));
  ASSERT_TRUE(refusal_of(comparison));
  EXPECT_EQ(refusal_of(comparison)->what, "configurations");
}

TEST(Compare, RefusesAnotherMachineUnlessThatIsMeant) {
  const auto baseline = source_with("a", {configuration_of("all", steady)});
  auto candidate = baseline;
  candidate.configurations[0].facts["machine"] = "that one";
  const auto refusal = compared(baseline, candidate);
  ASSERT_TRUE(refusal_of(refusal));
  EXPECT_THAT(refusal.rows, IsEmpty());
  EXPECT_EQ(refusal_of(refusal)->message, "machine: this one → that one");
  EXPECT_THAT(refusal_of(refusal)->remedy, HasSubstr("--accept machine"));
  const auto accepted = compared(baseline, candidate, {.accepted = {"machine"}});
  EXPECT_FALSE(refusal_of(accepted));
  EXPECT_THAT(accepted.confounds, Contains(Field(&Confound::what, "machine")));
}

TEST(Compare, NamesAnotherEngineAndDoubts) {
  const auto baseline = source_with("a", {configuration_of("all", steady)});
  auto candidate = baseline;
  candidate.configurations[0].facts["engine"] = "openvino 2";
  candidate.configurations[0].doubts = {"busy_machine: other processes used 1.2 of 2 cores",
                                        "wide_interval: the CI says that itself"};
  const auto comparison = compared(baseline, candidate);
  EXPECT_FALSE(refusal_of(comparison));
  EXPECT_THAT(comparison.confounds, SizeIs(2));
  EXPECT_EQ(comparison.confounds[1].message, "candidate: busy_machine: other processes used 1.2 of 2 cores");
  EXPECT_EQ(comparison.confounds[1].what, "busy_machine");
}

TEST(Compare, WhatFailedIsNotComparableUnlessThatIsMeant) {
  const auto good =
      source_with("a", {configuration_of("batch 1", steady), configuration_of("batch 8", steady)});
  auto bad = good;
  bad.configurations[1].failures = {"3 of 6 runs failed (exit code 1)"};
  const auto refusal = compared(good, bad);
  ASSERT_TRUE(refusal_of(refusal));
  EXPECT_THAT(refusal.rows, IsEmpty());
  EXPECT_EQ(refusal_of(refusal)->what, "failures");
  EXPECT_EQ(refusal_of(refusal)->message, "failures: candidate: batch 8: 3 of 6 runs failed (exit code 1)")
      << "of the side and the configuration that it concerns";
  EXPECT_EQ(refusal_of(refusal)->remedy,
            "mend what fails and measure again, or accept it: --accept failures");
  EXPECT_THAT(refusal_of(compared(bad, good))->message, HasSubstr("baseline: batch 8"));
  EXPECT_TRUE(refusal_of(compared(bad, bad))) << "to fail alike is no result";
  const auto accepted = compared(good, bad, {.accepted = {"failures"}});
  EXPECT_FALSE(refusal_of(accepted));
  EXPECT_THAT(accepted.rows, SizeIs(2));
  EXPECT_THAT(accepted.confounds, Contains(Field(&Confound::what, "failures")));
  const auto without =
      source_with("a", {configuration_of("batch 1", steady), configuration_of("batch 2", steady)});
  EXPECT_FALSE(refusal_of(compared(without, bad))) << "only one side has it: it is not compared";
}

TEST(Compare, HasARemedyForWhatItHasARemedyFor) {
  const auto remedy = [](const std::string& doubt) {
    auto one = configuration_of("all", steady);
    one.doubts = {doubt};
    return compared(source_with("a", {one}), source_with("b", {one})).confounds.at(0).remedy;
  };
  EXPECT_THAT(remedy("throttled: m"), HasSubstr("when the machine is idle"));
  EXPECT_THAT(remedy("few_requests: m"), HasSubstr("--duration"));
  EXPECT_EQ(remedy("skipped: no GPU"), "") << "no idle machine helps";
}

TEST(Compare, ATimeOfZeroHasNoRatio) {
  const auto timed = [](const std::vector<double>& values) {
    auto one = configuration_of("./app", {});
    for (const double value : values) one.runs.push_back({.metrics = {{"time_s", value}}});
    return source_with("a", {one});
  };
  const auto some = compared(timed({0.01, 0.011, 0.01}), timed({0, 0.001, 0}));
  EXPECT_EQ(some.rows.at(0).outcome, Outcome::undecided);
  EXPECT_THAT(some.notes,
              Contains(HasSubstr("./app: 2 of 3 values of time_s of the candidate are 0, of which")));
  EXPECT_THAT(some.notes, Not(Contains(HasSubstr("has no time_s"))));
  const auto all = compared(timed({0, 0, 0}), timed({0, 0, 0}));
  EXPECT_EQ(all.rows.at(0).outcome, Outcome::undecided) << "too short to be told apart is not equivalent";
  EXPECT_THAT(all.notes, Contains(HasSubstr("3 of 3 values of time_s of the baseline")));
}

TEST(Compare, AdjustsForManyConfigurations) {
  std::vector<Configuration> one, other;
  for (int i = 0; i < 20; ++i) {
    one.push_back(configuration_of("batch " + std::to_string(i), steady));
    other.push_back(configuration_of("batch " + std::to_string(i), times(1.0 + (i == 7) * 0.011, steady)));
  }
  const CompareOptions narrow{.threshold = 0.001};
  const auto alone = compared(source_with("a", {one[7]}), source_with("b", {other[7]}), narrow).rows.at(0);
  const auto among = compared(source_with("a", one), source_with("b", other), narrow).rows.at(7);
  EXPECT_EQ(alone.outcome, Outcome::better);
  EXPECT_EQ(among.outcome, Outcome::undecided);
  EXPECT_NEAR(among.p_value, std::min(1.0, 20 * alone.p_value), 1e-9);
}

TEST(Compare, OfRunsThatFailedIsUndecided) {
  auto candidate = source_with("b", {configuration_of("batch 1", steady), configuration_of("batch 8", {})});
  const auto comparison =
      compared(source_with("a", {configuration_of("batch 1", steady), configuration_of("batch 8", steady)}),
               candidate);
  ASSERT_THAT(comparison.rows, SizeIs(2));
  EXPECT_EQ(comparison.rows[1].outcome, Outcome::undecided);
  EXPECT_THAT(comparison.notes, Contains("batch 8: the candidate has no images_per_s"));
}

TEST(Compare, AnswersThatAreCloseInOneConfigurationPardonNoOther) {
  auto close = configuration_of("batch 1", steady), other = configuration_of("batch 8", steady);
  close.facts["answers"] = other.facts["answers"] = "a";
  close.facts["close_answers"] = "3,7";
  auto changed = close, wrong = other;
  changed.facts["answers"] = wrong.facts["answers"] = "b";
  EXPECT_FALSE(refusal_of(compared(source_with("a", {close}), source_with("b", {changed}))));
  EXPECT_TRUE(refusal_of(compared(source_with("a", {close, other}), source_with("b", {close, wrong}))));
}

TEST(Compare, TellsThatAnotherQuestionWasAsked) {
  auto one = configuration_of("all", steady), other = one;
  one.facts["question"] = "neph infer m --batch 1";
  other.facts["question"] = "neph infer m --batch 4";
  EXPECT_THAT(compared(source_with("a", {one}), source_with("b", {other})).confounds,
              Contains(Field(&Confound::what, "question")));
}

TEST(Compare, SaysWhichMetricsThereAre) {
  const auto both = source_with("a", {configuration_of("all", steady)});
  EXPECT_THAT(refused(both, both, {.metrics = {"p99"}}), HasSubstr("images_per_s"));
  EXPECT_THAT(refused(both, both, {.accepted = {"machin"}}), HasSubstr("machine"));
  EXPECT_THAT(refused(both, both, {.threshold = 0}), HasSubstr("--threshold"));
}

TEST(Compare, TakesMeansWhereTheSourceKeepsNoRuns) {
  auto baseline = configuration_of("all", {}), candidate = baseline;
  baseline.means["images_per_s"] = {.value = 100, .low = 99, .high = 101, .n = 6};
  candidate.means["images_per_s"] = {.value = 90, .low = 89, .high = 91, .n = 6};
  EXPECT_EQ(compared(source_with("a", {baseline}), source_with("b", {candidate})).rows.at(0).outcome,
            Outcome::worse);
}

TEST(Noise, OfAThingAndItselfIsKeptAndHeeded) {
  const auto file = std::filesystem::path(testing::TempDir()) / "noise_test" / "noise.jsonl";
  std::filesystem::remove_all(file.parent_path());
  const NoiseEntry like{.machine = "this one", .metric = "images_per_s"};
  EXPECT_FALSE(noise_floor(file, like));
  for (const double factor : {0.9, 1.12, 0.93, 1.08, 0.95, 1.06})
    EXPECT_TRUE(keep_noise(file, compared(factor)));
  std::ofstream(file, std::ios::app) << "{\"machine\": \"this one\", \"met";  // of one that died
  EXPECT_TRUE(keep_noise(file, compared(1.0)));
  auto unknown = compared(0.5);
  unknown.machine.clear();
  EXPECT_TRUE(keep_noise(file, unknown));
  const auto floor = noise_floor(file, like);
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->comparisons, 7);
  EXPECT_NEAR(floor->share, 0.2, 0.05);
  EXPECT_FALSE(noise_floor(file, {.machine = "that one", .metric = "images_per_s"}));
  EXPECT_EQ(compared(0.9).rows.at(0).outcome, Outcome::worse);
  EXPECT_EQ(compared(0.9, {.noise = file}).rows.at(0).outcome, Outcome::undecided);
  EXPECT_EQ(compared(0.5, {.noise = file}).rows.at(0).outcome, Outcome::worse);
}

TEST(Only, LeavesTheConfigurationsWithAFactorsValue) {
  auto one = configuration_of("engine openvino, batch 8", steady);
  one.factors = {{"engine", "openvino"}, {"batch", 8}};
  auto other = configuration_of("engine onnxruntime, batch 8", steady);
  other.factors = {{"engine", "onnxruntime"}, {"batch", 8}};
  const auto both = source_with("a", {one, other});
  const auto left = only(both, "engine=openvino");
  ASSERT_TRUE(left) << left.error().text();
  ASSERT_THAT(left->configurations, SizeIs(1));
  EXPECT_EQ(left->configurations[0].label, "batch 8");
  EXPECT_THAT(only(both, "engine=openvin").error().text(), HasSubstr("openvino"));
  EXPECT_THAT(only(both, "engin=openvino").error().text(), HasSubstr("no factor 'engin'"));
  EXPECT_THAT(only(both, "engine").error().text(), HasSubstr("FACTOR=VALUE"));
}

}  // namespace
}  // namespace neph::compare
