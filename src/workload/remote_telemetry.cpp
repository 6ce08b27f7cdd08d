#include "workload/remote_telemetry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "os/thread.hpp"
#include "record/prometheus.hpp"
#include "record/telemetry.hpp"

namespace neph::workload {
namespace {

/// A page costs the server about 0.2 ms, and its clock of processor time has steps of 10 ms.
constexpr double highest_rate_hz = 5;

bool is_name_end(std::string_view rest) { return rest.empty() || rest.front() == ' ' || rest.front() == '{'; }

std::optional<double> number_at_end(std::string_view line) {
  const auto blank = line.rfind(' ');
  if (blank == line.npos) return std::nullopt;
  const auto digits = line.substr(blank + 1);
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  return value;
}

Series series_of(std::string_view target, const Metric& quantity) {
  return {
      .target = std::string(target), .name = std::string(quantity.name), .unit = std::string(quantity.unit)};
}

}  // namespace

std::optional<double> metric(std::string_view page, std::string_view name, std::string_view label) {
  std::optional<double> sum;
  while (!page.empty()) {
    const auto end = page.find('\n');
    const auto line = page.substr(0, end);
    page.remove_prefix(end == page.npos ? page.size() : end + 1);
    if (!line.starts_with(name) || !is_name_end(line.substr(name.size()))) continue;
    if (line.find(label) == line.npos) continue;
    if (const auto value = number_at_end(line)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

Result<wire::Endpoint> metrics_endpoint(std::string_view text) {
  constexpr std::string_view page = "/metrics";
  if (text.ends_with(page)) text.remove_suffix(page.size());
  NEPH_TRY(auto endpoint, wire::parse_endpoint(text));
  if (endpoint.protocol != wire::Protocol::http)
    return fail(ErrorCode::invalid_argument,
                "{}: a metrics endpoint speaks HTTP; write it as http://HOST:8002", text);
  return endpoint;
}

struct RemoteTelemetry::Quantity {
  std::string_view metric_name;
  std::string label;
  bool is_rate = false;
  Series series;
  std::optional<std::pair<double, double>> last = {};  ///< moment and count

  void take(double at_s, std::string_view page) {
    const auto value = metric(page, metric_name, label);
    if (!value) return;
    if (!is_rate) return add(at_s, *value);
    if (last && at_s > last->first) add(at_s, std::max(0.0, *value - last->second) / (at_s - last->first));
    last = {at_s, *value};
  }
  void add(double at_s, double value) {
    series.at_s.push_back(at_s);
    series.values.push_back(value);
  }
};

RemoteTelemetry::RemoteTelemetry(const wire::Endpoint& page, const wire::ClientOptions& options,
                                 double rate_hz, const Clock& clock, Moment origin)
    : endpoint_(page),
      options_(options),
      period_(from_seconds(1 / std::min(rate_hz, highest_rate_hz))),
      clock_(clock),
      origin_(origin) {
  const auto rate = [this](std::string_view name, std::string label, std::string_view target,
                           const Metric& quantity) {
    quantities_.push_back({name, std::move(label), true, series_of(target, quantity)});
  };
  const auto gauge = [this](std::string_view name, std::string_view target, const Metric& quantity) {
    quantities_.push_back({name, {}, false, series_of(target, quantity)});
  };
  rate(prometheus::process_cpu, {}, target::server, telemetry::cpu);
  gauge(prometheus::process_resident_memory, target::server, telemetry::memory_resident);
  gauge(prometheus::process_resident_memory_max, target::server, telemetry::memory_peak);
  for (const auto role : {target::loader, target::engine, target::rest})
    rate(prometheus::process_role_cpu, prometheus::label(prometheus::role, role),
         part_target(target::server, role), telemetry::cpu);
  for (const auto& [mode, quantity] :
       {std::pair{prometheus::user, telemetry::cpu_user},
        std::pair{prometheus::system, telemetry::cpu_system},
        std::pair{prometheus::idle, telemetry::cpu_idle}, std::pair{prometheus::steal, telemetry::cpu_steal}})
    rate(prometheus::node_cpu, prometheus::label(prometheus::mode, mode), target::server_machine, quantity);
  gauge(prometheus::node_memory_available, target::server_machine, telemetry::memory_available);
  gauge(prometheus::container_memory, target::server_container, telemetry::memory_current);
  gauge(prometheus::container_memory_max, target::server_container, telemetry::memory_peak);
  gauge(prometheus::gpu_utilisation, target::server_gpus, telemetry::utilisation_of_all);
  gauge(prometheus::gpu_memory_used, target::server_gpus, telemetry::memory_used);
  gauge(prometheus::gpu_power, target::server_gpus, telemetry::power);
}

Status RemoteTelemetry::begin() {
  NEPH_TRY(thread_, start_thread(
                        "telemetry", [this](const std::stop_token& stop) { run(stop); },
                        [this](const Error& error) { give_reason(error.text()); }));
  return {};
}

RemoteTelemetry::~RemoteTelemetry() = default;

void RemoteTelemetry::mark() {
  {
    const std::scoped_lock lock(mutex_);
    marked_ = true;
  }
  wake_.notify_one();
}

std::vector<Series> RemoteTelemetry::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  give_reason(fmt::format("{} does not tell", endpoint_.text()));
  std::vector<Series> all;
  for (auto& quantity : quantities_) all.push_back(std::move(quantity.series));
  quantities_.clear();
  return all;
}

void RemoteTelemetry::run(const std::stop_token& stop) {
  auto client = wire::Client::connect(endpoint_, options_, clock_, [](wire::Call&) {});
  if (!client) return give_reason(client.error().text());
  while (!stop.stop_requested()) {
    read(**client);
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, period_, [this] { return marked_; });
    marked_ = false;
  }
  read(**client);
}

void RemoteTelemetry::read(wire::Client& client) {
  const auto before = clock_.now();
  const auto page = client.get("/metrics");
  if (!page) return give_reason(page.error().text());
  const auto middle = before + (clock_.now() - before) / 2;
  for (auto& quantity : quantities_) quantity.take(seconds(middle - origin_), *page);
}

/// To those that have no reading; the first reason stays.
void RemoteTelemetry::give_reason(const std::string& reason) {
  for (auto& quantity : quantities_)
    if (quantity.series.values.empty() && quantity.series.unavailable.empty())
      quantity.series.unavailable = reason;
}

}  // namespace neph::workload
