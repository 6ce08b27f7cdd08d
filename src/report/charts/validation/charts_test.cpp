#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/charts/chart.hpp"
#include "report/sample_validation_test.hpp"

namespace neph::report {
namespace {

using testing::HasSubstr;

Drawing draw(std::string_view id, const Validation& validation) {
  for (const auto& chart : validation_charts())
    if (chart.id == id) return chart.draw(validation);
  ADD_FAILURE() << "no chart " << id;
  return {};
}

Json rows_of(const Panel& panel) { return panel.spec["data"]["values"]; }

TEST(ValidationCharts, DrawATypicalOneAndNothingOfNothing) {
  for (const auto& chart : validation_charts()) {
    const auto drawing = chart.draw(sample_validation());
    ASSERT_FALSE(drawing.panels.empty()) << chart.id;
    for (const auto& panel : drawing.panels) {
      EXPECT_FALSE(panel.caption.empty());
      EXPECT_EQ(panel.spec["description"], panel.description);
    }
    EXPECT_TRUE(chart.draw({}).panels.empty()) << chart.id;
  }
}

TEST(Predicted, HasAPanelOfEachMethodOnTheSameAxesAndLeavesRefusedOut) {
  const auto drawing = draw("predicted", sample_validation());
  ASSERT_EQ(drawing.panels.size(), 2u);
  EXPECT_EQ(rows_of(drawing.panels[0]).size(), 47u);
  const auto &first = drawing.panels[0].spec["encoding"], &second = drawing.panels[1].spec["encoding"];
  EXPECT_EQ(first["x"]["scale"], second["y"]["scale"]);
  EXPECT_EQ(first["x"]["title"], "measured time (ms)");
  for (const auto& row : rows_of(drawing.panels[0])) {
    EXPECT_LE(row["low"], row["value"]);
    EXPECT_GE(row["measured"], first["x"]["scale"]["domain"][0]);
  }
}

TEST(Predicted, ThinsButKeepsTheWorst) {
  auto validation = sample_validation({.points = 9000, .methods = {"auto"}});
  validation.methods[0].rows[1234].value = 1e9;
  const auto drawing = draw("predicted", validation);
  EXPECT_THAT(drawing.note, HasSubstr("3000 of 8999"));
  double worst = 0;
  for (const auto& row : rows_of(drawing.panels.at(0))) worst = std::max(worst, row["value"].get<double>());
  EXPECT_NEAR(worst, 1e9, 1);
}

TEST(Residuals, AreAgainstEachFeatureThatDiffers) {
  auto validation = sample_validation();
  validation.features.push_back({"constant", std::vector<Json>(48, 1)});
  const auto drawing = draw("residuals", validation);
  ASSERT_EQ(drawing.panels.size(), 3u);
  const auto axis = [&](std::size_t panel) {
    return drawing.panels[panel].spec["layer"][1]["encoding"]["x"];
  };
  EXPECT_EQ(axis(0)["scale"]["type"], "log");
  EXPECT_EQ(axis(1)["type"], "nominal");
  EXPECT_EQ(axis(2)["scale"]["type"], "linear");
  EXPECT_EQ(rows_of(drawing.panels[1]).size(), 94u);
  EXPECT_EQ(rows_of(drawing.panels[2]).size(), 92u) << "an empty cell has no place on an axis of numbers";
}

TEST(Residuals, SayWhatTheyLeaveOut) {
  auto validation = sample_validation();
  for (std::size_t i = 0; i < 48; ++i) validation.features[1].values[i] = "m" + std::to_string(i);
  const auto drawing = draw("residuals", validation);
  EXPECT_EQ(drawing.panels.size(), 2u);
  EXPECT_THAT(drawing.note, HasSubstr("machine"));
}

TEST(Contributions, LeaveOutWhatIsNotKnown) {
  EXPECT_EQ(rows_of(draw("contributions", sample_validation()).panels.at(0)).size(), 2u);
}

}  // namespace
}  // namespace neph::report
