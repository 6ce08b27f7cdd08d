#include <map>

#include <gmock/gmock.h>

#include "report/charts/charts.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {

namespace {

using testing::HasSubstr;

CellSummary cell_of(const Document& document, const char* label, double speed, double ms) {
  CellSummary cell{.runs_ok = 3};
  cell.cell.index = std::ssize(document.cells);
  cell.cell.label = label;
  cell.figures["images_per_s"] = {.value = speed, .low = speed - 1, .high = speed + 1, .n = 3};
  cell.latency_ms["p50"] = {.value = ms, .low = ms - 2, .high = ms + 2, .n = 90};
  return cell;
}

Document document_of_four() {
  Document document;
  document.cells.push_back(cell_of(document, "slow and late", 10, 90));
  document.cells.push_back(cell_of(document, "fast and late", 40, 80));
  document.cells.push_back(cell_of(document, "fast and very late", 40, 100));
  document.cells.push_back(cell_of(document, "slow and early", 20, 30));
  return document;
}

TEST(Tradeoff, JoinsThoseThatNoneBeatsInBoth) {
  auto document = document_of_four();
  document.cells.push_back(cell_of(document, "not usable", 50, 20));
  document.cells.back().verdict = Verdict::invalid;
  const auto drawing = tradeoff_chart.draw(document);
  std::map<std::string, Json> places;
  for (const auto& row : drawing.panels.at(0).spec["data"]["values"]) places[row["label"]] = row["place"];
  EXPECT_EQ(places, (std::map<std::string, Json>{{"slow and early", 0},
                                                 {"fast and late", 1},
                                                 {"slow and late", nullptr},
                                                 {"fast and very late", nullptr}}));
  EXPECT_THAT(drawing.note, HasSubstr("1 configuration with an invalid verdict"));
  EXPECT_EQ(drawing.panels[0].spec["layer"][0]["layer"].size(), 6u) << "labels on both sides";
  document.cells.resize(2);  // the front is one point, at the left
  EXPECT_EQ(tradeoff_chart.draw(document).panels.at(0).spec["layer"][0]["layer"].size(), 5u);
}

TEST(Tradeoff, HasNothingThatIsNeverRecommended) {
  auto document = document_of_four();
  document.experiment.spec = Json{{"architecture", "in-process"}, {"files", "on"}};
  const auto drawn = [&] { return tradeoff_chart.draw(document).panels.at(0).spec["data"]["values"].size(); };
  EXPECT_EQ(drawn(), 4u);
  document.cells[1].cell.factors["files"] = "off";
  EXPECT_EQ(drawn(), 3u);
  document.cells[3].cell.factors =
      Json{{"architecture", "local"}, {"protocol", "http"}, {"client", "independent"}};
  EXPECT_EQ(drawn(), 2u);
  EXPECT_THAT(tradeoff_chart.draw(document).note, HasSubstr("Left out: 2 configurations"));
}

TEST(Tradeoff, ShowsTheLimitWithThePercentileThatItIsAbout) {
  auto document = sample_document();
  EXPECT_EQ(tradeoff_chart.draw(document).panels.at(0).spec["layer"][0]["encoding"]["x"]["title"],
            "median batch time, ms");
  document.experiment.latency_limit_s = 0.25;
  const auto spec = tradeoff_chart.draw(document).panels.at(0).spec;
  EXPECT_EQ(spec["layer"][0]["encoding"]["x"]["title"], "p95 batch time, ms");
  EXPECT_EQ(spec["layer"].back()["encoding"]["text"]["value"], "limit 250 ms");
  EXPECT_EQ(spec["layer"].back()["encoding"]["x"]["datum"], 250);
}

}  // namespace
}  // namespace neph::report
