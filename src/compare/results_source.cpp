// neph's own JSON (docs/RESULTS.md): of this version and of those before, which lack some keys.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "compare/json_node.hpp"
#include "compare/readers.hpp"
#include "compare/source.hpp"
#include "core/percentile.hpp"
#include "record/experiment.hpp"
#include "record/machine.hpp"
#include "record/metrics.hpp"

namespace neph::compare {
namespace {

constexpr std::int64_t format_version = 1;

/// By their numbers. Earlier versions have one machine, without a number: it has 0.
Result<std::map<std::int64_t, std::string>> machines_of(const Node& results) {
  std::map<std::int64_t, std::string> machines;
  NEPH_TRY(const auto list, results.find("machines"));
  if (!list) {
    NEPH_TRY(const auto machine, results.find("machine"));
    if (machine) machines[0] = machine_name(machine->value());
    return machines;
  }
  NEPH_TRY(const auto all, list->elements());
  for (const auto& machine : all) {
    NEPH_TRY(const auto id, machine.at("id"));
    NEPH_TRY(const auto number, id.count());
    NEPH_TRY(const auto fingerprint, machine.find("fingerprint"));
    machines[number] = machine_name(fingerprint ? fingerprint->value() : Json());
  }
  return machines;
}

/// The facts that a comparison looks at, by its names for them.
constexpr std::pair<std::string_view, std::string_view> compared_facts[] = {
    {"engine", "engine"},       {"device", "device_name"},
    {"precision", "precision"}, {"kernel", "kernel"},
    {"threads", "threads"},     {"model", "model_hash"},
    {"outputs", "answers"},     {"close_answers", "close_answers"}};

Status add_facts(const Node& cell, Configuration& configuration) {
  NEPH_TRY(const auto facts, cell.find("facts"));
  for (const auto& [ours, theirs] : compared_facts) {
    if (!facts) break;
    NEPH_TRY(const auto value, facts->text_at(theirs));
    if (value && !value->empty()) configuration.facts[std::string(ours)] = *value;
  }
  NEPH_TRY(const auto answers, cell.text_at("answers_checksum"));
  if (answers && !answers->empty()) configuration.facts["answers"] = *answers;
  return {};
}

/// What was asked, and of which network: files of the model have a hash only since some version. A load that
/// named no model has the server's only one among its facts, with its platform: "resnet (onnxruntime_onnx)".
Status add_question(const Node& cell, const std::string& workload, Configuration& configuration) {
  if (!workload.empty()) configuration.facts["workload"] = workload;
  NEPH_TRY(const auto repro, cell.text_at("repro"));
  configuration.question = repro.value_or("");
  if (repro && !repro->empty()) configuration.facts["question"] = *repro;
  NEPH_TRY(const auto facts, cell.find("facts"));
  if (facts) {
    NEPH_TRY(const auto served, facts->text_at("model"));
    if (served) configuration.facts["network"] = served->substr(0, served->rfind(" ("));
  }
  NEPH_TRY(const auto spec, cell.find("spec"));
  if (!spec) return {};
  for (const auto* name : {"model", "network"}) {
    NEPH_TRY(const auto model, spec->text_at(name));
    if (model && !model->empty())
      configuration.facts["network"] = std::filesystem::path(*model).filename().string();
  }
  return {};
}

/// As tables of results show them: percentiles where they have an interval.
void add_summaries(const Node& cell, Configuration& configuration) {
  for (const std::string_view group : {"figures", "latency_ms"}) {
    const auto all = cell.value().value(std::string(group), Json::object());
    for (const auto& [name, figure] : all.items())
      if (const auto mean = from_json<Estimate>(figure, name);
          mean && std::isfinite(mean->value) && (!percentile_of(name) || (mean->low && mean->high)))
        configuration.figures[group == "figures" ? name : time_name(metric::latency, name)] = *mean;
  }
}

Status add_doubts(const Node& cell, Configuration& configuration) {
  const bool was_searched = configuration.figures.contains(std::string(metric::sustained_per_s.name));
  NEPH_TRY(const auto warnings, cell.find("warnings"));
  if (!warnings) return {};
  NEPH_TRY(const auto all, warnings->elements());
  for (const auto& warning : all) {
    NEPH_TRY(const auto weight, warning.text_at("weight"));
    if (weight == enum_name(Weight::hint)) continue;
    NEPH_TRY(const auto code, warning.at("code"));
    NEPH_TRY(const auto name, code.text());
    NEPH_TRY(const auto message, warning.text_at("message"));
    if (is_failure(name, was_searched))
      configuration.failures.push_back(message.value_or(in_words(name)));
    else
      configuration.doubts.push_back(message ? fmt::format("{}: {}", name, *message) : name);
  }
  return {};
}

/// Percentiles for which a run had too few samples: they are no metrics, though runs tell a number.
Result<std::set<std::string>> percentiles_without_interval(const Node& cell) {
  std::set<std::string> names;
  NEPH_TRY(const auto figures, cell.find("figures"));
  if (!figures) return names;
  NEPH_TRY(const auto all, figures->members());
  for (const auto& [name, estimate] : all) {
    if (!percentile_of(name)) continue;
    NEPH_TRY(const auto low, estimate.find("low"));
    NEPH_TRY(const auto high, estimate.find("high"));
    if (!low || !high) names.insert(name);
  }
  return names;
}

/// What the configurations of an experiment become, and what their runs need to know.
class Reader {
 public:
  Reader(Source& source, std::map<std::int64_t, std::string> machines)
      : source_(source), machines_(std::move(machines)) {}

  Status add_configuration(const Node& cell, const std::string& workload) {
    NEPH_TRY(const auto index_node, cell.at("index"));
    NEPH_TRY(const auto index, index_node.count());
    if (!places_.try_emplace(index, source_.configurations.size()).second)
      return index_node.fault(fmt::format("{} stands twice", index));
    auto& configuration = source_.configurations.emplace_back();
    NEPH_TRY(const auto label, cell.at("label"));
    NEPH_TRY(configuration.label, label.text());
    NEPH_TRY(const auto factors, cell.find("factors"));
    if (factors) configuration.factors = factors->value();
    NEPH_CHECK(add_question(cell, workload, configuration));
    NEPH_CHECK(add_facts(cell, configuration));
    add_summaries(cell, configuration);
    NEPH_CHECK(add_doubts(cell, configuration));
    NEPH_TRY(auto none, percentiles_without_interval(cell));
    no_metrics_.push_back(std::move(none));
    return {};
  }

  Status add_run(const Node& run) {
    NEPH_TRY(const auto status, run.at("status"));
    NEPH_TRY(const auto ended, status.text());
    if (ended == enum_name(RunStatus::interrupted)) return {};
    NEPH_TRY(const auto cell, run.at("cell"));
    NEPH_TRY(const auto index, cell.count());
    const auto place = places_.find(index);
    if (place == places_.end()) return cell.fault(fmt::format("there is no configuration {}", index));
    auto& configuration = source_.configurations[place->second];
    if (ended != enum_name(RunStatus::ok)) {
      NEPH_TRY(const auto reason, run.text_at("reason"));
      add_remarks({.failures = {"a run failed: " + reason.value_or(ended)}}, configuration);
      return {};
    }
    MeasuredRun measured;
    NEPH_TRY(const auto repeat, run.at("repeat"));
    NEPH_TRY(measured.block, repeat.count());
    NEPH_CHECK(add_figures(run, no_metrics_[place->second], measured));
    NEPH_CHECK(see_machine(run, place->second));
    const auto peak = std::string(metric::peak_memory_bytes.name);
    if (const auto found = measured.metrics.find(peak); found != measured.metrics.end()) {
      auto& most = configuration.figures[peak];
      most = {.value = std::fmax(most.value, found->second), .n = most.n + 1};
    }
    configuration.runs.push_back(std::move(measured));
    return {};
  }

  void finish() {
    for (auto& [place, names] : seen_)
      source_.configurations[place].facts["machine"] = fmt::format("{}", fmt::join(names, " and "));
    for (auto& configuration : source_.configurations)
      if (configuration.runs.empty()) configuration.doubts.emplace_back("no run ended well");
  }

 private:
  static Status add_figures(const Node& run, const std::set<std::string>& left_out, MeasuredRun& measured) {
    NEPH_TRY(const auto figures, run.at("figures"));
    NEPH_TRY(const auto all, figures.members());
    for (const auto& [name, value] : all) {
      if (value.value().is_null() || left_out.contains(name)) continue;
      NEPH_TRY(measured.metrics[name], value.number());
    }
    return {};
  }

  Status see_machine(const Node& run, std::size_t place) {
    NEPH_TRY(const auto machine, run.find("machine"));
    if (!machine && run.value().contains("machine")) return {};  // it is not known
    std::int64_t id = 0;
    if (machine) {
      NEPH_TRY(id, machine->count());
    }
    const auto found = machines_.find(id);
    if (found != machines_.end())
      seen_[place].insert(found->second);
    else if (machine)
      return machine->fault(fmt::format("there is no machine {}", id));
    return {};
  }

  Source& source_;
  std::map<std::int64_t, std::string> machines_;
  std::map<std::int64_t, std::size_t> places_;         ///< of configurations, by their index
  std::vector<std::set<std::string>> no_metrics_;      ///< of each configuration
  std::map<std::size_t, std::set<std::string>> seen_;  ///< machines of each configuration's runs
};

Status check_format(const Node& results) {
  NEPH_TRY(const auto version, results.count_at("format"));
  if (!version || *version == format_version) return {};
  auto error = results.fault(fmt::format("format {} is not known here", *version));
  error.value().code = ErrorCode::unsupported;
  error.value().hint = fmt::format("this neph reads format {}; use the one that wrote it", format_version);
  return error;
}

/// Of the store and the moment: two files of one experiment have the same.
Result<std::string> identity_of(const Node& experiment) {
  NEPH_TRY(const auto id, experiment.count_at("id"));
  NEPH_TRY(const auto created, experiment.text_at("created"));
  if (!id || !created || created->empty()) return std::string();
  NEPH_TRY(const auto seed, experiment.find("seed"));
  return fmt::format("experiment {} of {}, seed {}", *id, *created,
                     seed ? dump_json(seed->value()) : "unknown");
}

}  // namespace

std::string machine_name(Json fingerprint) { return machine_text(machine_of(std::move(fingerprint))); }

Result<Source> source_of_results(const Json& document, std::string name) {
  const Node results(document, name);
  NEPH_CHECK(check_format(results));
  Source source{.name = std::move(name), .kind = std::string(kind::results)};
  NEPH_TRY(const auto experiment, results.at("experiment"));
  NEPH_TRY(source.identity, identity_of(experiment));
  NEPH_TRY(const auto workload, experiment.text_at("workload"));
  NEPH_TRY(auto machines, machines_of(results));
  Reader reader(source, std::move(machines));
  NEPH_TRY(const auto cells, results.at("cells"));
  NEPH_TRY(const auto configurations, cells.elements());
  for (const auto& cell : configurations) NEPH_CHECK(reader.add_configuration(cell, workload.value_or("")));
  NEPH_TRY(const auto list, results.at("runs"));
  NEPH_TRY(const auto runs, list.elements());
  for (const auto& run : runs) NEPH_CHECK(reader.add_run(run));
  reader.finish();
  return source;
}

}  // namespace neph::compare
