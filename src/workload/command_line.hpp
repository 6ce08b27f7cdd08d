// The command that repeats one run: only what differs from the defaults.
#pragma once

#include <string>
#include <string_view>

#include "core/json.hpp"
#include "core/values.hpp"

namespace neph::workload {

/// "neph VERB POSITIONAL --field value ..."; empty where the description makes no sense.
template <Described Spec>
std::string command_line(std::string_view verb, const std::string& positional, const Json& json) {
  const auto spec = from_json<Spec>(json, "");
  if (!spec) return {};
  const auto given = to_json(*spec);
  const auto defaults = to_json(Spec{});
  std::string line = fmt::format("neph {} {}", verb, shell_quoted(value_as_text(given[positional])));
  for (const auto& [name, value] : given.items())
    if (name != positional && value != defaults[name])
      line += fmt::format(" {} {}", option_name(name), shell_quoted(value_as_text(value)));
  return line;
}

}  // namespace neph::workload
