#include "predict/explain/validation.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace neph::predict {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

PredictedPoint judged(double measured, double value, double low, double high) {
  return point_of(0, 0, measured, {.value = value, .low = low, .high = high});
}

TEST(Score, IsOfRelativeErrors) {
  auto outside = judged(100, 150, 140, 160), refused = judged(1, 1, 1, 1);
  outside.extrapolates = true;
  refused.refused = "no row of this machine";
  const auto score = score_of(
      std::vector{judged(10, 11, 9, 12.25), judged(20, 18, 15, 25), outside, judged(1, 1, 1, 1), refused});
  EXPECT_EQ(score.rows, 5);
  EXPECT_EQ(score.refused, 1);
  EXPECT_NEAR(score.mean, (0.1 + 0.1 + 0.5 + 0) / 4, 1e-12);
  EXPECT_NEAR(score.median, 0.1, 1e-12);
  EXPECT_NEAR(score.worst, 0.5, 1e-12);
  EXPECT_NEAR(score.coverage, 0.75, 1e-12);
  EXPECT_NEAR(score.flagged, 0.2, 1e-12);
  EXPECT_EQ(score_of({}).rows, 0);
}

TEST(Score, OfRefusedRowsIsUnknown) {
  auto refused = judged(1, 1, 1, 1);
  refused.refused = "no row of this machine";
  const auto score = score_of(std::vector{refused, refused});
  EXPECT_EQ(score.refused, 2);
  for (const double unknown :
       {score.mean, score.median, score.p90, score.worst, score.coverage, score.half_width})
    EXPECT_TRUE(std::isnan(unknown));
  EXPECT_EQ(score.flagged, 0);
}

TEST(Score, RowsWithoutAnIntervalHaveErrorsAlone) {
  const auto score = score_of(std::vector{judged(10, 11, 9, 12), judged(10, 13, NAN, NAN)});
  EXPECT_NEAR(score.mean, 0.2, 1e-12);
  EXPECT_EQ(score.coverage, 1);
  const auto none = score_of(std::vector{judged(10, 13, NAN, NAN)});
  EXPECT_NEAR(none.mean, 0.3, 1e-12);
  EXPECT_TRUE(std::isnan(none.coverage) && std::isnan(none.half_width));
}

TEST(Score, WidthIsAFactor) {
  EXPECT_NEAR(score_of(std::vector{judged(10, 10, 5, 20)}).half_width, 2, 1e-12);
}

/// Times of 3 ms a unit of work on two machines, one twice as fast.
Profile work_on_machines() {
  std::string text = "work,machine,t\n";
  for (int work = 1; work <= 24; ++work)
    for (const int speed : {1, 2}) text += fmt::format("{},m{},{}\n", work, speed, 3.0 * work / speed);
  return *profile(*table::parse_table(text, "work.csv"), "t");
}

TEST(Validation, PredictsWhatWasLeftOut) {
  const auto profile = work_on_machines();
  const auto split = *parse_split("work<=12 -> work>12", profile.points.features);
  std::vector<std::size_t> told;
  FitOptions fit;
  fit.progress = [&](std::size_t done, std::size_t all) { told.push_back(10 * done + all); };
  const auto all = *validate(profile, {split}, {Method::terms, Method::process}, fit);
  EXPECT_THAT(told, testing::ElementsAre(12, 22));
  ASSERT_THAT(all, SizeIs(2));
  for (const auto& method : all) {
    ASSERT_THAT(method.rows, SizeIs(24));
    EXPECT_LT(method.score.mean, 0.03) << method.method;
    EXPECT_EQ(method.score.flagged, 1);
    ASSERT_THAT(method.splits, SizeIs(1));
    EXPECT_EQ(method.splits[0].score.mean, method.score.mean);
  }
}

/// With the rows of another machine in the training rows its level must not be known there.
TEST(Validation, KnowsNothingOfWhatWasLeftOut) {
  const auto profile = work_on_machines();
  const auto part = part_of(profile, {0, 2, 4, 6, 8, 10, 12, 14});
  EXPECT_THAT(part.points.features.columns[1].levels, testing::ElementsAre("m1"));
  EXPECT_EQ(part.rows, 8);
  const auto splits = *leave_out(profile.points.features, "machine", 0, 1, 1);
  const auto all =
      *validate(profile, splits, {Method::process}, {.roles = {.hardware = {.machine = "machine"}}});
  EXPECT_EQ(all[0].score.refused, 48);
  EXPECT_THAT(of_split(all[0].rows, 1), SizeIs(24));
  EXPECT_THAT(of_split(all[0].rows, 2), IsEmpty());
}

TEST(Validation, SaysWhatCouldNotBeFitted) {
  const auto profile = work_on_machines();
  const Split tiny{"tiny", {0}, {1, 2, 3}},
      fair{"fair", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {20}};
  const auto none = validate(profile, {tiny}, {Method::process}, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("tiny"));
  const auto some = *validate(profile, {tiny, fair}, {Method::process}, {});
  EXPECT_THAT(some[0].failures, SizeIs(1));
  EXPECT_THAT(some[0].rows, SizeIs(1));
}

TEST(Validation, SlicesAreByValue) {
  const auto profile = work_on_machines();
  std::vector<PredictedPoint> points;
  for (std::size_t point = 0; point < 4; ++point) {
    points.push_back(judged(10, point % 2 == 0 ? 11 : 10, 9, 12));
    points.back().point = static_cast<std::int64_t>(point);
  }
  const auto slices = slices_of(profile, points);
  ASSERT_THAT(slices, SizeIs(4)) << "two works and two machines";
  EXPECT_EQ(slices[2].value, "m1");
  EXPECT_NEAR(slices[2].score.mean, 0.1, 1e-12);
  EXPECT_NEAR(slices[3].score.mean, 0, 1e-12);
}

}  // namespace
}  // namespace neph::predict
