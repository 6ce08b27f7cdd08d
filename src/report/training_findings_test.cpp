#include "report/training_findings.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "record/metrics.hpp"
#include "report/charts/drawn_test.hpp"
#include "report/columns.hpp"
#include "report/findings.hpp"
#include "report/sample_document_test.hpp"
#include "report/scaling.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(TrainingFindings, SayHowManyCoresPayAndHowLongItTakes) {
  const auto said = training_findings(training_document());
  ASSERT_GE(said.size(), 3U);
  EXPECT_THAT(said[0], AllOf(StartsWith("The fastest of 3 configurations is threads 4: "),
                             HasSubstr("samples/s (95 % CI ")));
  EXPECT_THAT(said[1], AllOf(StartsWith("3 epochs of training and verifying took 2.8"),
                             HasSubstr("; one epoch of training alone takes 7")));
  EXPECT_THAT(said[2],
              AllOf(StartsWith("4 cores are 3.1"), HasSubstr("an efficiency of 77 %: all of them pay.")));
  EXPECT_THAT(said, Contains(HasSubstr("Test accuracy after the last epoch is between 8")));
}

TEST(TrainingFindings, SayWhereMoreCoresDoNotPay) {
  auto document = training_document();
  for (auto& run : document.runs)
    if (run.cell == 2)  // four cores, as fast as two would be
      for (auto& figure : run.result.figures)
        if (figure.name == metric::samples_per_s.name) figure.estimate.value = 128 / (0.06 * 0.54);
  const auto said = training_findings(document);
  EXPECT_THAT(said, Contains(AllOf(StartsWith("2 cores are 1.8"),
                                   HasSubstr("; beyond that more do not pay: 4 cores are 1.8"))));
  for (auto& run : document.runs)
    for (auto& figure : run.result.figures)
      if (figure.name == metric::samples_per_s.name) figure.estimate.value = 100;
  EXPECT_THAT(training_findings(document), Contains(HasSubstr(": more than 1 do not pay")));
}

TEST(TrainingFindings, ClaimNothingOfCoresThatRepeatsDoNotShow) {
  auto document = training_document();
  for (auto& run : document.runs)
    for (auto& figure : run.result.figures)
      if (figure.name == metric::samples_per_s.name && run.cell > 0 && run.repeat == 1)
        figure.estimate.value /= 20;
  const auto said = training_findings(document);
  EXPECT_THAT(said, Contains(HasSubstr("Whether more cores than 1 pay is inconclusive: ")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("all of them pay"))));
}

TEST(TrainingFindings, SayThatATimeIsExtrapolated) {
  auto document = training_document();
  for (auto& cell : document.cells)
    set(cell.facts, fact::training_time, "extrapolated from 50 steps and 10 steps of verifying");
  EXPECT_THAT(
      training_findings(document)[1],
      AllOf(HasSubstr("would take"), HasSubstr("; extrapolated from 50 steps and 10 steps of verifying)")));
}

TEST(TrainingFindings, NameTheDataWhereItIsTheLimit) {
  auto document = training_document();
  for (auto& cell : document.cells) cell.stages_ms["wait"] = cell.stages_ms["step"];
  EXPECT_THAT(training_findings(document),
              Contains(HasSubstr("input is a limit: it waited for the next batch 50 % of the time")));
}

TEST(TrainingFindings, KeepNetworksApart) {
  auto document = training_document();
  document.cells[0].cell.factors["model"] = "lenet5";
  document.cells[1].cell.factors["model"] = "lenet5";
  document.cells[2].cell.factors["model"] = "resnet50";
  const auto said = training_findings(document);
  EXPECT_THAT(said[0], StartsWith("lenet5: The fastest of 2 configurations is threads 2"));
  EXPECT_THAT(said, Contains(StartsWith("resnet50: It learns at ")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("of 3 configurations"))));
}

TEST(TrainingFindings, AndThePagesFiguresSpeakOfTheSameConfiguration) {
  auto document = training_document({.batches = {32, 128}, .noise = 0.3});
  ASSERT_NE(answer_configuration(document), nullptr);
  EXPECT_THAT(
      training_findings(document)[0],
      HasSubstr("Of 6 configurations, " + answer_configuration(document)->cell.label + " has the best"));
  document.cells.clear();
  EXPECT_EQ(answer_configuration(document), nullptr);
}

TEST(TrainingFindings, OfNothingAreNone) {
  auto document = training_document();
  document.cells.clear();
  EXPECT_TRUE(training_findings(document).empty());
}

TEST(Scaling, LeavesOutWhatHasNoNumberOfCores) {
  auto document = training_document();
  EXPECT_EQ(scalings(document).size(), 1U);
  document.cells[0].cell.factors["threads"] = 0;
  ASSERT_EQ(scalings(document).size(), 1U);
  EXPECT_EQ(scalings(document)[0].fewest(), 2);
  document.cells[1].cell.factors["threads"] = 0;
  EXPECT_TRUE(scalings(document).empty());
}

TEST(Scaling, IsDrawnWithItsEfficiencyAndTheIdeal) {
  const auto drawing = draw("scaling", training_document());
  ASSERT_EQ(drawing.panels.size(), 2U);
  EXPECT_EQ(drawing.panels[1].caption, "speed-up over one core, with efficiency");
  std::map<double, double> ideal;
  std::vector<std::string> notes;
  for (const auto& row : rows_of(drawing.panels[1])) {
    if (row["line"] == "ideal") ideal[row["x"]] = row["value"];
    if (row["note"] != "") notes.push_back(row["note"]);
  }
  EXPECT_EQ(ideal, (std::map<double, double>{{1, 1}, {2, 2}, {4, 4}}));
  EXPECT_EQ(notes.size(), 2U) << "of the fewest there is none";
}

TEST(Learnt, HasALineForEachConfiguration) {
  const auto drawing = draw("learnt", training_document());
  ASSERT_EQ(drawing.panels.size(), 3U);
  EXPECT_EQ(rows_of(drawing.panels[0]).size(), 9U);
  EXPECT_EQ(rows_of(drawing.panels[0])[2]["value"], 89);
}

/// Shown is what the interval of the difference leaves no other way.
TEST(TrainingFindings, CallNothingTheFastestThatIsNotShownToBe) {
  const auto unsure = training_document({.cores = {1, 2}, .serial = 0.97, .noise = 0.05});
  for (const auto& said : {training_findings(unsure)[0], findings(training_document({.repeat = 1}))[0]}) {
    EXPECT_THAT(said,
                AllOf(HasSubstr(" has the best mean: "), HasSubstr("It is not shown to be faster than ")));
    EXPECT_THAT(said, Not(HasSubstr("The fastest")));
  }
  EXPECT_THAT(findings(training_document({.repeat = 1}))[0], HasSubstr("(no interval)"));
  const auto command = findings(command_document({.cores = {1, 2}, .serial = 0.97, .noise = 0.05}));
  EXPECT_THAT(command[0], HasSubstr("It is not shown to be faster than threads "));
  EXPECT_THAT(
      findings(command_document())[0],
      AllOf(StartsWith("The fastest of 3 configurations is threads 4: "), HasSubstr(", others up to ")));
}

TEST(DurationText, HasItsUnitAndWhatIsNotKnownADash) {
  EXPECT_EQ(duration_text({.value = 37.5}), "37.5 s");
  EXPECT_EQ(duration_text({.value = 37.5, .low = 37, .high = 38}), "37.5 s ± 500 ms");
  EXPECT_EQ(duration_text({.value = std::nan("")}), "–");
  EXPECT_EQ(duration_text({.value = 37.5, .low = 37.5 - 1e-9, .high = 37.5 + 1e-9}), "37.5 s") << "dust";
}

/// A configuration that was left out has its reason too, and no run.
TEST(FindingsOfFailures, GiveTheReasonOfTheRunsThatFailed) {
  Document document;
  document.cells = {{.failures = {"2 cores"}, .verdict = Verdict::invalid},
                    {.runs_failed = 1, .failures = {"ValueError: boom"}, .verdict = Verdict::invalid}};
  EXPECT_THAT(findings(document), Contains(HasSubstr("failed: ValueError: boom")));
}

}  // namespace
}  // namespace neph::report
