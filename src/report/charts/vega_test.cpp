#include "report/charts/vega.hpp"

#include <string>

#include <gtest/gtest.h>

namespace neph::report {
namespace {

TEST(Intervals, AreNotDrawnWhereNoRowHasOne) {
  const auto left_of = [](const Json& low, const Json& own_low) {
    Json spec = Json::parse(R"({"layer": [
      {"name": "bar", "encoding": {"x": {"field": "value"}}},
      {"name": "line", "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}}},
      {"name": "band", "encoding": {"y": {"field": "low"}}}]})");
    spec["data"]["values"] = Json::array({{{"value", 1}, {"low", nullptr}}, {{"value", 2}, {"low", low}}});
    spec["layer"][2]["data"]["values"] = Json::array({{{"low", own_low}}});
    const auto left = without_empty_intervals(spec);
    std::string names;
    for (const auto& layer : left["layer"]) names += layer["name"].get<std::string>() + " ";
    return names;
  };
  EXPECT_EQ(left_of(0.5, 0.5), "bar line band ");
  EXPECT_EQ(left_of(nullptr, 0.5), "bar band ");
  EXPECT_EQ(left_of(0.5, nullptr), "bar line ");
}

}  // namespace
}  // namespace neph::report
