#include "report/request_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "record/samples.hpp"
#include "report/readings.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

using Values = std::vector<double>;

const Values* column_of(const Run& run, const StageKind& kind) {
  return neph::column_of(run.result, sample_column(kind));
}

double at(const Values* values, std::size_t i) { return values && i < values->size() ? (*values)[i] : 0; }

/// Whether the run's samples have what was outside of the server: split, with the server, or as earlier
/// versions stored it. None in-process.
bool has_requests(const Run& run) {
  return column_of(run, stage::network) || column_of(run, stage::network_and_server) ||
         column_of(run, stage::transport);
}

bool is_servers(const StageKind& kind) {
  return std::find(server_stages.begin(), server_stages.end(), kind) != server_stages.end();
}

/// As the client saw them when they were measured.
RequestStages requests_of(const Run& run, std::size_t requests) {
  const auto* send = column_of(run, stage::send);
  const auto* receive = column_of(run, stage::receive);
  std::array<const Values*, server_stages.size()> server{};
  for (std::size_t k = 0; k < server.size(); ++k) server[k] = column_of(run, server_stages[k]);
  const std::array outside{column_of(run, stage::network), column_of(run, stage::unexplained),
                           column_of(run, stage::network_and_server), column_of(run, stage::transport)};
  RequestStages stages;
  for (std::size_t i = 0; i < requests; ++i) {
    RequestTimes times{.send_s = at(send, i), .receive_s = at(receive, i)};
    for (std::size_t k = 0; k < server.size(); ++k) times.server_s[k] = at(server[k], i);
    for (const auto* values : outside) times.outside_s += at(values, i);
    stages.add(times);
  }
  return stages;
}

std::map<std::string, double> parts_of(const Run& run) {
  const auto* response = column_of(run, stage::infer);
  if (!response || response->empty()) return {};
  const auto n = static_cast<double>(response->size());
  const double mean_ms = 1e3 * std::accumulate(response->begin(), response->end(), 0.0) / n;
  if (!std::isfinite(mean_ms)) return {};
  if (!has_requests(run)) return {{std::string(infer_part), mean_ms}};
  const auto requests = requests_of(run, response->size());
  std::map<std::string, double> parts;
  for (const auto& kind : requests.kinds()) {
    const double ms = 1e3 * requests.sum_s(kind) / n;
    if (ms == 0 && is_servers(kind)) continue;  // all stages of a server that tells are kinds()
    parts[std::string(kind == stage::server_infer ? infer_part : kind.name)] = ms;
  }
  return parts;
}

}  // namespace

std::vector<std::string> request_part_names() {
  std::vector<std::string> names;
  for (const auto& kind : stage_kinds)
    if (kind.of == StageOf::request && kind != stage::transport)
      names.emplace_back(kind == stage::server_infer ? infer_part : kind.name);
  return names;
}

std::map<std::string, Estimate> request_parts(const std::vector<Run>& runs, std::int64_t cell) {
  std::map<std::string, std::vector<double>> over_runs;
  for (const auto& run : runs)
    if (run.cell == cell && run.status == RunStatus::ok)
      for (const auto& [part, ms] : parts_of(run)) over_runs[part].push_back(ms);
  std::map<std::string, Estimate> parts;
  for (const auto& [part, values] : over_runs) parts[part] = stats::mean_estimate(values);
  return parts;
}

}  // namespace neph::report
