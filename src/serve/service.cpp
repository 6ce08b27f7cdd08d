#include "serve/service.hpp"

#include <utility>

#include "serve/metrics.hpp"

namespace neph::serve {
namespace {

template <class T, class Ask>
Result<T> ask(const Models& models, const std::string& model, const std::string& version, Ask question) {
  T answer{};
  NEPH_CHECK(models.with(model, version, [&](Deployment& deployment) { answer = question(deployment); }));
  return answer;
}

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

}  // namespace neph::serve
