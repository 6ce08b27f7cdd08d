#include "script/spec_text.hpp"

#include "core/json.hpp"
#include "script/quoting.hpp"

namespace neph::script {
namespace {

/// Most keys need no quotes.
std::string key_text(const std::string& key) {
  constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !key.empty() && key.find_first_not_of(bare) == std::string::npos ? key : scalar(key);
}

void add_line(std::string& text, const std::string& key, const Json& value) {
  text += fmt::format("{} = {}\n", key_text(key), scalar(value));
}

}  // namespace

std::string spec_text(const Experiment& experiment, const Json& options) {
  std::string text;
  add_line(text, "repeat", experiment.repeat);
  if (experiment.seed != 0) add_line(text, "seed", experiment.seed);
  for (const auto& [key, value] : options.items()) add_line(text, key, value);
  if (experiment.latency_limit_s > 0)
    add_line(text, "latency_limit", seconds_text(Seconds{experiment.latency_limit_s}));
  text += fmt::format("\n[{}]\n", key_text(experiment.workload));
  for (const auto& [key, value] : experiment.spec.items())
    if (!value.is_null()) add_line(text, key, value);
  for (const auto& factor : experiment.factors) add_line(text, factor.name, Json(factor.values));
  return text;
}

}  // namespace neph::script
