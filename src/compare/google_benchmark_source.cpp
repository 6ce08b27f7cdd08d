// google-benchmark's JSON: a repetition is a run. Where it was told to keep aggregates only, mean and
// standard deviation make means with an interval; median, cv, fits of complexity and aggregates of one's own
// are left out.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compare/json_node.hpp"
#include "compare/readers.hpp"
#include "stats/stats.hpp"

namespace neph::compare {
namespace {

/// Keys of a row that are no counters of the benchmark's author.
constexpr std::array own_keys{"name",
                              "run_name",
                              "run_type",
                              "family_index",
                              "repetitions",
                              "repetition_index",
                              "threads",
                              "per_family_instance_index",
                              "iterations",
                              "real_time",
                              "cpu_time",
                              "time_unit",
                              "label",
                              "error_occurred",
                              "error_message",
                              "skipped",
                              "skip_message",
                              "aggregate_name",
                              "aggregate_unit",
                              "items_per_second",
                              "big_o",
                              "cpu_coefficient",
                              "real_coefficient",
                              "rms",
                              "allocs_per_iter",
                              "total_allocated_bytes",
                              "net_heap_growth",
                              "bytes_per_second"};

constexpr std::array<std::pair<std::string_view, double>, 4> units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};

Result<double> seconds_of_unit(const Node& row) {
  NEPH_TRY(const auto unit, row.at("time_unit"));
  NEPH_TRY(const std::string name, unit.text());
  for (const auto& [known, seconds] : units)
    if (known == name) return seconds;
  return unit.fault(fmt::format("'{}' is none of ns, us, ms, s", name));
}

/// Of a repetition, of their mean, or of their deviation.
Result<std::map<std::string, double>> metrics_of(const Node& row) {
  std::map<std::string, double> metrics;
  NEPH_TRY(const double seconds, seconds_of_unit(row));
  for (const auto& [name, key] :
       {std::pair{"real_time_s", "real_time"}, std::pair{"cpu_time_s", "cpu_time"}}) {
    NEPH_TRY(const auto time, row.at(key));
    NEPH_TRY(const double value, time.quantity());
    metrics[name] = seconds * value;
  }
  for (const auto& [name, key] :
       {std::pair{"items_per_s", "items_per_second"}, std::pair{"bytes_per_s", "bytes_per_second"}}) {
    NEPH_TRY(const auto rate, row.quantity_at(key));
    if (rate) metrics[name] = *rate;
  }
  NEPH_TRY(const auto members, row.members());
  for (const auto& [key, value] : members)
    if (value.value().is_number() && std::ranges::find(own_keys, key) == own_keys.end())
      metrics.try_emplace(key, value.value().get<double>());
  return metrics;
}

/// Times, rates and counts are not below 0; Student's interval of a few samples does not know.
Estimate estimate_of(double mean, std::optional<double> deviation, std::int64_t n) {
  Estimate estimate{.value = mean, .n = n};
  if (!deviation || n < 2) return estimate;
  const double half = stats::student_errors(n) * *deviation / std::sqrt(static_cast<double>(n));
  estimate.low = mean >= 0 ? std::max(mean - half, 0.0) : mean - half;
  estimate.high = mean + half;
  return estimate;
}

class Reader {
 public:
  explicit Reader(Source& source) : source_(source) {}

  Status add(const Node& row) {
    NEPH_TRY(const auto type, row.at("run_type"));
    NEPH_TRY(const auto run_type, type.text());
    NEPH_TRY(const auto run_name, row.at("run_name"));
    NEPH_TRY(const auto name, run_name.text());
    if (run_type == "aggregate") return add_aggregate(row, name);
    if (run_type == "iteration") return add_repetition(row, name);
    return type.fault(fmt::format("'{}' is none of iteration, aggregate", run_type));
  }

  void finish() {
    for (std::size_t i = 0; i < source_.configurations.size(); ++i) {
      auto& configuration = source_.configurations[i];
      if (!configuration.runs.empty()) continue;  // which say more
      const auto& [n, mean, deviation] = aggregates_[i];
      for (const auto& [metric, value] : mean) {
        const auto spread = deviation.find(metric);
        configuration.means[metric] =
            estimate_of(value, spread == deviation.end() ? std::nullopt : std::optional(spread->second), n);
      }
    }
  }

 private:
  struct Aggregates {
    std::int64_t n = 0;
    std::map<std::string, double> mean, deviation;
  };

  std::size_t place_of(const std::string& name) {
    const auto [found, is_new] = places_.try_emplace(name, source_.configurations.size());
    if (is_new) {
      source_.configurations.push_back({.label = name, .factors = Json{{"benchmark", name}}});
      aggregates_.emplace_back();
    }
    return found->second;
  }

  Status add_repetition(const Node& row, const std::string& name) {
    auto& configuration = source_.configurations[place_of(name)];
    NEPH_TRY(const bool has_error, row.is_true_at("error_occurred"));
    NEPH_TRY(const bool was_skipped, row.is_true_at("skipped"));
    if (has_error) return add_once("failed", "error_message", row, configuration.failures);
    if (was_skipped) return add_once("skipped", "skip_message", row, configuration.doubts);
    MeasuredRun run;
    NEPH_TRY(const auto index, row.count_at("repetition_index"));
    run.block = index.value_or(0);
    if (std::ranges::find(configuration.runs, run.block, &MeasuredRun::block) != configuration.runs.end())
      return row.fault(fmt::format("repetition {} of {} stands twice; give benchmarks names of their own",
                                   run.block, name));
    NEPH_TRY(run.metrics, metrics_of(row));
    configuration.runs.push_back(std::move(run));
    return {};
  }

  /// Every repetition says the same: once is enough.
  static Status add_once(std::string_view what, std::string_view key, const Node& row,
                         std::vector<std::string>& all) {
    NEPH_TRY(const auto message, row.text_at(key));
    auto text = fmt::format("{}: {}", what, message.value_or("without a message"));
    if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
    return {};
  }

  Status add_aggregate(const Node& row, const std::string& name) {
    NEPH_TRY(const auto which, row.at("aggregate_name"));
    NEPH_TRY(const auto aggregate, which.text());
    if (aggregate != "mean" && aggregate != "stddev") return {};
    auto& all = aggregates_[place_of(name)];
    NEPH_TRY(const auto repetitions, row.at("repetitions"));
    NEPH_TRY(all.n, repetitions.count());
    auto& values = aggregate == "mean" ? all.mean : all.deviation;
    if (!values.empty())
      return row.fault(
          fmt::format("the {} of {} stands twice; give benchmarks names of their own", aggregate, name));
    NEPH_TRY(values, metrics_of(row));
    return {};
  }

  Source& source_;
  std::map<std::string, std::size_t> places_;
  std::vector<Aggregates> aggregates_;  ///< of each configuration
};

/// The clock is read at one moment, and so never the same twice.
std::string machine_of(std::string_view host, std::optional<std::int64_t> cpus, std::optional<double> mhz) {
  std::string text(host);
  const auto add = [&](std::string part) { text += (text.empty() ? "" : ", ") + part; };
  if (cpus) add(fmt::format("{} CPUs", *cpus));
  if (mhz && *mhz > 0) add(fmt::format("{:.0f} MHz", 100 * std::round(*mhz / 100)));
  return text;
}

Status add_context(const Node& context, Source& source) {
  NEPH_TRY(const auto host, context.text_at("host_name"));
  NEPH_TRY(const auto cpus, context.count_at("num_cpus"));
  NEPH_TRY(const auto mhz, context.quantity_at("mhz_per_cpu"));
  NEPH_TRY(const auto build, context.text_at("library_build_type"));
  NEPH_TRY(const bool is_scaled, context.is_true_at("cpu_scaling_enabled"));
  const auto machine = machine_of(host.value_or(""), cpus, mhz);
  for (auto& configuration : source.configurations) {
    if (!machine.empty()) configuration.facts["machine"] = machine;
    if (build && !build->empty()) configuration.facts["build"] = *build;
    if (is_scaled)
      configuration.doubts.emplace_back(
          "cpu_scaling: the CPU's frequency was not fixed; for steadier figures: cpupower frequency-set -g "
          "performance");
  }
  return {};
}

}  // namespace

Result<Source> source_of_google_benchmark(const Json& document, std::string name) {
  const Node root(document, name);
  Source source{.name = std::move(name), .kind = std::string(kind::google_benchmark)};
  NEPH_TRY(const auto benchmarks, root.at("benchmarks"));
  NEPH_TRY(const auto rows, benchmarks.elements());
  Reader reader(source);
  for (const auto& row : rows) NEPH_CHECK(reader.add(row));
  reader.finish();
  NEPH_TRY(const auto context, root.find("context"));
  if (context) NEPH_CHECK(add_context(*context, source));
  return source;
}

}  // namespace neph::compare
