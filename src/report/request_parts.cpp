#include "report/request_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "report/readings.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

constexpr const char* network = "network and protocol";
constexpr const char* unexplained = "unexplained";
constexpr const char* not_told = "server and network";

struct Told {
  const char* column;
  const char* part;
};
constexpr std::array told_by_server{Told{"server_socket_s", "socket"}, Told{"server_decode_s", "decode"},
                                    Told{"server_queue_s", "queue"},   Told{"server_batch_s", "batch"},
                                    Told{"server_infer_s", "infer"},   Told{"server_encode_s", "encode"}};

std::optional<double> mean_ms(const Run& run, std::string_view column) {
  const auto* values = samples_of(run, column);
  if (!values || values->empty()) return std::nullopt;
  const double mean =
      1e3 * std::accumulate(values->begin(), values->end(), 0.0) / static_cast<double>(values->size());
  return std::isfinite(mean) ? std::optional(mean) : std::nullopt;
}

std::map<std::string, double> parts_of(const Run& run) {
  const auto response = mean_ms(run, "infer_s");
  if (!response) return {};
  const auto rest = mean_ms(run, "transport_s");
  if (!rest) return {{std::string(infer_part), *response}};
  std::map<std::string, double> parts{{"send", mean_ms(run, "send_s").value_or(0)},
                                      {"receive", mean_ms(run, "receive_s").value_or(0)}};
  double told = 0;
  for (const auto& [column, part] : told_by_server) {
    const double ms = mean_ms(run, column).value_or(0);
    told += ms;
    if (ms > 0) parts[part] = ms;
  }
  if (told == 0) {
    parts[not_told] = *rest;
    return parts;
  }
  const auto& all = *samples_of(run, "transport_s");
  parts[network] = std::max(0.0, 1e3 * *std::min_element(all.begin(), all.end()));
  parts[unexplained] = *rest - parts[network];
  return parts;
}

}  // namespace

const std::vector<std::string>& request_part_names() {
  static const std::vector<std::string> names{"send",  network,  "socket",    "decode", "queue",  "batch",
                                              "infer", "encode", unexplained, not_told, "receive"};
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
