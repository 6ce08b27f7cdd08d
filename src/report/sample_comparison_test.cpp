#include "report/sample_comparison_test.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "os/file.hpp"

namespace neph::report {
namespace {

constexpr const char* hostile_text =
    "</script><script>alert('x')</script> & <b>\"|`\x1b[31m\xff ]]> 画像.a[0]\n🌩\xEF\xBF\xBF @all #1";
constexpr std::int64_t runs = 12;

bool is_rate(const std::string& metric) { return metric.ends_with("_per_s"); }

double level_of(const std::string& metric) {
  if (metric.ends_with("_bytes")) return 1.4e9;
  return is_rate(metric) ? 44.7 : 22.4;
}

Estimate mean_near(double value) {
  return {.value = value, .low = value * 0.99, .high = value * 1.01, .n = runs};
}

/// Pair by pair, around the ratio.
void add_runs(ComparedMetric& row) {
  Random random(5);
  for (std::int64_t i = 0; i < runs; ++i) {
    const double moved = 1 + 0.05 * random.uniform();
    row.baseline_runs.push_back(row.baseline.value * moved);
    row.candidate_runs.push_back(row.candidate.value * moved * (1 + 0.02 * (random.uniform() - 0.5)));
  }
}

/// The `i`-th configuration: how much worse it is, of any metric.
ComparedMetric row_of(std::size_t i, const std::string& configuration, const std::string& metric) {
  const auto worse_by = [&](double share) { return is_rate(metric) ? 1 - share : 1 / (1 - share); };
  if (i == 0) return sample_row(configuration, metric, worse_by(0.041), 0.012, Outcome::worse);
  if (i == 1) {
    auto row = sample_row(configuration, metric, worse_by(0.008), 0.03, Outcome::undecided);
    row.p_value = 0.6;
    row.more = runs + 14;
    return row;
  }
  if (i == 2) return sample_row(configuration, metric, worse_by(-0.08), 0.01, Outcome::better);
  const double off = 0.004 * std::sin(static_cast<double>(i));
  auto row = sample_row(configuration, metric, worse_by(off), 0.008, Outcome::equivalent);
  row.p_value = 1;
  return row;
}

std::string moment_of(std::size_t i) { return fmt::format("2026-11-{:02}T04:00:00Z", i % 28 + 1); }

HistoryLine line_of(const std::string& configuration, std::size_t experiments) {
  HistoryLine line{.configuration = configuration, .machine = "Xeon 8488C, 2 cores"};
  Random random(3);
  for (std::size_t i = 0; i < experiments; ++i) {
    const double value = 44.7 * (i < 6 ? 1 : i < 11 ? 0.948 : 0.976) * (1 + 0.01 * (random.uniform() - 0.5));
    line.points.push_back({.experiment = static_cast<std::int64_t>(i + 1),
                           .created = moment_of(i),
                           .version = "0.1.0",
                           .engine = i < 6 ? "openvino 2025.1" : "openvino 2026.4",
                           .model = "9f86d08",
                           .value = mean_near(value)});
  }
  return line;
}

}  // namespace

ComparedMetric sample_row(std::string configuration, std::string metric, double ratio, double half_width,
                          Outcome outcome) {
  const double level = level_of(metric);
  return {.configuration = std::move(configuration),
          .metric = metric,
          .higher_is_better = is_rate(metric),
          .baseline = mean_near(level),
          .candidate = mean_near(level * ratio),
          .ratio = {.value = ratio, .low = ratio - half_width, .high = ratio + half_width, .n = runs},
          .p_value = 0.001,
          .smallest_effect = 2 * half_width,
          .outcome = outcome};
}

Comparison sample_comparison(const SampleComparisonOptions& options) {
  const std::string hostile = options.hostile ? hostile_text : "";
  Comparison comparison{
      .baseline = "yesterday.json" + hostile, .candidate = "today.json" + hostile, .threshold = 0.03};
  for (const auto& metric : options.metrics)
    for (std::size_t i = 0; i < options.configurations; ++i) {
      auto row = row_of(i,
                        fmt::format("batch {}, precision {}{}", 1 << i / 2 % 8, i % 2 ? "bf16" : "f32",
                                    i < 16 ? hostile : fmt::format(", threads {}{}", i / 16 + 1, hostile)),
                        metric);
      row.is_paired = options.is_paired;
      add_runs(row);
      comparison.rows.push_back(std::move(row));
    }
  comparison.confounds = {{.what = "engine",
                           .message = "engine: openvino 2025.1 → openvino 2026.4" + hostile,
                           .remedy = "the change may be the engine's"}};
  comparison.notes = {"left out: 1 configuration that only the baseline has (batch 16" + hostile + ")"};
  comparison.noise = NoiseFloor{.comparisons = 20, .share = 0.014};
  if (options.is_paired) comparison.pairs = runs, comparison.planned = runs;
  return comparison;
}

Comparison refused_comparison() {
  Comparison comparison{.baseline = "yesterday.json", .candidate = "today.json", .threshold = 0.03};
  comparison.confounds = {{.what = "machine",
                           .message = "machine: Xeon 8488C, 2 cores → EPYC 9R14, 4 cores",
                           .remedy = "measure both on one machine: neph ab, or accept it: --accept machine",
                           .refuses = true},
                          {.what = "engine",
                           .message = "engine: openvino 2025.1 → openvino 2026.4",
                           .remedy = "the change may be the engine's"}};
  return comparison;
}

History sample_history(const SampleHistoryOptions& options) {
  const std::string hostile = options.hostile ? hostile_text : "";
  History history{.store = "ci.db" + hostile, .metric = "images_per_s", .higher_is_better = true};
  auto changed = line_of("batch 8" + hostile, options.experiments);
  if (options.experiments > 6)
    changed.changes.push_back({.point = 6,
                               .ratio = 0.948,
                               .p_value = 0.002,
                               .with = "openvino 2025.1 → openvino 2026.4" + hostile});
  if (options.experiments > 11)
    changed.changes.push_back({.point = 11, .ratio = 0.976 / 0.948, .p_value = 0.03, .with = ""});
  auto same = line_of("batch 1", options.experiments);
  for (auto& point : same.points) point.value = {.value = 21.3 + 0.1 * (point.experiment % 3), .n = 1};
  history.lines = {std::move(changed), std::move(same)};
  history.notes = {"1 line with fewer than 6 experiments: changes are looked for from there on" + hostile};
  return history;
}

/// For tests/e2e, as the pages of sample_document_test.cpp are.
TEST(SampleComparison, IsWrittenForTheBrowser) {
  const auto* build = std::getenv("NEPH_BUILD");
  if (!build) GTEST_SKIP() << "NEPH_BUILD is not set";
  const auto write = [&](const std::string& name, const std::string& page) {
    ASSERT_TRUE(write_file(std::filesystem::path(build) / fmt::format("report-sample-{}.html", name), page));
  };
  write("comparison", html(sample_comparison()));
  write("comparison-large",
        html(sample_comparison(
            {.configurations = 40, .metrics = {"images_per_s", "latency_p99_ms", "peak_memory_bytes"}})));
  write("comparison-hostile", html(sample_comparison({.hostile = true})));
  write("comparison-refused", html(refused_comparison()));
  write("history", html(sample_history()));
  write("history-hostile", html(sample_history({.experiments = 200, .hostile = true})));
}

}  // namespace neph::report
