#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/telemetry.hpp"
#include "report/charts/chart.hpp"
#include "report/page/written_test.hpp"
#include "report/report.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Series series(const Metric& quantity, std::string_view unit, std::vector<double> at,
              std::vector<double> values) {
  return {.target = "machine",
          .name = std::string(quantity.name),
          .unit = std::string(unit),
          .at_s = std::move(at),
          .values = std::move(values)};
}

Recording recording() {
  Recording one{.source = "old.csv",
                .program = "Dstat 0.8.0",
                .host = "node<b>3",
                .command = "dstat -tcmdrn 2",
                .begin_s = 1795606609,
                .zone = "UTC",
                .rows = 4,
                .interval_s = 2,
                .length_s = 24,
                .gaps = 1,
                .gaps_s = 20};
  one.series = {
      series(telemetry::cpu_user, unit::percent, {2, 22, 24}, {50, 60, 70}),
      series(telemetry::cpu_system, unit::percent, {2, 22, 24}, {10, 10, 10}),
      series(telemetry::memory_occupied, unit::bytes, {0, 2, 22, 24}, {1 << 30, 1 << 30, 3 << 29, 1 << 30}),
      series(telemetry::network_sent, unit::bytes_per_s, {2}, {0})};
  one.notes = {"left out: <b>most expensive"};
  return one;
}

TEST(Recordings, HaveAPageOfTheirOwn) {
  const auto text = written(html({recording()}));
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("4 rows, one every 2.00 s, over 24.0 s; nothing was recorded in 20.0 s of it, in 1 gap"),
          HasSubstr("from 2026-11-25 11:36:49 UTC"), HasSubstr("computed 70.0&nbsp;% of the time")))
      << "the mean of 60, 70 and 80 %";
  EXPECT_THAT(text, AllOf(HasSubstr("At most 1.50 GiB of memory was used"), HasSubstr("dstat -tcmdrn 2")));
  EXPECT_THAT(text, Not(HasSubstr("<b>most"))) << "no text becomes markup";
  EXPECT_THAT(text, Not(HasSubstr("node<b>3")));
  EXPECT_EQ(count(text, "<h1>"), 1u);
}

TEST(Recordings, StandBesideAnExperiment) {
  const auto without = html(sample_document());
  EXPECT_EQ(html(sample_document(), {}), without);
  const auto with = html(sample_document(), {recording()});
  EXPECT_THAT(with,
              AllOf(HasSubstr("id=\"recordings\""), HasSubstr("id=\"recorded\""), HasSubstr("old.csv")));
  EXPECT_THAT(without, Not(HasSubstr("id=\"recordings\"")));
}

TEST(Recordings, LinesBreakWhereNothingWasRecorded) {
  const auto drawing = recordings_chart.draw({recording()});
  ASSERT_EQ(drawing.panels.size(), 2u) << "CPU and memory";
  EXPECT_EQ(drawing.note, "Always 0 and not drawn: Network.");
  const auto& row = drawing.panels[0].spec["data"]["values"][0];
  EXPECT_EQ(row["series"], "user");
  EXPECT_EQ(row["t"], Json::parse("[2, 22, 22, 24]")) << row.dump();
  EXPECT_EQ(row["v"], Json::parse("[50, null, 60, 70]")) << row.dump();
}

TEST(Recordings, LongOnesAreThinnedAndInHours) {
  auto one = recording();
  one.series = {series(telemetry::cpu_user, unit::percent, {}, {})};
  one.interval_s = 1;
  for (int i = 0; i < 20000; ++i) {
    one.series[0].at_s.push_back(i);
    one.series[0].values.push_back(i % 100);
  }
  one.length_s = 20000;
  const auto drawing = recordings_chart.draw({one, recording()});
  const auto& spec = drawing.panels.at(0).spec;
  EXPECT_EQ(spec["encoding"]["x"]["title"], "hours from the first row");
  EXPECT_LE(spec["data"]["values"][0]["t"].size(), 2000u);
  EXPECT_NEAR(spec["data"]["values"][0]["t"].back().get<double>(), 20000 / 3600.0, 0.01);
  EXPECT_THAT(drawing.note, HasSubstr("mean of up to 10 rows"));
  EXPECT_EQ(drawing.choices.size(), 2u);
  EXPECT_EQ(drawing.chosen, "Recording");
}

}  // namespace
}  // namespace neph::report
