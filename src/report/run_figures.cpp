#include "report/run_figures.hpp"

#include <algorithm>

#include "core/percentile.hpp"
#include "record/samples.hpp"
#include "report/readings.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

using Figures = std::vector<std::pair<std::string, double>>;

bool has(const Figures& figures, std::string_view name) {
  return std::ranges::any_of(figures, [&](const auto& figure) { return figure.first == name; });
}

/// Of a request the response times are told already.
void add_latencies(const Run& run, Figures& figures) {
  auto ms = latencies_ms(run.result);
  std::ranges::sort(ms);
  for (const auto name : usual_percentiles) {
    const double q = *percentile_of(name);
    if (static_cast<std::int64_t>(ms.size()) >= samples_needed(q))
      figures.emplace_back(time_name(metric::latency, name), stats::quantile(ms, q));
  }
}

/// Of load the server's: the generator's own is no answer. A search has no one rate that it was spent at.
std::optional<double> cpu_ms_per_request(const Run& run) {
  const auto cores = busy_cores(run, target::server);
  if (!cores || !run.result.probes.empty()) return std::nullopt;
  for (const auto& figure : run.result.figures)
    if (figure.name == metric::requests_per_s.name && figure.estimate.value > 0)
      return 1e3 * *cores / figure.estimate.value;
  return std::nullopt;
}

}  // namespace

Figures figures_of(const Document& document, const Run& run) {
  Figures figures;
  for (const auto& figure : run.result.figures) figures.emplace_back(figure.name, figure.estimate.value);
  if (run.status != RunStatus::ok) return figures;
  const auto add = [&](const Metric& metric, std::optional<double> value) {
    if (value && !has(figures, metric.name)) figures.emplace_back(metric.name, *value);
  };
  const auto& view = view_of(document);
  const bool is_load = view.workload == view::load.workload;
  if (!is_load) add_latencies(run, figures);
  add(metric::peak_memory_bytes, peak_memory_bytes(run, is_load ? target::server : target::application));
  if (is_load)
    add(metric::cpu_ms_per_item, cpu_ms_per_request(run));
  else if (view.main.front().name.ends_with("_per_s"))
    add(metric::cpu_ms_per_item, cpu_ms_per_item(document, run, target::application));
  return figures;
}

}  // namespace neph::report
