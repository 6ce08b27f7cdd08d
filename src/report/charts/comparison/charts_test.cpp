#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/charts/drawn_test.hpp"
#include "report/charts/vega.hpp"
#include "report/sample_comparison_test.hpp"

namespace neph::report {
namespace {

using testing::HasSubstr;

TEST(ChangesChart, HasAPanelOfEachMetricWithTheGravestFirst) {
  const auto drawing = changes_chart.draw(sample_comparison({.metrics = {"images_per_s", "command_s"}}));
  ASSERT_EQ(drawing.panels.size(), 2u);
  for (const auto& panel : drawing.panels) {
    const auto rows = rows_of(panel);
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0]["verdict"], "worse");
    EXPECT_EQ(rows[3]["verdict"], "equivalent");
    EXPECT_EQ(panel.spec["description"], panel.description);
    for (const auto& row : rows) EXPECT_LE(row["low"], row["high"]);
  }
  const auto title_of = [&](std::size_t panel) {
    return drawing.panels[panel].spec["encoding"]["x"]["title"].get<std::string>();
  };
  EXPECT_EQ(drawing.panels[0].caption, "whole time") << "its change is the larger: 4.3 %";
  EXPECT_EQ(title_of(0), "← shorter\u2003\u2003longer →") << "short enough for a phone";
  EXPECT_EQ(title_of(1), "← slower\u2003\u2003faster →");
}

TEST(ChangesChart, HasTheThresholdAsARatioOfBothSides) {
  auto comparison = sample_comparison();
  comparison.threshold = 0.25;
  const auto band = changes_chart.draw(comparison).panels.at(0).spec["layer"][0]["data"]["values"][0];
  EXPECT_NEAR(band["to"].get<double>(), 25, 1e-9);
  EXPECT_NEAR(band["from"].get<double>(), -20, 1e-9);
}

TEST(ChangesChart, LeavesOutWhatHasNoRatioAndDrawsNothingOfNothing) {
  auto comparison = sample_comparison();
  comparison.rows[0].ratio = {};
  EXPECT_EQ(rows_of(changes_chart.draw(comparison).panels.at(0)).size(), 3u);
  EXPECT_TRUE(changes_chart.draw(refused_comparison()).panels.empty());
  EXPECT_TRUE(pairs_chart.draw(refused_comparison()).panels.empty());
}

TEST(PairsChart, HasOneAxisForAllAndSaysWhatItLeavesOut) {
  const auto drawing = pairs_chart.draw(sample_comparison({.configurations = 9}));
  ASSERT_EQ(drawing.panels.size(), 6u);
  EXPECT_THAT(drawing.note, HasSubstr("6 of 9"));
  const auto domain_of = [](const Panel& panel) {
    return panel.spec["layer"][0]["encoding"]["y"]["scale"]["domain"];
  };
  for (const auto& panel : drawing.panels) {
    EXPECT_EQ(domain_of(panel), domain_of(drawing.panels[0]));
    for (const auto& row : rows_of(panel)) {
      EXPECT_GT(row["change"], domain_of(panel)[0]);
      EXPECT_LT(row["change"], domain_of(panel)[1]);
    }
  }
  EXPECT_TRUE(pairs_chart.draw(sample_comparison({.is_paired = false})).panels.empty());
}

TEST(HistoryChart, HasAPanelOfEachLineWithItsMeansAndChanges) {
  const auto drawing = history_chart.draw(sample_history());
  ASSERT_EQ(drawing.panels.size(), 2u);
  const auto& changed = drawing.panels[0].spec["layer"];
  ASSERT_EQ(changed.size(), 5u) << "intervals, points, means, two changes";
  const auto means = changed[2]["data"]["values"];
  ASSERT_EQ(means.size(), 3u);
  EXPECT_EQ(means[0]["to"], 6.5);
  EXPECT_EQ(means[1]["from"], 6.5);
  EXPECT_NEAR(means[1]["mean"].get<double>(), 44.7 * 0.948, 0.3);
  const auto change = changed[3]["data"]["values"][0];
  EXPECT_EQ(change["place"], 6.5);
  EXPECT_THAT(change["label"].get<std::string>(), testing::StartsWith("5.1 % slower: openvino 2025.1"));
  EXPECT_EQ(change["told"], "5.1 % slower: openvino 2025.1 → openvino 2026.4") << "whole in the tooltip";
  EXPECT_EQ(changed[4]["data"]["values"][0]["label"], "3.1 % faster");
  EXPECT_EQ(without_empty_intervals(drawing.panels[1].spec)["layer"].size(), 2u) << "no intervals, no change";
}

TEST(HistoryChart, NamesExperimentsByTheirDayUnlessAllAreOfOne) {
  auto history = sample_history();
  const auto name_of_first = [&] {
    return history_chart.draw(history).panels.at(0).spec["params"][0]["value"][0].get<std::string>();
  };
  EXPECT_EQ(name_of_first(), "2026-11-01");
  for (auto& point : history.lines[0].points) point.created = "2026-11-01T10:00:00Z";
  EXPECT_EQ(name_of_first(), "1");
}

TEST(HistoryChart, ShowsMemoryInMebibytes) {
  History history{
      .metric = "peak_memory_bytes",
      .lines = {{.configuration = "a", .points = {{.experiment = 1, .value = {.value = 1 << 21}}}}}};
  const auto panel = history_chart.draw(history).panels.at(0);
  EXPECT_EQ(rows_of(panel)[0]["value"], 2);
  EXPECT_EQ(panel.spec["layer"][1]["encoding"]["y"]["title"], "peak memory, MiB");
  history.lines[0].points.clear();
  EXPECT_TRUE(history_chart.draw(history).panels.empty());
}

}  // namespace
}  // namespace neph::report
