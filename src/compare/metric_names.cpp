#include "compare/metric_names.hpp"

#include <algorithm>
#include <array>

#include "record/metrics.hpp"
#include "record/views.hpp"

namespace neph::compare {
namespace {

/// Names whose ending promises what they do not keep: what was asked for, what the generator did, a phase
/// whose length was chosen, times of requests that were not answered (to fail fast is not good).
constexpr std::array unjudged{metric::offered_per_s.name,          metric::generator_cpu_us.name,
                              metric::issue_delay_p99_ms.name,     metric::issue_delay_max_ms.name,
                              std::string_view("phase_measure_s"), std::string_view("phase_warmup_s")};
constexpr std::array unjudged_families{RequestOutcome::unavailable, RequestOutcome::timed_out,
                                       RequestOutcome::failed, RequestOutcome::abandoned};

constexpr std::array<std::string_view, 2> higher_endings{"_per_s", "accuracy"};
constexpr std::array<std::string_view, 9> lower_endings{"_s",   "_ms",        "_us",     "_ns",  "_bytes",
                                                        "loss", "late_share", "_failed", "_late"};

template <class Endings>
bool ends_with_any(std::string_view name, const Endings& endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
}

bool is_unjudged(std::string_view name) {
  return std::ranges::find(unjudged, name) != unjudged.end() ||
         std::ranges::any_of(unjudged_families, [&](auto outcome) {
           return name.starts_with(std::string(enum_name(outcome)) + "_") && name.ends_with("_ms");
         });
}

struct Objective {
  std::string_view name;
  std::vector<std::string> metrics;  ///< in the order in which they are looked for
};

template <class... Metrics>
std::vector<std::string> names_of(const Metrics&... metrics) {
  return {std::string(metrics.name)...};
}

/// Main metrics of workloads first, then what others measure. Of google-benchmark its time: its rates count
/// by CPU time unless its author says otherwise, and miss what waits.
std::vector<std::string> speeds() {
  auto names =
      names_of(metric::images_per_s, metric::sequences_per_s, metric::tokens_per_s, metric::samples_per_s,
               metric::sustained_per_s, metric::requests_per_s, metric::inferences_per_s, metric::command_s);
  for (const auto* name : {"real_time_s", "time_s", "items_per_s", "bytes_per_s"}) names.emplace_back(name);
  return names;
}

std::vector<std::string> percentile(std::string_view which) {
  return {time_name(metric::response, which), time_name(metric::latency, which)};
}

const std::vector<Objective>& all() {
  static const std::vector<Objective> objectives{
      {"speed", speeds()},
      {"p50", percentile(statistic::p50)},
      {"p95", percentile(statistic::p95)},
      {"p99", percentile(statistic::p99)},
      {"memory", names_of(metric::peak_memory_bytes)},
      {"cpu", {std::string(metric::cpu_ms_per_item.name), std::string(metric::cpu_s.name), "cpu_time_s"}},
      {"cost", names_of(metric::cost_per_million, metric::cost_of_training, metric::cost_of_run)}};
  return objectives;
}

}  // namespace

std::optional<Better> better_of(std::string_view name) {
  if (is_unjudged(name)) return std::nullopt;
  if (ends_with_any(name, higher_endings)) return Better::higher;
  if (ends_with_any(name, lower_endings) || name.starts_with("cost_") || name == metric::cpu_ms_per_item.name)
    return Better::lower;
  return std::nullopt;
}

std::vector<std::string_view> objectives() {
  std::vector<std::string_view> names;
  for (const auto& objective : all()) names.push_back(objective.name);
  return names;
}

std::optional<std::string> metric_of(std::string_view name,
                                     const std::function<bool(const std::string&)>& is_there) {
  const auto objective = std::ranges::find(all(), name, &Objective::name);
  if (objective == all().end()) return std::nullopt;
  const auto found = std::ranges::find_if(objective->metrics, is_there);
  return found == objective->metrics.end() ? std::nullopt : std::optional(*found);
}

}  // namespace neph::compare
