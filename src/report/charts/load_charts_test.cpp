#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/charts/drawn_test.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LoadTimes, ShowPercentilesTheLimitAndTheClosedLoopApart) {
  const auto drawing = draw("load_times", load_document());
  ASSERT_EQ(drawing.panels.size(), 2u);
  EXPECT_EQ(drawing.panels[1].caption, "response time, ms, closed loop");
  EXPECT_EQ(drawing.panels[0].spec["encoding"]["color"]["scale"]["domain"],
            Json({"p50", "p90", "p99", "p999"}));
  EXPECT_EQ(drawing.panels[0].spec["layer"].back()["encoding"]["text"]["value"], "SLO: 99 % within 50 ms");
}

TEST(LoadTimes, DrawNoPercentileWithoutAnInterval) {
  auto document = load_document();
  for (auto& cell : document.cells) cell.latency_ms["p999"].low = cell.latency_ms["p999"].high = {};
  for (const auto& row : rows_of(draw("load_times", document).panels.at(0))) EXPECT_NE(row["line"], "p999");
}

TEST(LoadRate, ShowsWhatWasOfferedOnlyWhereSomethingWas) {
  const auto drawing = draw("load_rate", load_document());
  ASSERT_EQ(drawing.panels.size(), 2u);
  EXPECT_EQ(drawing.panels[0].spec["encoding"]["color"]["scale"]["domain"].size(), 3u);
  EXPECT_THAT(dump_json(drawing.panels[1].spec["encoding"]["color"]), Not(HasSubstr("offered")));
}

/// Of random arrivals fewer or more than asked for are offered, and the server answers those.
TEST(LoadRate, DrawsTheOfferedRateNotTheOneAskedFor) {
  auto document = load_document();
  document.cells[5].figures["offered_per_s"] = {.value = 147.123, .n = 1};
  document.cells[5].verdict = Verdict::invalid;
  const auto panel = draw("load_rate", document).panels.at(0);
  EXPECT_THAT(dump_json(panel.spec["encoding"]["x"]["axis"]["values"]), HasSubstr("147.0]"));
  int seen = 0;
  for (const auto& row : rows_of(panel))
    if (row["label"] == document.cells[5].cell.label) {
      EXPECT_NEAR(row["x"], 147.12, 1e-9);
      EXPECT_TRUE(row["line"] != "offered" || row["value"] == 147.12) << row;
      EXPECT_EQ(row["note"], row["line"] == "answered" ? "invalid" : "");
      ++seen;
    }
  EXPECT_EQ(seen, 3);
}

/// Seen: "a cold start costs 18.1 s", of the warm-ups of 17 probes.
TEST(Phases, OfASearchEndWhereItFirstMeasures) {
  auto document = load_document();
  document.cells.resize(1);
  document.cells[0].runs_ok = 1;
  document.cells[0].phases_s = {{"connect", {.value = 0.1, .n = 1}}, {"warmup", {.value = 4, .n = 1}}};
  neph::Run run{.cell = document.cells[0].cell.index};
  run.result.phases = {{"connect", 0, 0.1}, {"warmup", 0.1, 2.1}, {"probe", 2.1, 3},
                       {"drain", 3, 3.1},   {"warmup", 3.1, 5.1}, {"probe", 5.1, 6}};
  document.runs = {run};
  const auto drawing = draw("phases", document);
  ASSERT_EQ(drawing.panels.size(), 1U);
  EXPECT_EQ(rows_of(drawing.panels[0])[0]["total"], "2.10 s");
}

/// Vega warns of a layer without any extent: "Infinite extent for field begin".
TEST(Telemetry, HasNoShadeWhereNothingIsAMeasurement) {
  auto document = sample_document();
  const auto layers = [&] { return draw("telemetry", document).panels.at(0).spec["layer"]; };
  EXPECT_EQ(layers().size(), 3U);
  for (auto& run : document.runs)
    for (auto& phase : run.result.phases)
      if (phase.name == "measure") phase.name = "look";
  ASSERT_EQ(layers().size(), 2U);
  EXPECT_TRUE(layers()[1]["encoding"]["color"].contains("scale")) << "the colours of phases";
}

}  // namespace
}  // namespace neph::report
