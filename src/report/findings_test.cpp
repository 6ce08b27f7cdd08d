#include "report/findings.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/recommendation.hpp"
#include "report/sample_document_test.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CellSummary cell_with(std::int64_t index, std::string label, double speed) {
  CellSummary cell{.runs_ok = 3};
  cell.cell.index = index;
  cell.cell.label = std::move(label);
  cell.figures["images_per_s"] = {.value = speed, .low = speed - 1, .high = speed + 1, .n = 3};
  return cell;
}

void add_runs(Document& document, std::int64_t cell, const std::vector<double>& speeds) {
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    Run run{.id = std::ssize(document.runs), .cell = cell, .repeat = static_cast<std::int64_t>(i)};
    run.result.figures = {{"images_per_s", "images/s", {.value = speeds[i], .n = 1}}};
    document.runs.push_back(run);
  }
}

/// batch 1 and batch 8, with these images/s in each repeat.
Document two_cells(const std::vector<double>& one, const std::vector<double>& eight) {
  const auto mean = [](const auto& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  Document document;
  document.cells = {cell_with(0, "batch 1", mean(one)), cell_with(1, "batch 8", mean(eight))};
  for (auto& cell : document.cells) cell.figures["images_per_s"].n = std::ssize(one);
  add_runs(document, 0, one);
  add_runs(document, 1, eight);
  return document;
}

/// Each batch of the cell's runs takes so long.
void set_latency_ms(Document& document, std::int64_t cell, double ms) {
  for (auto& run : document.runs)
    if (run.cell == cell)
      run.result.samples = {{"issued_s", {0, 1, 2}},
                            {"done_s", std::vector{1e-3 * ms, 1 + 1e-3 * ms, 2 + 1e-3 * ms}}};
}

void set_mean(CellSummary& cell, std::string target, std::string name, double mean) {
  cell.telemetry.push_back(
      {.target = std::move(target), .name = std::move(name), .unit = "cores", .mean = mean});
}

Document one_cell() {
  Document document;
  document.machines = {machine_of({{"processor", {{"online", 2}}}, {"effective_cores", 2.0}})};
  document.cells = {cell_with(0, "all", 40)};
  return document;
}

TEST(Findings, SayThatNothingIsKnownWithoutAResult) {
  EXPECT_THAT(findings({}), ElementsAre("No run has ended well, so nothing can be said about speed."));
  const auto failed = findings(failed_document());
  EXPECT_EQ(failed[0], "No run has ended well, so nothing can be said about speed.");
  EXPECT_THAT(failed, Contains("4 of 4 runs failed: batch 65536 needs 36.8 GiB; 6 GiB are allowed."));
}

TEST(Findings, NameTheFastestWithItsInterval) {
  auto document = two_cells({20, 20.1, 19.9}, {40, 40, 40});
  document.cells[1].latency_ms["p50"] = {.value = 200, .low = 195, .high = 206, .n = 90};
  EXPECT_EQ(
      findings(document)[0],
      "The fastest of 2 configurations is batch 8: 40.0 images/s (95 % CI 39.0 to 41.0, 3 runs), median "
      "latency 200 ms (195 to 206).");
  EXPECT_THAT(
      findings(document)[1],
      HasSubstr("Next is batch 1: repeat by repeat, the fastest is 2.00 times as fast (95 % CI 1.98 to 2.0"));
}

TEST(Findings, CompareRepeatByRepeat) {
  auto document = two_cells({10, 20, 30}, {11.1, 22, 32.9});  // the machine drifts, and both feel it
  EXPECT_THAT(findings(document)[1], HasSubstr("the fastest is 1.10 times as fast (95 % CI 1.0"));
  document.runs[0].status = RunStatus::failed;  // the other cell's first repeat has no partner
  EXPECT_THAT(findings(document)[1], HasSubstr("the fastest is 1.098 times as fast"));
}

TEST(Findings, RecommendTheLowerLatencyWhereNoDifferenceInThroughputIsShown) {
  auto document = two_cells({11, 18, 14, 17, 11.5}, {19, 13, 17, 14, 19.5});
  set_latency_ms(document, 0, 68);
  set_latency_ms(document, 1, 930);
  const auto said = findings(document);
  EXPECT_THAT(said[0], StartsWith("Use batch 1: 14.3 images/s (95 % CI 13.3 to 15.3, 5 runs)"));
  EXPECT_THAT(said[1], StartsWith("batch 8 has the highest mean, 16.5 images/s: no significant difference in "
                                  "throughput (1.16 times, 95 % CI 0.705 to 1.91)"));
  EXPECT_THAT(said[1], AllOf(HasSubstr("but 13.7 times the latency (95 % CI 13.7 to 13.7); about "),
                             HasSubstr("repeats would show whether batch 8 and batch 1 differ (80 % power if "
                                       "the difference is as large "
                                       "as seen)")));
  EXPECT_EQ(answer_configuration(document), &document.cells[0]);
}

TEST(Findings, NeverRecommendTensorsThatAreReadyWhereOthersReadFiles) {
  auto document = two_cells({20, 20.1, 19.9}, {40, 40, 40});
  document.cells[0].cell.factors = Json{{"files", "on"}};
  document.cells[1].cell.factors = Json{{"files", "off"}};
  EXPECT_EQ(answer_configuration(document), &document.cells[0]);
  EXPECT_THAT(findings(document)[0], StartsWith("The measured speed is 20.0 images/s"));
  document.cells[0].cell.factors = Json{{"files", "off"}};
  EXPECT_EQ(answer_configuration(document), &document.cells[1]) << "nothing else is left";
}

TEST(Findings, KeepTheFasterWhereItIsShownToBeFaster) {
  auto document = two_cells({20, 20.1, 19.9}, {40, 40, 40});
  set_latency_ms(document, 0, 50);
  set_latency_ms(document, 1, 200);
  EXPECT_EQ(answer_configuration(document), &document.cells[1]);
}

/// Ten repeats whose ratios' logarithms have a mean of `effect` deviations.
Document with_effect(double effect, double deviation) {
  std::vector<double> slow(10, 20), fast;
  for (int i = 0; i < 10; ++i)
    fast.push_back(20 * std::exp(deviation * (effect + (i % 2 == 0 ? 1 : -1) * std::sqrt(0.9))));
  auto document = two_cells(slow, fast);
  document.experiment.repeat = 10;  // after a --resume; the command is that of the beginning
  document.experiment.command = "neph infer m.onnx --batch 1,8 --repeat 5 --seed 7";
  return document;
}

TEST(Findings, SayFirstThatNothingWasShownAndWhatWouldShowIt) {
  auto document = with_effect(0.5, 0.2);
  set_latency_ms(document, 0, 70);
  set_latency_ms(document, 1, 70);
  const auto said = findings(document);
  EXPECT_EQ(said[0],
            "No significant difference in throughput or latency between 2 configurations; about 34 repeats "
            "would show whether batch 8 and batch 1 differ (80 % power if the difference is as large as "
            "seen): neph infer m.onnx "
            "--batch 1,8 --repeat 34 --seed 7 --resume");
  EXPECT_THAT(said[1], StartsWith("batch 8 has the highest mean: "));
}

TEST(Findings, SuggestACommandWithTheLatencyLimitThatWasLastAskedFor) {
  auto document = with_effect(0.5, 0.2);
  for (auto& cell : document.cells) cell.latency_ms["p95"] = {.value = 70, .low = 65, .high = 75, .n = 200};
  document.experiment.latency_limit_s = 0.1;
  EXPECT_THAT(findings(document)[0], EndsWith(" --repeat 34 --seed 7 --latency-limit 100ms --resume"));
  document.experiment.command += " --latency-limit 2s";
  EXPECT_THAT(findings(document)[0], EndsWith(" --repeat 34 --seed 7 --latency-limit 100ms --resume"));
  document.experiment.latency_limit_s = 0;
  EXPECT_THAT(findings(document)[0], EndsWith(" --repeat 34 --seed 7 --resume"));
}

TEST(Findings, SuggestMoreRepeatsThanThereAre) {
  auto document = with_effect(0.5, 0.2);
  for (auto& run : document.runs)
    if (run.cell == 1 && run.repeat < 8) run.status = RunStatus::failed;
  const auto seen = speed_ratio(document, document.cells[0], document.cells[1]);
  ASSERT_EQ(seen.n, 2);
  const auto pairs = stats::pairs_to_show(seen, 300);
  ASSERT_TRUE(pairs && *pairs > 2);
  EXPECT_THAT(findings(document)[0], HasSubstr(fmt::format("about {} repeats would show", *pairs + 8)));
  document.experiment.repeat = 1;  // resumed with less than is stored
  EXPECT_THAT(findings(document)[0], EndsWith(fmt::format(" --repeat {} --seed 7 --resume", *pairs + 8)));
}

TEST(Findings, SayOnlyOfTheFastestThatNoneDiffersFromIt) {
  auto document = two_cells({60, 140, 110, 70, 120}, {90, 91, 89, 90, 90.5});
  document.cells.push_back(cell_with(2, "batch 16", 80));
  add_runs(document, 2, {80, 81, 79, 80, 80.5});  // shown to be slower than batch 8
  for (std::int64_t cell = 0; cell < 3; ++cell) set_latency_ms(document, cell, 70);
  EXPECT_THAT(findings(document)[0],
              StartsWith("Of 3 configurations, none is shown to differ from batch 1 in "
                         "throughput or latency; "));
  set_latency_ms(document, 1, 69);
  EXPECT_THAT(findings(document)[0], StartsWith("Use batch 8: "));
}

TEST(Findings, SayThatADifferenceIsTooSmallToMatterOrToShow) {
  EXPECT_THAT(findings(with_effect(0.05, 0.01))[0],
              EndsWith("; any difference between batch 8 and batch 1 is below 5 %."));
  EXPECT_THAT(
      findings(with_effect(0.05, 0.5))[0],
      EndsWith("; more than 300 repeats would be needed to show whether batch 8 and batch 1 differ."));
}

TEST(Findings, AskForMoreRunsThanOne) {
  const auto said = findings(two_cells({20}, {40}));
  EXPECT_THAT(said[0], EndsWith(" can be shown; intervals need more runs: --repeat 5 --resume"));
}

void set_p95(CellSummary& cell, double low, double value, double high) {
  cell.latency_ms["p95"] = {.value = value, .low = low, .high = high, .n = 200};
}

TEST(Findings, RecommendOnlyWhatKeepsToTheLatencyLimit) {
  auto document = two_cells({20, 20.1, 19.9}, {40, 40, 40});
  document.experiment.latency_limit_s = 0.1;
  set_p95(document.cells[0], 75, 80, 86);
  set_p95(document.cells[1], 95, 98, 104);  // below the limit, but not shown to be
  const auto said = findings(document);
  EXPECT_THAT(said[0],
              StartsWith("The only configuration with p95 latency within 100 ms is batch 1: 20.0 images/s"));
  EXPECT_EQ(said[1], "batch 1 keeps its p95 latency within 100 ms: 80.0 ms (95 % CI 75.0 to 86.0).");
  EXPECT_EQ(said[2], "The limit leaves out batch 8: 40.0 images/s, p95 98.0 ms (95 % CI 95.0 to 104).");
  EXPECT_EQ(answer_configuration(document), &document.cells[0]);
}

TEST(Findings, NameTheNearestWhereNothingKeepsToTheLatencyLimit) {
  auto document = two_cells({20, 20.1, 19.9}, {40, 40, 40});
  document.experiment.latency_limit_s = 0.1;
  set_p95(document.cells[0], 99, 104, 112);
  set_p95(document.cells[1], 170, 180, 190);
  const auto said = findings(document);
  EXPECT_EQ(said[0],
            "None of 2 configurations is shown to keep its p95 latency within 100 ms; the nearest is batch "
            "1: 104 ms "
            "(95 % CI 99.0 to 112), inconclusive.");
  EXPECT_THAT(said[1], StartsWith("The fastest of 2 configurations is batch 8"));
  EXPECT_EQ(answer_configuration(document), &document.cells[0]);
  for (auto& cell : document.cells) cell.latency_ms["p95"] = {.value = 50, .n = 24};
  EXPECT_EQ(
      findings(document)[0],
      "None of 2 configurations is shown to keep its p95 latency within 100 ms: p95 takes 59 batches of a "
      "configuration (--count, --repeat).");
}

TEST(Findings, DoNotPraiseAnInvalidSetting) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 40)};
  document.cells[1].verdict = Verdict::invalid;
  const auto sentences = findings(document);
  EXPECT_THAT(sentences[0], HasSubstr("is batch 1: 20.0"));
  EXPECT_THAT(sentences, Contains("Left out because its numbers are invalid: batch 8 with 40.0 images/s."));
}

TEST(Findings, SayThatOneRunGivesNoInterval) {
  auto document = one_cell();
  document.cells[0].figures["images_per_s"] = {.value = 40, .n = 1};
  EXPECT_EQ(findings(document)[0], "The measured speed is 40.0 images/s (1 run: too few for an interval).");
}

TEST(Findings, SeeTheProcessorAtItsLimit) {
  auto document = one_cell();
  auto& cell = document.cells[0];
  set_mean(cell, "process", "cpu", 1.94);
  set_mean(cell, "engine", "cpu", 1.7);
  set_mean(cell, "loader", "cpu", 0.23);
  EXPECT_THAT(findings(document),
              Contains("The CPU is the limit: the process used 1.94 of 2 cores, 1.70 by the "
                       "engine's threads and 0.230 by those that read and decode."));
}

TEST(Findings, SeeTheDiskAtItsLimit) {
  auto document = one_cell();
  set_mean(document.cells[0], "process", "cpu", 0.6);
  set_mean(document.cells[0], "machine", "cpu_iowait", 0.9);
  EXPECT_THAT(findings(document), Contains(HasSubstr("The disk is the limit: 0.900 cores waited")));
}

TEST(Findings, SeeTheGpuAtItsLimit) {
  auto document = one_cell();
  set_mean(document.cells[0], "gpu0", "utilisation", 97);
  EXPECT_THAT(findings(document), Contains("The GPU was busy 97.0 % of the time: it is the limit."));
}

TEST(Findings, AdviseOnlyWhatIsNotDoneYet) {
  auto document = one_cell();
  set_mean(document.cells[0], "process", "cpu", 1.1);
  set_mean(document.cells[0], "machine", "cpu_user", 1.15);
  document.cells[0].cell.spec = Json{{"mode", "sync"}};
  EXPECT_THAT(findings(document), Contains(HasSubstr("--mode async")));
  document.cells[0].cell.spec = Json{{"mode", "async"}};
  EXPECT_THAT(findings(document),
              Contains(AllOf(HasSubstr("was not the limit"), Not(HasSubstr("--mode async")))));
}

TEST(Findings, SeeOthersFillTheProcessor) {
  auto document = one_cell();
  set_mean(document.cells[0], "process", "cpu", 1.1);
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("was not the limit"))))
      << "what others did is not known";
  set_mean(document.cells[0], "machine", "cpu_user", 1.5);
  set_mean(document.cells[0], "machine", "cpu_system", 0.1);
  EXPECT_THAT(findings(document), Contains(HasSubstr("not the limit: 0.400 of 2 cores were idle")));
  set_mean(document.cells[0], "machine", "cpu_steal", 0.3);
  EXPECT_THAT(findings(document),
              Contains("Others filled the CPU: the process used 1.10 of 2 cores, and other "
                       "processes and the hypervisor's other guests 0.800. Alone on the machine it may be "
                       "faster."));
}

TEST(Findings, CountNoCoresThatTheProcessMayNotUse) {
  auto document = one_cell();
  document.machines = {machine_of({{"processor", {{"online", 64}}}, {"effective_cores", 2.0}})};
  set_mean(document.cells[0], "process", "cpu", 1.5);
  set_mean(document.cells[0], "machine", "cpu_user", 20);
  EXPECT_THAT(findings(document), Contains(HasSubstr("0.500 of 2 cores were idle")));
}

TEST(Findings, SayNothingAboutALimitThatIsNotKnown) {
  auto document = one_cell();
  document.machines.clear();
  set_mean(document.cells[0], "process", "cpu", 1.9);
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("limit"))));
}

TEST(Findings, MentionStolenTimeAndDoubts) {
  auto document = one_cell();
  set_mean(document.cells[0], "machine", "cpu_steal", 0.3);
  document.cells[0].verdict = Verdict::doubtful;
  document.cells[0].warnings = {{.code = WarningCode::stolen}};
  const auto sentences = findings(document);
  EXPECT_THAT(sentences, Contains(HasSubstr("The hypervisor took 0.300 cores away")));
  EXPECT_THAT(sentences,
              Contains("Of 1 configuration, 1 is doubtful (steal): read the warnings before relying on it."));
}

TEST(Findings, DoNotDoubtForAHint) {
  auto document = one_cell();
  document.cells[0].warnings = {{.code = WarningCode::governor_not_performance, .weight = Weight::hint}};
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("doubtful"))));
  document.cells[0].verdict = Verdict::doubtful;
  document.cells[0].warnings.push_back({.code = WarningCode::stolen});
  EXPECT_THAT(findings(document), Contains(HasSubstr("1 is doubtful (steal): read")));
}

TEST(Findings, ConfirmThatAnswersAgree) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 40)};
  document.cells[0].outputs_checksum = document.cells[1].outputs_checksum = "abc";
  EXPECT_THAT(findings(document), Contains("All configurations gave the same top-1 answers."));
  document.cells[0].outputs_checksum = "abd";
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("same top-1"))));
}

TEST(Findings, CountOnlyWhatHasAResult) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 40), cell_with(2, "batch 16", 40)};
  document.cells[0].outputs_checksum = document.cells[1].outputs_checksum = "abc";
  auto& failed = document.cells[2];
  failed = {.cell = failed.cell, .runs_ok = 0, .runs_failed = 3, .verdict = Verdict::invalid};
  add_runs(document, 0, {20, 20.1, 19.9});
  add_runs(document, 1, {40, 40, 40});
  const auto said = findings(document);
  EXPECT_THAT(said[0], StartsWith("The fastest of 2 configurations is batch 8"));
  EXPECT_THAT(said,
              Contains("2 of 3 configurations gave the same top-1 answers; of the other nothing is known."));
  EXPECT_THAT(said, Not(Contains(HasSubstr("invalid")))) << "the table says failed";
}

/// Measured (images/s / 1e5, seen as images/s): no batch shows it alone, both together do.
TEST(Findings, RecommendNothingThatOthersAreShownToBeFasterThanTogether) {
  Document document;
  const std::vector<std::vector<double>> speeds{
      {754, 855, 542}, {1230, 981, 918}, {462, 519, 485}, {564, 945, 673}};
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const bool async = i % 2 == 1;
    const int batch = i < 2 ? 1 : 8;
    auto cell = cell_with(index, fmt::format("batch {}, mode {}", batch, async ? "async" : "sync"),
                          stats::mean_estimate(speeds[i]).value);
    cell.cell.factors = Json{{"batch", batch}, {"mode", async ? "async" : "sync"}};
    document.cells.push_back(cell);
    add_runs(document, index, speeds[i]);
    set_latency_ms(document, index, async ? 2 : 1);
  }
  EXPECT_FALSE(speed_ratio(document, document.cells[0], document.cells[1]).low.value() > 1);
  EXPECT_TRUE(is_faster_over_all(document, document.cells[0], document.cells[1]));
  EXPECT_FALSE(is_faster_over_all(document, document.cells[1], document.cells[0]));
  EXPECT_EQ(choose(document, {&document.cells[1], &document.cells[0]}).recommended().cell.label,
            "batch 1, mode async");
}

TEST(Findings, SayNoMoreThanRoughRunsTell) {
  auto document = two_cells({11, 18, 14, 17, 11.5}, {19, 13, 17, 14, 19.5});
  set_latency_ms(document, 0, 68);
  set_latency_ms(document, 1, 930);
  document.cells[0].verdict = Verdict::doubtful;
  EXPECT_THAT(findings(document)[0], StartsWith("As far as these runs tell, use batch 1: "));
  document.cells[1].facts["in_flight"] = "4";
  document.cells[0].facts["in_flight"] = "2";
  EXPECT_THAT(findings(document)[1], HasSubstr("13.7; with 4 in flight instead of 2)"));
}

}  // namespace
}  // namespace neph::report
