#include <gtest/gtest.h>

#include "host/telemetry.hpp"

namespace neph::host {
namespace {

SeriesSummary over(const std::vector<double>& at_s, const std::vector<double>& values, double begin_s,
                   double end_s) {
  return summarise({{.target = "machine", .name = "x", .unit = "cores", .at_s = at_s, .values = values}},
                   begin_s, end_s)[0];
}

TEST(Summarise, WeighsPointsByTheirTime) {
  // 2 holds over (1, 2], 5 over (2, 4]: mean (2·1 + 5·2) / 3.
  const auto summary = over({1, 2, 4}, {9, 2, 5}, 1, 4);
  EXPECT_DOUBLE_EQ(*summary.mean, 4);
  EXPECT_DOUBLE_EQ(*summary.max, 5);
  EXPECT_DOUBLE_EQ(*summary.min, 2);
  EXPECT_EQ(summary.name, "x");
  EXPECT_EQ(summary.unit, "cores");
}

TEST(Summarise, APointMostlyOutsideDoesNotCount) {
  // 9 holds over (0, 1], of which only 0.1 s is inside.
  const auto summary = over({0, 1, 2}, {0, 9, 3}, 0.9, 2);
  EXPECT_DOUBLE_EQ(*summary.mean, 3);
  EXPECT_DOUBLE_EQ(*summary.max, 3);
  // Now 0.6 s of it is.
  EXPECT_DOUBLE_EQ(*over({0, 1, 2}, {0, 9, 3}, 0.4, 2).mean, (9 * 0.6 + 3) / 1.6);
}

TEST(Summarise, AWindowWithoutAPointTakesTheCoveringOne) {
  const std::vector<double> at = {1, 2, 3};
  const std::vector<double> values = {10, 20, 30};
  EXPECT_DOUBLE_EQ(*over(at, values, 1.4, 1.5).mean, 20);
  EXPECT_DOUBLE_EQ(*over(at, values, 1.5, 1.5).mean, 20) << "an empty window too";
  EXPECT_DOUBLE_EQ(*over(at, values, 0.1, 0.2).mean, 10) << "before the first reading";
  EXPECT_DOUBLE_EQ(*over(at, values, 7, 9).max, 30) << "after the last one";
  EXPECT_DOUBLE_EQ(*over({5}, {42}, 1, 2).min, 42);
}

TEST(Summarise, UnavailableStaysUnavailable) {
  const auto summary =
      summarise({{.target = "gpu", .name = "power", .unavailable = "no NVIDIA driver"}}, 0, 1)[0];
  EXPECT_EQ(summary.mean, std::nullopt);
  EXPECT_EQ(summary.max, std::nullopt);
  EXPECT_EQ(summary.min, std::nullopt);
  EXPECT_EQ(summary.unavailable, "no NVIDIA driver");
}

}  // namespace
}  // namespace neph::host
