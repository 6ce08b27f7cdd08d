#include "serve/service.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

namespace neph::serve {
namespace {

template <class T, class Ask>
Result<T> ask(const Models& models, const std::string& model, const std::string& version, Ask question) {
  T answer{};
  NEPH_CHECK(models.with(model, version, [&](Deployment& deployment) { answer = question(deployment); }));
  return answer;
}

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

InferenceService::InferenceService(Models& models, Regions& regions, std::string version)
    : models_(models), regions_(regions), version_(std::move(version)) {}

void InferenceService::infer(wire::Exchange& exchange) {
  Deployment* deployment = nullptr;
  Job* job = nullptr;
  const auto& request = exchange.request;
  auto found = contained([&] {
    return models_.with(request.model, request.version, [&](Deployment& ready) {
      deployment = &ready;
      job = &ready.accept(exchange);
    });
  });
  if (!found) return exchange.finish(std::move(found));
  deployment->run(*job);
}

Result<bool> InferenceService::model_ready(const std::string& model, const std::string& version) const {
  return models_.model_ready(model, version);
}

wire::ServerMetadata InferenceService::metadata() const {
  return {.name = "neph",
          .version = version_,
          .extensions = {"classification", "schedule_policy", "model_repository",
                         "model_repository(unload_dependents)", "model_configuration", "system_shared_memory",
                         "binary_tensor_data", "parameters", "statistics"}};
}

Result<wire::ModelMetadata> InferenceService::model_metadata(const std::string& model,
                                                             const std::string& version) const {
  return models_.metadata(model, version);
}

Result<wire::ModelConfig> InferenceService::model_config(const std::string& model,
                                                         const std::string& version) const {
  return ask<wire::ModelConfig>(models_, model, version, [](auto& d) { return d.config(); });
}

Result<std::vector<wire::ModelStatistics>> InferenceService::statistics(const std::string& model,
                                                                        const std::string& version) const {
  std::vector<wire::ModelStatistics> all;
  const auto add = [&](const Deployment& deployment) { all.push_back(deployment.statistics()); };
  if (model.empty()) {
    models_.each_ready(add);
    return all;
  }
  NEPH_CHECK(version.empty() ? models_.each_version(model, add) : models_.with(model, version, add));
  return all;
}

std::vector<wire::RepositoryEntry> InferenceService::repository(bool only_ready) const {
  return models_.list(only_ready);
}

Result<std::vector<wire::SharedRegion>> InferenceService::shared_regions(const std::string& name) const {
  return regions_.list(name);
}

Status InferenceService::register_region(const wire::SharedRegion& region) { return regions_.add(region); }

Status InferenceService::unregister_region(const std::string& name) { return regions_.remove(name); }

std::string InferenceService::metrics() const {
  Metrics page;
  models_.each_ready(
      [&](const Deployment& deployment) { page.add(deployment.statistics(), deployment.pending()); });
  const std::scoped_lock lock(counters_mutex_);
  page.add(counters_.read());
  return page.text();
}

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
