#include "record/views.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace neph {
namespace {

Run run_with(std::vector<Figure> figures) {
  Run run;
  run.result.figures = std::move(figures);
  return run;
}

TEST(Views, AreFoundByTheirWorkload) {
  std::set<std::string_view> names;
  for (const auto& view : views) {
    EXPECT_EQ(&view_of(view.workload), &view);
    EXPECT_TRUE(names.insert(view.workload).second) << view.workload;
    ASSERT_FALSE(view.main.empty()) << view.workload;
    EXPECT_TRUE(!view.better || view.main.size() == 1 || view.workload == "infer")
        << "which of them do configurations compete in?";
  }
}

TEST(Views, JudgeARunByTheFirstOfItsMainMetrics) {
  const auto answered = figure(metric::requests_per_s, {.value = 130});
  const auto sustained = figure(metric::sustained_per_s, {.value = 80});
  EXPECT_EQ(speed_of(view::load, run_with({answered})), 130);
  EXPECT_EQ(speed_of(view::load, run_with({answered, sustained})), 80);
  EXPECT_EQ(speed_of(view::infer, run_with({answered})), std::nullopt);
  auto failed = run_with({answered});
  failed.status = RunStatus::failed;
  EXPECT_EQ(speed_of(view::load, failed), std::nullopt);
  EXPECT_EQ(speed_of(view::infer, run_with({figure(metric::images_per_s, {.value = NAN})})), std::nullopt);
}

TEST(Views, AreInTheWordsOfWhatWasDone) {
  CellSummary images, sequences;
  images.figures["images_per_s"] = {.value = 12};
  sequences.figures["sequences_per_s"] = {.value = 7};
  EXPECT_EQ(view_of("infer", std::vector{images}).item, "image");
  EXPECT_EQ(view_of("infer", std::vector{CellSummary{}, sequences}).item, "sequence");
  EXPECT_EQ(view_of("infer", std::vector{sequences, images}).item, "image");
  EXPECT_EQ(view_of("train", std::vector{sequences}).item, "sample");
  EXPECT_EQ(speed_of(view::infer, sequences).value, 7);
}

TEST(Views, OfACellWithoutARunHaveNoValue) {
  CellSummary cell;
  EXPECT_TRUE(std::isnan(speed_of(view::infer, cell).value));
  cell.figures["images_per_s"] = {.value = 12, .n = 3};
  EXPECT_EQ(speed_of(view::infer, cell).value, 12);
}

}  // namespace
}  // namespace neph
