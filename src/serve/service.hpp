// The Open Inference Protocol's questions, answered. Only for files of this module.
#pragma once

#include <map>
#include <string>

#include "host/host.hpp"
#include "serve/models.hpp"
#include "serve/regions.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// Threads: any.
class InferenceService final : public wire::Service {
 public:
  InferenceService(Models& models, Regions& regions, std::string version);

  bool live() const override { return true; }
  bool ready() const override { return models_.ready(); }
  Result<bool> model_ready(const std::string& model, const std::string& version) const override;
  wire::ServerMetadata metadata() const override;
  Result<wire::ModelMetadata> model_metadata(const std::string& model,
                                             const std::string& version) const override;
  Result<wire::ModelConfig> model_config(const std::string& model, const std::string& version) const override;
  Result<std::vector<wire::ModelStatistics>> statistics(const std::string& model,
                                                        const std::string& version) const override;
  std::vector<wire::RepositoryEntry> repository(bool only_ready) const override;
  Status load(const std::string& model) override {
    return models_.load(model).map_error([&](Error error) { return models_.for_clients(std::move(error)); });
  }
  Status unload(const std::string& model) override { return models_.unload(model); }
  Result<std::vector<wire::SharedRegion>> shared_regions(const std::string& name) const override;
  Status register_region(const wire::SharedRegion& region) override;
  Status unregister_region(const std::string& name) override;
  std::string metrics() const override;
  void infer(wire::Exchange& exchange) override;

 private:
  Models& models_;
  Regions& regions_;
  const std::string version_;
  mutable std::mutex counters_mutex_;
  mutable host::Counters counters_;  ///< under counters_mutex_
};

class Metrics {
 public:
  void add(const wire::ModelStatistics& model, std::int64_t pending);
  void add(const host::CounterReadings& readings);
  std::string text() const;

 private:
  struct Family {
    std::string head;  ///< its HELP and TYPE lines
    std::string lines;
  };
  void line(const char* name, const char* type, const char* help, const std::string& labels, double value);

  std::vector<std::string> order_;  ///< of families, as they were first added
  std::map<std::string, Family> families_;
};

}  // namespace neph::serve
