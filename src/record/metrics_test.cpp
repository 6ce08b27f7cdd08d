#include "record/metrics.hpp"

#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace neph {
namespace {

/// The rows of RESULTS.md's table of figures.
std::vector<std::string> documented() {
  std::ifstream file("docs/RESULTS.md");
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (inside && !line.starts_with("|")) break;
    if (inside && !line.starts_with("|---")) rows.push_back(line);
    inside |= line == "| figure | unit | per |";
  }
  return rows;
}

TEST(Metrics, AreThoseOfTheTableInTheDocuments) {
  std::vector<std::string> rows;
  for (const auto& metric : metric::all)
    rows.push_back(fmt::format("| `{}` | {} | {} |", metric.name, metric.unit, metric.per));
  EXPECT_EQ(documented(), rows);
}

TEST(Metrics, HaveNamesOfTheirOwnAndHeadings) {
  std::set<std::string_view> names;
  for (const auto& metric : metric::all) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.label.empty()) << metric.name;
  }
}

TEST(Metrics, NamesOfFamiliesAreMadeOfParts) {
  EXPECT_EQ(time_name(metric::response, statistic::p99), "response_p99_ms");
  EXPECT_EQ(time_name(metric::not_answered(RequestOutcome::timed_out), statistic::max), "timed_out_max_ms");
  EXPECT_EQ(outcome_name(RequestOutcome::answered), "requests_answered");
  const auto made = figure(metric::late_share, {.value = 0.5, .n = 2});
  EXPECT_EQ(made.name, "late_share");
  EXPECT_EQ(made.unit, metric::late_share.unit);
}

TEST(Metrics, AreCalledByTheirLabels) {
  EXPECT_EQ(label_of("images_per_s"), "images/s");
  EXPECT_EQ(label_of("response_p99_ms"), "p99 response time");
  EXPECT_EQ(label_of("latency_p99_ms"), "p99 latency");
  EXPECT_EQ(label_of("of_tomorrow"), "of tomorrow");
  EXPECT_EQ(in_words("picture_scan"), "image scan");
  EXPECT_EQ(in_words("promise_broken"), "SLO violated");
}

}  // namespace
}  // namespace neph
