#include "report/scaling_findings.hpp"

#include <gmock/gmock.h>

#include "report/charts/drawn_test.hpp"
#include "report/sample_document_test.hpp"
#include "report/scaling.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ScalingFindings, TellAmdahlsLawFromFourCounts) {
  const auto said = scaling_findings(training_document({.cores = {1, 2, 4, 8, 16}, .serial = 0.12}));
  EXPECT_THAT(said, Contains(AllOf(StartsWith("Amdahl's law: 1"),
                                   HasSubstr(" % of the time on one core does not scale (95 % CI 11."),
                                   HasSubstr("; beyond 9."))));
  const auto rough =
      scaling_findings(training_document({.cores = {1, 2, 4, 8}, .serial = 0.12, .noise = 0.05}));
  EXPECT_THAT(rough, Contains(AllOf(StartsWith("Amdahl's law: "), HasSubstr("less than half of each is used"),
                                    HasSubstr("; extrapolated)"))));
}

TEST(ScalingFindings, TellWhereItIsFastest) {
  const auto said = scaling_findings(
      training_document({.cores = {1, 2, 4, 8, 12, 16}, .serial = 0.05, .crosstalk = 0.012}));
  EXPECT_THAT(said, Contains(AllOf(StartsWith("Universal Scalability Law: "),
                                   HasSubstr("it is fastest near 8."), Not(HasSubstr("extrapol")))));
  // The same, with the most left out: what is beyond is no measurement.
  const auto few =
      scaling_findings(training_document({.cores = {1, 2, 3, 4, 6}, .serial = 0.05, .crosstalk = 0.012}));
  EXPECT_THAT(few, Contains(AllOf(StartsWith("Universal Scalability Law: "),
                                  HasSubstr("; extrapolated), and slower"))));
}

TEST(ScalingFindings, SayThatFewerCountsFitNoLaw) {
  const auto said = scaling_findings(training_document());
  ASSERT_EQ(said.size(), 3U);
  EXPECT_THAT(said[2], StartsWith("With 3 numbers of cores no law of scaling is fitted: it takes 4"));
  EXPECT_FALSE(laws_of(training_document(), scalings(training_document())[0]).are_fitted());
}

TEST(ScalingFindings, SayWhereNeitherLawDescribes) {
  auto document = training_document({.cores = {1, 2, 4, 8, 16}});
  for (auto& run : document.runs)
    if (run.cell == 3)
      for (auto& figure : run.result.figures)
        if (figure.name == metric::samples_per_s.name) figure.estimate.value /= 2;
  EXPECT_THAT(scaling_findings(document), Contains(StartsWith("Neither Amdahl's law nor")));
  EXPECT_EQ(draw("scaling", document).reading, "");
}

TEST(ScalingFindings, ClaimNoMoreThanTheRepeatsShow) {
  const auto said = scaling_findings(training_document({.cores = {1, 2, 4, 8}, .noise = 0.25}));
  EXPECT_THAT(said[0], HasSubstr("pay is inconclusive"));
  const auto calm = scaling_findings(training_document({.cores = {1, 2, 4, 8}}));
  EXPECT_THAT(calm[0],
              AllOf(StartsWith("4 cores are 3.0"), HasSubstr("; beyond that more do not pay: 8 cores")));
}

TEST(ScalingFindings, OfACommandCountItsTime) {
  const auto document = command_document({.cores = {1, 2, 4, 8}, .step_s = 0.6});
  const auto all = scalings(document);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_GT(all[0].levels.back().speedup.value, 3) << "less time is faster";
  EXPECT_THAT(scaling_findings(document), Contains(StartsWith("Amdahl's law: ")));
}

TEST(ScalingChart, DrawsTheLawWithItsBand) {
  const auto document = training_document({.cores = {1, 2, 4, 8, 16}});
  const auto drawing = draw("scaling", document);
  ASSERT_EQ(drawing.panels.size(), 2U);
  EXPECT_THAT(drawing.reading, HasSubstr("Amdahl"));
  const auto& layers = drawing.panels[0].spec["layer"];
  ASSERT_EQ(layers.size(), 4U) << "band, curve, intervals, points";
  EXPECT_EQ(layers[0]["mark"]["type"], "area");
  const auto& curve = layers[1]["data"]["values"];
  EXPECT_EQ(curve.front()["x"], 1);
  EXPECT_EQ(curve.back()["x"], 16);
  for (const auto* cell : {&document.cells.front(), &document.cells.back()}) {
    const auto& point = cell == &document.cells.front() ? curve.front() : curve.back();
    const double measured = cell->figures.at("epoch_s").value;
    EXPECT_NEAR(point["value"], measured, 0.02 * measured) << "the unit is the panel's";
    EXPECT_LT(point["low"], point["value"]);
    EXPECT_LT(point["value"], point["high"]);
  }
  EXPECT_EQ(draw("scaling", training_document()).panels[0].spec["layer"].size(), 3U);
}

/// Seen: "more than 1 do not pay", from one run each.
TEST(ScalingFindings, SayNothingOfOneRunEach) {
  const auto said = scaling_findings(training_document({.cores = {1, 2, 4, 8}, .repeat = 1}));
  EXPECT_THAT(said, ElementsAre(HasSubstr("one run each has no interval")));
  auto document = training_document();
  std::erase_if(document.runs, [](const neph::Run& run) { return run.cell == 2 && run.repeat > 0; });
  const auto some = scaling_findings(document);
  EXPECT_THAT(some, Contains(AllOf(StartsWith("2 cores are 1.8"), Not(HasSubstr("4 cores")))));
  EXPECT_THAT(some, Contains(HasSubstr("one run each has no interval")));
}

void set_busy(CellSummary& cell, double process, double machine) {
  cell.telemetry = {{.target = "process", .name = "cpu", .unit = "cores", .mean = process},
                    {.target = "machine", .name = "cpu_user", .unit = "cores", .mean = machine}};
}

/// Seen: "more than 1 do not pay", where the run on two cores got 0.52 of them.
TEST(ScalingFindings, SayNothingOfCoresThatWereNotToBeHad) {
  auto document = training_document({.cores = {1, 2}});
  set_busy(document.cells[1], 0.52, 0.6);
  const auto said = scaling_findings(document);
  EXPECT_THAT(said, ElementsAre("What more cores do is left open where they were not to be had: threads 2 "
                                "kept 0.520 of 2 cores busy."));
  EXPECT_TRUE(scalings(document).empty());
  document.machines[0].fingerprint["processor"]["online"] = 2;
  set_busy(document.cells[1], 1.4, 1.95);
  EXPECT_THAT(scaling_findings(document), ElementsAre(HasSubstr("threads 2 kept 1.40 of 2 cores busy")))
      << "another process held the rest";
  set_busy(document.cells[1], 1.4, 1.45);
  EXPECT_THAT(scaling_findings(document)[0], StartsWith("2 cores are 1.8")) << "they were idle";
}

}  // namespace
}  // namespace neph::report
