#include "report/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_document.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

CellSummary cell_with(std::int64_t index, std::string label, double speed) {
  CellSummary cell{.runs_ok = 3};
  cell.cell.index = index;
  cell.cell.label = std::move(label);
  cell.figures["images_per_s"] = {.value = speed, .low = speed - 1, .high = speed + 1, .n = 3};
  return cell;
}

void add_runs(Document& document, std::int64_t cell, std::initializer_list<double> speeds) {
  std::int64_t repeat = 0;
  for (const double speed : speeds) {
    Run run{.id = static_cast<std::int64_t>(document.runs.size()), .cell = cell, .repeat = repeat++};
    run.result.figures = {{"images_per_s", "images/s", {.value = speed, .n = 1}}};
    document.runs.push_back(run);
  }
}

void set_mean(CellSummary& cell, std::string target, std::string name, double mean) {
  cell.telemetry.push_back(
      {.target = std::move(target), .name = std::move(name), .unit = "cores", .mean = mean});
}

Document one_cell() {
  Document document;
  document.experiment.machine = Json{{"processor", {{"online", 2}}}, {"effective_cores", 2.0}};
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
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 40)};
  EXPECT_EQ(findings(document)[0],
            "The fastest of 2 settings is batch 8: 40.0 images/s (95 % interval 39.0 to 41.0, 3 runs).");
}

TEST(Findings, CompareWithTheNextBest) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 40)};
  add_runs(document, 0, {20, 20.1, 19.9});
  add_runs(document, 1, {40, 40, 40});
  EXPECT_THAT(
      findings(document)[1],
      HasSubstr(
          "Next is batch 1: repeat by repeat, the fastest is 2.00 times as fast (95 % interval 1.98 to 2.0"));
}

TEST(Findings, CompareRepeatByRepeat) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 22)};
  add_runs(document, 0, {10, 20, 30});  // the machine drifts, and both feel it
  add_runs(document, 1, {11.1, 22, 32.9});
  EXPECT_THAT(findings(document)[1], HasSubstr("the fastest is 1.10 times as fast (95 % interval 1.0"));
  document.runs[0].status = RunStatus::failed;  // the other cell's first repeat has no partner
  EXPECT_THAT(findings(document)[1], HasSubstr("the fastest is 1.10 times as fast"));
}

TEST(Findings, AdmitThatTwoCannotBeToldApart) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 21)};
  add_runs(document, 0, {18, 20, 22});
  add_runs(document, 1, {22, 19, 22});
  EXPECT_THAT(findings(document)[1],
              AllOf(HasSubstr("cannot tell the two apart"), HasSubstr("which includes 1")));
}

TEST(Findings, GiveNoIntervalThatSaysNothing) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 21)};
  add_runs(document, 0, {15, 25});
  add_runs(document, 1, {24, 18});  // t for one degree of freedom: 0.003 to 370
  EXPECT_EQ(
      findings(document)[1],
      "Next is batch 1, and these runs cannot tell the two apart: 2 repeats are too few on a machine as "
      "unsteady as this (--repeat).");
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
              Contains("The processor is the limit: the process kept 1.94 of 2.00 cores busy, 1.70 by the "
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
              Contains(AllOf(HasSubstr("had room left"), Not(HasSubstr("--mode async")))));
}

TEST(Findings, SeeOthersFillTheProcessor) {
  auto document = one_cell();
  set_mean(document.cells[0], "process", "cpu", 1.1);
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("room left")))) << "what others did is not known";
  set_mean(document.cells[0], "machine", "cpu_user", 1.5);
  set_mean(document.cells[0], "machine", "cpu_system", 0.1);
  EXPECT_THAT(findings(document), Contains(HasSubstr("room left: 0.400 of 2.00 cores were idle")));
  set_mean(document.cells[0], "machine", "cpu_steal", 0.3);
  EXPECT_THAT(findings(document),
              Contains("Others filled the processor: the process kept 1.10 of 2.00 cores busy, and other "
                       "processes and the hypervisor's other guests 0.800. Alone on the machine it may be "
                       "faster."));
}

TEST(Findings, CountNoCoresThatTheProcessMayNotUse) {
  auto document = one_cell();
  document.experiment.machine = Json{{"processor", {{"online", 64}}}, {"effective_cores", 2.0}};
  set_mean(document.cells[0], "process", "cpu", 1.5);
  set_mean(document.cells[0], "machine", "cpu_user", 20);
  EXPECT_THAT(findings(document), Contains(HasSubstr("0.500 of 2.00 cores were idle")));
}

TEST(Findings, SayNothingAboutALimitThatIsNotKnown) {
  auto document = one_cell();
  document.experiment.machine = Json::object();
  set_mean(document.cells[0], "process", "cpu", 1.9);
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("limit"))));
}

TEST(Findings, MentionStolenTimeAndDoubts) {
  auto document = one_cell();
  set_mean(document.cells[0], "machine", "cpu_steal", 0.3);
  document.cells[0].verdict = Verdict::doubtful;
  document.cells[0].warnings = {{.code = "stolen"}};
  const auto sentences = findings(document);
  EXPECT_THAT(sentences, Contains(HasSubstr("The hypervisor took 0.300 cores away")));
  EXPECT_THAT(sentences,
              Contains("Of 1 setting, 1 is doubtful (stolen): read the warnings before relying on it."));
}

TEST(Findings, DoNotDoubtForAHint) {
  auto document = one_cell();
  document.cells[0].warnings = {{.code = "governor_not_performance", .weight = Weight::hint}};
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("doubtful"))));
  document.cells[0].verdict = Verdict::doubtful;
  document.cells[0].warnings.push_back({.code = "stolen"});
  EXPECT_THAT(findings(document), Contains(HasSubstr("1 is doubtful (stolen): read")));
}

TEST(Findings, ConfirmThatAnswersAgree) {
  Document document;
  document.cells = {cell_with(0, "batch 1", 20), cell_with(1, "batch 8", 40)};
  document.cells[0].answers_checksum = document.cells[1].answers_checksum = "abc";
  EXPECT_THAT(findings(document), Contains("All settings gave the same top-1 answers."));
  document.cells[0].answers_checksum = "abd";
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("same top-1"))));
}

}  // namespace
}  // namespace neph::report
