#include "cli/money.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "record/metrics.hpp"

namespace neph::cli {
namespace {

Run run_at(const Metric& metric, double value, RunStatus status = RunStatus::ok) {
  Run run;
  run.status = status;
  run.result.figures.push_back(figure(metric, {.value = value, .n = 1}));
  return run;
}

/// Of each run; -1: it has none.
std::vector<double> costs_of_a_million(const report::Document& document) {
  std::vector<double> costs;
  for (const auto& run : document.runs) {
    costs.push_back(-1);
    for (const auto& figure : run.result.figures)
      if (figure.name == metric::cost_per_million.name) costs.back() = figure.estimate.value;
  }
  return costs;
}

TEST(Money, ARunCostsAsItsConfigurationDoes) {
  report::Document document;
  document.experiment.workload = "infer";
  document.runs = {run_at(metric::images_per_s, 50), run_at(metric::images_per_s, 40),
                   run_at(metric::images_per_s, 50, RunStatus::failed), run_at(metric::images_per_s, 0)};
  ASSERT_TRUE(add_costs(document, {.price = "3.6USD/h"}));  // 0.001 a second
  EXPECT_EQ(costs_of_a_million(document), (std::vector<double>{20, 25, -1, -1}));
  ASSERT_TRUE(add_costs(document, {.price = "7.2USD/h"}));
  EXPECT_EQ(costs_of_a_million(document), (std::vector<double>{40, 50, -1, -1}));
  EXPECT_EQ(document.runs.front().result.figures.size(), 2u) << "one price at a time";
}

TEST(Money, OfATrainingItIsTheEpochThatHasAPrice) {
  report::Document document;
  document.experiment.workload = "train";
  document.runs = {run_at(metric::samples_per_s, 50)};
  ASSERT_TRUE(add_costs(document, {.price = "3.6USD/h"}));
  EXPECT_EQ(costs_of_a_million(document), std::vector<double>{-1});
}

}  // namespace
}  // namespace neph::cli
