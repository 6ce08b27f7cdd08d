#include "serve/metrics.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace neph::serve {
namespace {

constexpr const char* counter = "counter";
constexpr const char* gauge = "gauge";

/// A label's value: backslash, quote and line end escaped, the rest made UTF-8.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\' || c == '"') safe += '\\';
    if (c == '\n')
      safe += "\\n";
    else
      safe += c;
  }
  return printable(safe);
}

double microseconds(const wire::StatisticDuration& sum) { return static_cast<double>(sum.ns) / 1000; }

}  // namespace

void Metrics::line(const char* name, const char* type, const char* help, const std::string& labels,
                   double value) {
  auto& family = families_[name];
  if (family.head.empty()) {
    order_.emplace_back(name);
    family.head = fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }
  family.lines += fmt::format("{}{} {}\n", name, labels.empty() ? "" : "{" + labels + "}", value);
}

void Metrics::add(const wire::ModelStatistics& model, std::int64_t pending) {
  const auto labels = fmt::format("model=\"{}\",version=\"{}\"", escaped(model.name), escaped(model.version));
  const auto& sums = model.inference_stats;
  line("nv_inference_request_success", counter, "Requests answered", labels,
       static_cast<double>(sums.success.count));
  line("nv_inference_request_failure", counter, "Requests refused or failed", labels,
       static_cast<double>(sums.fail.count));
  line("nv_inference_count", counter, "Inferences; a batch of n counts n", labels,
       static_cast<double>(model.inference_count));
  line("nv_inference_exec_count", counter, "Executions; a batch counts 1", labels,
       static_cast<double>(model.execution_count));
  line("nv_inference_request_duration_us", counter, "Time of answered requests, from arrival to answer",
       labels, microseconds(sums.success));
  line("nv_inference_queue_duration_us", counter, "Time of requests in the queue", labels,
       microseconds(sums.queue));
  line("nv_inference_compute_input_duration_us", counter, "Time of requests in decoding and joining", labels,
       microseconds(sums.compute_input));
  line("nv_inference_compute_infer_duration_us", counter, "Time of requests in the engine", labels,
       microseconds(sums.compute_infer));
  line("nv_inference_compute_output_duration_us", counter, "Time of requests in taking outputs apart", labels,
       microseconds(sums.compute_output));
  line("nv_inference_pending_request_count", gauge, "Requests that wait", labels,
       static_cast<double>(pending));
}

void Metrics::add(const host::CounterReadings& readings) {
  for (const auto& reading : readings) {
    std::string labels;
    for (const auto& [name, value] : reading.labels)
      labels += fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", name, escaped(value));
    line(reading.name.c_str(), reading.grows ? counter : gauge, reading.help.c_str(), labels, reading.value);
  }
}

std::string Metrics::text() const {
  std::string page;
  for (const auto& name : order_) {
    const auto& family = families_.at(name);
    page += family.head + family.lines;
  }
  return page;
}

}  // namespace neph::serve
