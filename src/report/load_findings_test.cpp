#include "report/load_findings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "report/findings.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(LoadFindings, NameTheHighestRateThatMeetsTheSlo) {
  const auto said = findings(load_document());
  EXPECT_EQ(said[0], "SLO of 99 % of the responses within 50 ms: met at 80.1 requests/s; violated at 120.");
  EXPECT_THAT(said,
              Contains(HasSubstr("The server did not keep up with 160 requests/s offered: it answered 1")));
  EXPECT_THAT(said, Contains(HasSubstr("In a closed loop, where each client waits for its reply")));
  EXPECT_THAT(said, Contains(HasSubstr("% of the requests were not answered (rate 160")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("images/s"))));
}

/// A load of one rate with an SLO, of which `offered` and `answered` per second were seen for a minute.
Document one_rate(double offered, double answered) {
  auto document = load_document();
  document.cells.resize(1);
  auto& cell = document.cells[0];
  cell.runs_ok = 1;
  cell.figures["offered_per_s"] = {.value = offered, .n = 1};
  cell.figures["requests_per_s"] = {.value = answered, .n = 1};
  cell.figures["requests_answered"] = {.value = 60 * offered, .n = 1};
  for (const auto* kind : {"unavailable", "timed_out", "failed", "abandoned"})
    cell.figures[fmt::format("requests_{}", kind)] = {.value = 0, .n = 1};
  return document;
}

/// Seen: 214 arrivals in a minute of a Poisson schedule at 4/s, all answered, called overload.
TEST(LoadFindings, CompareAnswersWithWhatWasOfferedNotWithTheRateAskedFor) {
  auto document = one_rate(214 / 60.0, 214 / 60.0);
  document.cells[0].cell.spec["rate"] = 4;
  const auto said = findings(document);
  EXPECT_THAT(said, Contains(HasSubstr("The server kept up with 3.57 requests/s offered")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("did not keep up"))));
}

TEST(LoadFindings, AFewMissingAnswersTellNothing) {
  EXPECT_THAT(
      findings(one_rate(1, 57 / 60.0)),
      Contains(
          "Whether the server kept up with 1.00 requests/s offered is inconclusive: it answered 57 of 60 "
          "in the measured time; a longer --duration tells."));
  EXPECT_THAT(findings(one_rate(10, 9)), Contains(HasSubstr("did not keep up with 10.0 requests/s offered")));
  auto slow = one_rate(10, 9);
  slow.cells[0].figures["in_flight_mean"] = {.value = 80, .n = 1};  // 60 are missing, and may be on their way
  EXPECT_THAT(findings(slow), Contains(HasSubstr("inconclusive: it answered 540 of 600")));
}

/// 100 requests at 200 a second, which took a second to be answered.
TEST(LoadFindings, ACountThatDrainedSlowlyWasNotKeptUpWith) {
  auto document = one_rate(200, 100);
  document.cells[0].figures["requests_answered"] = {.value = 100, .n = 1};
  document.cells[0].figures["in_flight_mean"] = {.value = 25, .n = 1};
  EXPECT_THAT(findings(document), Contains(HasSubstr("did not keep up with 200 requests/s offered")));
}

TEST(LoadFindings, AnInvalidRunBlamesNoServer) {
  auto document = one_rate(160, 90);
  auto& cell = document.cells[0];
  cell.verdict = Verdict::invalid;
  cell.warnings = {{WarningCode::generator_saturated, "the generator was the bottleneck", "", Weight::voids}};
  cell.figures["requests_timed_out"] = {.value = 300, .n = 1};
  cell.figures["late_share"] = {.value = 0.9, .low = 0.8, .high = 0.95, .n = 1};
  const auto said = findings(document);
  EXPECT_EQ(said[0],
            "All numbers are invalid (generator saturated), so nothing can be said about the server.");
  for (const auto* blame : {"keep up", "violated", "not answered", "At no rate"})
    EXPECT_THAT(said, Not(Contains(HasSubstr(blame)))) << blame;
}

/// Seen: "No run has ended well", of a closed loop whose --clients were not given.
TEST(LoadFindings, AClosedLoopHasOneClientUnlessItSaysMore) {
  auto document = load_document();
  const auto closed = std::find_if(document.cells.begin(), document.cells.end(), [](const auto& cell) {
    return cell.facts.at("loop").starts_with("closed");
  });
  auto cell = *closed;
  cell.cell.factors = Json::object();
  cell.cell.spec.erase("clients");
  cell.cell.label = "all";
  document.cells = {cell};
  EXPECT_THAT(findings(document)[0], HasSubstr("1 client got "));
}

TEST(LoadFindings, WhatWasHeldBackIsNotTheServers) {
  auto document = one_rate(40, 18.5);
  document.cells[0].warnings = {{WarningCode::in_flight_reached, "150 of 400 requests waited", ""}};
  const auto said = findings(document);
  EXPECT_THAT(said[0], StartsWith("The limit --in-flight held requests back"));
  for (const auto* blame : {"keep up", "kept up", "SLO"})
    EXPECT_THAT(said, Not(Contains(HasSubstr(blame)))) << blame;
}

TEST(LoadFindings, AHandfulOfRequestsShowsNoPace) {
  auto document = one_rate(20, 20);
  document.cells[0].figures["requests_answered"].value = 5;
  const auto said = findings(document);
  EXPECT_THAT(said, Contains(HasSubstr("keeps up with 20.0 requests/s is not told by 5 requests")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("kept up"))));
}

TEST(LoadFindings, ASettingThatIsAloneIsNotNamed) {
  auto document = one_rate(40, 30);
  document.cells[0].figures["requests_failed"].value = 600;
  EXPECT_THAT(findings(document), Contains(HasSubstr("20.0 % of the requests were not answered.")));
}

Document found_by(std::vector<Probe> probes) {
  auto document = load_document();
  document.cells.resize(1);
  document.cells[0].runs_ok = 1;
  document.cells[0].probes = std::move(probes);
  return document;
}

TEST(LoadFindings, SayWhatASearchFound) {
  const Probe met{.rate_per_s = 44.1, .outcome = Slo::met, .is_fresh = true, .late = 3, .requests = 1047};
  const Probe undecided{
      .rate_per_s = 49.6, .requests = 320, .requests_to_tell = 473, .undecided = "473 requests would tell"};
  const Probe violated{.rate_per_s = 88.2, .outcome = Slo::violated, .late = 90, .requests = 1047};
  EXPECT_EQ(
      findings(found_by({violated, undecided, met}))[0],
      "SLO of 99 % of the responses within 50 ms: met at 44.1 requests/s; inconclusive at 49.6 (0 of 320 "
      "late; 473 requests would tell); violated at 88.2.");
  EXPECT_THAT(
      findings(found_by({undecided})),
      AllOf(Contains(HasSubstr("met at no rate tried; inconclusive at 49.6 requests/s (0 of 320 late")),
            Not(Contains(HasSubstr("violated")))))
      << "inconclusive is not violated";
}

TEST(LoadFindings, ASearchThatWasEndedSaysHowFarItGot) {
  EXPECT_THAT(findings(found_by({{.rate_per_s = 20, .outcome = Slo::met},
                                 {.rate_per_s = 40, .outcome = Slo::violated}}))[0],
              HasSubstr("met at 20.0 requests/s; violated at 40.0; not confirmed by a fresh probe."));
}

/// Runs that found these rates; 0: none.
void searched(Document& document, const std::vector<double>& rates) {
  for (const double rate : rates) {
    auto& run =
        document.runs.emplace_back(Run{.cell = document.cells[0].cell.index, .status = RunStatus::ok});
    if (rate > 0) run.result.figures = {{"sustained_per_s", "requests per second", {.value = rate, .n = 12}}};
  }
}

TEST(LoadFindings, SeveralSearchesAreSummedUp) {
  auto document = found_by({{.rate_per_s = 96, .outcome = Slo::met}});
  document.cells[0].runs_ok = 3;
  document.cells[0].figures["sustained_per_s"] = {.value = 96, .low = 90, .high = 104, .n = 3};
  searched(document, {90, 96, 104});
  EXPECT_EQ(findings(document)[0],
            "SLO of 99 % of the responses within 50 ms: met at 96.0 requests/s (95 % CI 90.0 to 104) in 3 of "
            "3 searches.");
}

/// Its n is the run's measurements and its interval the bracket of one search.
TEST(LoadFindings, OneOfSeveralSearchesThatFoundARateIsCountedAsOne) {
  auto document = found_by({{.rate_per_s = 40, .outcome = Slo::met}});
  document.cells[0].runs_ok = 3;
  document.cells[0].figures["sustained_per_s"] = {.value = 40, .low = 40, .high = 44, .n = 12};
  searched(document, {0, 40, 0});
  EXPECT_EQ(findings(document)[0],
            "SLO of 99 % of the responses within 50 ms: met at 40.0 requests/s in 1 of 3 searches.");
}

/// Seen: "met" after 8 requests, since two runs without a late one do not vary.
TEST(LoadFindings, AHandfulOfRequestsMeetsNoSlo) {
  auto document = one_rate(4, 4);
  auto& cell = document.cells[0];
  cell.runs_ok = 2;
  cell.figures["late_share"] = {.value = 0, .low = 0, .high = 0, .n = 2};
  cell.figures["requests_answered"] = {.value = 4, .n = 2};
  const auto told = "met at no rate tried; inconclusive at 4.00 requests/s (0 of 8 late)";
  EXPECT_THAT(findings(document)[0], HasSubstr(told));
  cell.figures["requests_answered"].value = 400;
  EXPECT_THAT(findings(document)[0], HasSubstr("met at 4.00 requests/s"));
  cell.figures["late_share"].high = 0.02;
  EXPECT_THAT(findings(document)[0], HasSubstr("inconclusive at 4.00 requests/s")) << "the runs differ";
}

/// Of five runs, say.
TEST(LoadFindings, AQueueThatGrewOnceDoesNotBlameTheServerOnTheWhole) {
  auto document = one_rate(10, 9.9);
  document.cells[0].warnings = {{WarningCode::overloaded, "the queue grew as long as the run lasted", ""}};
  EXPECT_THAT(findings(document), Contains(HasSubstr("10.0 requests/s offered is inconclusive")));
  document.cells[0].figures["requests_per_s"].value = 9.7;
  EXPECT_THAT(findings(document), Contains(HasSubstr("did not keep up")));
}

/// Batch 1 keeps up with both rates, batch 8 with none.
TEST(LoadFindings, ConfigurationsAreNotMixed) {
  const auto light = one_rate(40, 40).cells[0], heavy = one_rate(10, 5).cells[0];
  auto document = load_document();
  document.cells = {light, light, heavy, heavy};
  const std::vector<Json> factors{{{"batch", 1}, {"rate", 10}},
                                  {{"batch", 1}, {"rate", 40}},
                                  {{"batch", 8}, {"rate", 10}},
                                  {{"batch", 8}, {"rate", 40}}};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    auto& cell = document.cells[i];
    cell.cell.factors = factors[i];
    cell.figures["offered_per_s"].value = factors[i]["rate"];
    cell.figures["requests_answered"].value = 60.0 * factors[i]["rate"].get<double>();
    const double late = i < 2 ? 0 : 0.9;
    cell.figures["late_share"] = {.value = late, .low = late, .high = late, .n = 1};
  }
  document.cells[0].figures["requests_per_s"].value = 10;
  const auto said = findings(document);
  for (const auto* told :
       {"batch 1: SLO of 99 % of the responses within 50 ms: met at 40.0 requests/s.",
        "batch 8: SLO of 99 % of the responses within 50 ms: met at no rate tried; violated at "
        "10.0 requests/s."})
    EXPECT_THAT(said, Contains(told));
  EXPECT_THAT(said, Contains(StartsWith("batch 1: The server kept up with 40.0 requests/s")));
  EXPECT_THAT(said, Contains(StartsWith("batch 8: The server did not keep up with 10.0 requests/s")));
}

TEST(LoadFindings, LimitsAreNotMixed) {
  auto document = one_rate(40, 40);
  auto& strict = document.cells[0];
  strict.cell.factors = {{"p99", "50ms"}, {"rate", 40}};
  strict.figures["late_share"] = {.value = 0.5, .low = 0.4, .high = 0.6, .n = 1};
  auto lenient = strict;
  lenient.cell.factors["p99"] = lenient.cell.spec["p99"] = "100ms";
  lenient.figures["late_share"] = {.value = 0, .low = 0, .high = 0.005, .n = 1};
  document.cells.push_back(lenient);
  const auto said = findings(document);
  EXPECT_THAT(said, Contains(HasSubstr("within 50 ms: met at no rate tried; violated at 40.0")));
  EXPECT_THAT(said, Contains(HasSubstr("within 100 ms: met at 40.0")));
}

/// Seen: "did not keep up with 38.5", where 78.3 of 79.2 were answered.
TEST(LoadFindings, ALowerRateThanOneThatWasAnsweredIsNotTooHigh) {
  auto document = one_rate(38.5, 30);
  auto more = one_rate(79.2, 78.3).cells[0];
  for (auto& [cell, rate] : {std::pair{&document.cells[0], 38.5}, {&more, 79.2}}) {
    cell->cell.factors = {{"rate", rate}};
    cell->cell.spec["rate"] = rate;
  }
  document.cells.push_back(more);
  const auto said = findings(document);
  EXPECT_THAT(said, Contains(StartsWith("The server kept up with 79.2 requests/s offered")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("did not keep up"))));
  document.cells[1].warnings = {{WarningCode::overloaded, "the queue grew", ""}};
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("did not keep up"))));
  document.cells[1].figures["requests_per_s"].value = 31;
  EXPECT_THAT(findings(document), Contains(HasSubstr("did not keep up with 38.5 requests/s offered")));
}

TEST(LoadFindings, SpeakOfNoRateWhereAllCameAtOnce) {
  auto document = load_document();
  document.cells.resize(1);
  document.cells[0].facts["loop"] = "open, all at once";
  const auto said = findings(document);
  EXPECT_THAT(said[0],
              AllOf(HasSubstr("Of requests that came all at once it answered"), HasSubstr("requests/s")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("kept up"))));
}

TEST(LoadFindings, SayThatNothingIsKnownWithoutAResult) {
  Document document;
  document.experiment.workload = "load";
  EXPECT_EQ(findings(document)[0], "No run has ended well, so nothing can be said about speed.");
}

}  // namespace
}  // namespace neph::report
