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

}  // namespace
}  // namespace neph::report
