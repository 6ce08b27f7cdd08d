#include "script/spec_text.hpp"

#include "core/json.hpp"

namespace neph::script {
namespace {

/// JSON's values are TOML's too, but for one character that only TOML wants escaped.
std::string value_text(const Json& value) {
  std::string text;
  for (const char c : dump_json(value)) text += c == '\x7f' ? std::string("\\u007f") : std::string(1, c);
  return text;
}

void add_line(std::string& text, const std::string& key, const Json& value) {
  text += fmt::format("{} = {}\n", key, value_text(value));
}

}  // namespace

std::string spec_text(const Experiment& experiment, const Json& options) {
  std::string text;
  add_line(text, "repeat", experiment.repeat);
  if (experiment.seed != 0) add_line(text, "seed", experiment.seed);
  for (const auto& [key, value] : options.items()) add_line(text, key, value);
  if (experiment.latency_limit_s > 0)
    add_line(text, "latency_limit", seconds_text(Seconds{experiment.latency_limit_s}));
  text += fmt::format("\n[{}]\n", experiment.workload);
  for (const auto& [key, value] : experiment.spec.items())
    if (!value.is_null()) add_line(text, key, value);
  for (const auto& factor : experiment.factors) add_line(text, factor.name, Json(factor.values));
  return text;
}

}  // namespace neph::script
