// hyperfine's JSON: a timing is a run. Of user and system time, and of files without timings, it keeps the
// means.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "compare/json_node.hpp"
#include "compare/readers.hpp"

namespace neph::compare {
namespace {

/// One number for each of `runs` runs; empty: there are none. Of memory, versions before 1.19 have none.
Result<std::vector<double>> each_run(const Node& result, std::string_view key, std::size_t runs) {
  std::vector<double> values;
  NEPH_TRY(const auto list, result.find(key));
  if (!list) return values;
  NEPH_TRY(const auto all, list->elements());
  if (all.size() != runs) return list->fault(fmt::format("has {} values for {} times", all.size(), runs));
  for (const auto& one : all) {
    NEPH_TRY(values.emplace_back(), one.quantity());
  }
  return values;
}

Status add_runs(const Node& result, Configuration& configuration) {
  NEPH_TRY(const auto times, result.find("times"));
  if (!times) return {};
  NEPH_TRY(const auto all, times->elements());
  NEPH_TRY(const auto memory, each_run(result, "memory_usage_byte", all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& run = configuration.runs.emplace_back();
    run.block = static_cast<std::int64_t>(i);
    NEPH_TRY(run.metrics["time_s"], all[i].quantity());
    if (!memory.empty()) run.metrics["peak_memory_bytes"] = memory[i];
  }
  return {};
}

Status add_means(const Node& result, Configuration& configuration) {
  const auto n = static_cast<std::int64_t>(configuration.runs.size());
  NEPH_TRY(const auto user, result.quantity_at("user"));
  NEPH_TRY(const auto system, result.quantity_at("system"));
  if (user) configuration.means["user_s"] = {.value = *user, .n = n};
  if (system) configuration.means["system_s"] = {.value = *system, .n = n};
  if (user && system && std::isfinite(*user + *system))
    configuration.means["cpu_s"] = {.value = *user + *system, .n = n};
  if (!configuration.runs.empty()) return {};
  NEPH_TRY(const auto mean, result.at("mean"));
  NEPH_TRY(configuration.means["time_s"].value, mean.quantity());  // of how many times, nobody says
  return {};
}

/// Null: it was ended by a signal.
Status see_exit_codes(const Node& result, Configuration& configuration) {
  NEPH_TRY(const auto codes, result.find("exit_codes"));
  if (!codes) return {};
  NEPH_TRY(const auto all, codes->elements());
  std::set<std::string> ends;
  const auto failed = std::ranges::count_if(all, [&](const Node& code) {
    if (code.value() == 0) return false;
    ends.insert(code.value().is_null() ? "a signal" : "exit code " + dump_json(code.value()));
    return true;
  });
  if (failed > 0)
    configuration.failures.push_back(
        fmt::format("{} of {} runs failed ({})", failed, all.size(), fmt::join(ends, ", ")));
  return {};
}

Result<Configuration> configuration_of(const Node& result) {
  Configuration configuration;
  NEPH_TRY(const auto command, result.at("command"));
  NEPH_TRY(configuration.label, command.text());
  NEPH_TRY(const auto name, result.text_at("command_name"));
  if (name && !name->empty()) configuration.label = *name;
  configuration.factors["command"] = configuration.label;
  NEPH_TRY(const auto parameters, result.find("parameters"));
  if (parameters) {
    NEPH_TRY(const auto all, parameters->members());
    for (const auto& [key, value] : all) configuration.factors[key] = value.value();
  }
  NEPH_CHECK(add_runs(result, configuration));
  NEPH_CHECK(add_means(result, configuration));
  NEPH_CHECK(see_exit_codes(result, configuration));
  return configuration;
}

}  // namespace

Result<Source> source_of_hyperfine(const Json& document, std::string name) {
  const Node root(document, name);
  Source source{.name = std::move(name), .kind = std::string(kind::hyperfine)};
  NEPH_TRY(const auto results, root.at("results"));
  NEPH_TRY(const auto all, results.elements());
  for (const auto& result : all) {
    NEPH_TRY(source.configurations.emplace_back(), configuration_of(result));
  }
  return source;
}

}  // namespace neph::compare
