// Offers and configurations made by hand, for tests.
#pragma once

#include <string>
#include <vector>

#include "advise/advise.hpp"

namespace neph::advise {

/// A machine by the exact time, unless another rule is named.
inline price::Offer machine(const std::string& name, double cores, const std::string& per_hour,
                            const std::string& gpu = {}, std::int64_t gpus = 0,
                            const std::string& rule = "exact") {
  return {.provider = "test",
          .instance = name,
          .vcpus = cores,
          .memory_gib = 64,
          .gpu = gpu,
          .gpus = gpu.empty() ? 0 : std::max<std::int64_t>(gpus, 1),
          .per_hour = price::parse_decimal(per_hour, "price").value(),
          .rule = rule};
}

inline Configuration takes(const std::string& name, double cores, double seconds, double spread = 1) {
  Estimate estimate{.value = seconds, .n = 0};
  if (spread > 1) {
    estimate.low = seconds / spread;
    estimate.high = seconds * spread;
  }
  return {.work = {.name = name, .stages = {{.stage = BillStage::learn, .seconds = estimate}}},
          .needs = {.cores = cores}};
}

inline Configuration on_gpu(const std::string& name, const std::string& gpu, double seconds,
                            double spread = 1) {
  auto configuration = takes(name, 1, seconds, spread);
  configuration.needs.gpu = gpu;
  configuration.needs.gpus = 1;
  return configuration;
}

/// Without any stage around the job.
inline Request asked() {
  return {.source = "the test",
          .currency = "USD",
          .begin = price::parse_instant("2026-11-24T13:25Z", "UTC", {}).value(),
          .rules = price::built_in_rules()};
}

inline const AdvisedCandidate& recommended(const Advice& advice) {
  return advice.candidates.at(static_cast<std::size_t>(advice.recommended.value()));
}

inline const AdvisedCandidate& candidate_of(const Advice& advice, const std::string& configuration) {
  for (const auto& candidate : advice.candidates)
    if (candidate.configuration == configuration) return candidate;
  throw std::out_of_range(configuration);
}

}  // namespace neph::advise
