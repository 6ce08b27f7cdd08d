#include "compare/metric_names.hpp"

#include <set>

#include <gmock/gmock.h>

#include "record/metrics.hpp"
#include "record/views.hpp"

namespace neph::compare {
namespace {

using testing::ElementsAre;

std::optional<std::string> chosen(std::string_view objective, std::set<std::string> known) {
  return metric_of(objective, [&](const std::string& name) { return known.contains(name); });
}

TEST(MetricNames, TheEndingTellsWhichDirectionIsGood) {
  for (const auto* name : {"images_per_s", "goodput_per_s", "items_per_s", "test_accuracy"})
    EXPECT_EQ(better_of(name), Better::higher) << name;
  for (const auto* name :
       {"response_p99_ms", "latency_p50_ms", "time_s", "real_time_s", "peak_memory_bytes", "cost_per_million",
        "cost_of_training", "test_loss", "late_share", "requests_failed", "pictures_failed",
        "cpu_ms_per_item", "command_s", "stage_decode_ms"})
    EXPECT_EQ(better_of(name), Better::lower) << name;
  for (const auto* name :
       {"engine_busy", "in_flight_mean", "requests_answered", "additions", "depth", "", "offered_per_s",
        "failed_p99_ms", "timed_out_mean_ms", "phase_measure_s", "generator_cpu_us", "issue_delay_p99_ms"})
    EXPECT_EQ(better_of(name), std::nullopt) << name;
}

TEST(MetricNames, MainMetricsAreSpeedAndHaveTheDirectionOfTheirView) {
  for (const auto& view : views)
    for (const auto& metric : view.main) {
      const std::string name(metric.name);
      EXPECT_EQ(chosen("speed", {name, "other"}), name);
      EXPECT_EQ(better_of(name), view.better.value_or(Better::higher)) << name;
    }
}

TEST(MetricNames, AnObjectiveIsTheFirstMetricThatIsThere) {
  EXPECT_EQ(chosen("speed", {"requests_per_s", "sustained_per_s"}), "sustained_per_s");
  EXPECT_EQ(chosen("speed", {"items_per_s", "real_time_s"}), "real_time_s") << "rates may count by CPU time";
  EXPECT_EQ(chosen("speed", {"time_s"}), "time_s");
  EXPECT_EQ(chosen("p99", {"latency_p99_ms", "response_p50_ms"}), "latency_p99_ms");
  EXPECT_EQ(chosen("p50", {"latency_p50_ms", "response_p50_ms"}), "response_p50_ms");
  EXPECT_EQ(chosen("memory", {"peak_memory_bytes"}), "peak_memory_bytes");
  EXPECT_EQ(chosen("cpu", {"cpu_time_s", "generator_cpu_us"}), "cpu_time_s");
  EXPECT_EQ(chosen("cost", {"cost_of_run", "cost_per_million"}), "cost_per_million");
  EXPECT_EQ(chosen("cpu", {"generator_cpu_us"}), std::nullopt) << "the generator's is no answer";
  EXPECT_EQ(chosen("beauty", {"images_per_s"}), std::nullopt);
}

TEST(MetricNames, EveryObjectivesMetricCanBeJudged) {
  EXPECT_THAT(objectives(), ElementsAre("speed", "p50", "p95", "p99", "memory", "cpu", "cost"));
  for (const auto objective : objectives())
    metric_of(objective, [&](const std::string& name) {
      EXPECT_TRUE(better_of(name)) << name;
      return false;
    });
}

}  // namespace
}  // namespace neph::compare
