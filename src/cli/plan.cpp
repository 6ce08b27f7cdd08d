#include "cli/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <random>

#include <fmt/ranges.h>

#include "cli/terminal.hpp"
#include "cli/times.hpp"
#include "core/clock.hpp"
#include "core/toml.hpp"
#include "core/values.hpp"
#include "engine/engine.hpp"
#include "record/cells.hpp"
#include "record/views.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

std::uint64_t new_seed() {
  std::random_device source;
  return source() >> 1 | 1U;  // small enough to be typed again
}

/// The command line that does it all again, in the same order: `fields` as they were given.
std::string command_of(const workload::Workload& workload, Json fields, const PlanOptions& options,
                       Seconds latency_limit, std::uint64_t seed) {
  const auto in_words = [](const Json& value) {
    if (!value.is_array()) return shell_quoted(value_as_text(value));
    std::string list;
    for (const auto& element : value) list += (list.empty() ? "" : ",") + value_as_text(element);
    return shell_quoted(list);
  };
  const std::string positional(workload.positional);
  const auto subject = fields.value(positional, Json(""));
  const bool has_shared_verb = !workload.shared_verb.empty();
  const bool is_last = has_shared_verb && !subject.is_array();
  std::string line = fmt::format("neph {}", has_shared_verb ? workload.shared_verb : workload.name);
  if (!has_shared_verb) line += " " + in_words(subject);
  if (!has_shared_verb || is_last) fields.erase(positional);
  if (options.store != PlanOptions{}.store) fields["store"] = options.store;
  fields["repeat"] = options.repeat;
  fields["seed"] = seed;
  if (options.on != PlanOptions{}.on) fields["on"] = options.on;
  if (options.timeout_s != PlanOptions{}.timeout_s) fields["timeout_s"] = options.timeout_s;
  if (!options.money.price.empty()) fields["price"] = options.money.price;
  if (!options.money.rule.empty()) fields["rule"] = options.money.rule;
  if (latency_limit.value > 0) fields["latency_limit"] = seconds_text(latency_limit);
  for (const auto& [name, value] : fields.items()) {
    line += fmt::format(" {} {}", option_name(name), in_words(value));
  }
  if (is_last) line += " -- " + value_as_text(subject);  // a command line already
  return line;
}

std::string with_underscores(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Where none is given, the engine that there is for the first model: OpenVINO, or the first by name.
void choose_engine(Json& fields) {
  if (fields.value("engine", Json("")) != "" || fields.value("architecture", Json("")) == "remote") return;
  const auto models = fields.value("model", Json(""));
  const auto first = models.is_array() && !models.empty() ? models.front() : models;
  std::filesystem::path file = first.is_string() ? first.get<std::string>() : "";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) file = "network.onnx";  // given by name
  engine::Registry engines;
  const auto engine = engines.open_for(file);
  const auto usual = workload::InferSpec{}.runtime.engine;
  if (!engine) return;  // preparing the runs finds out why
  if ((*engine)->name() != usual)
    talk("--engine {}: the first that there is for {}\n", (*engine)->name(),
         file.has_extension() ? file.extension().string() + " files" : file.filename().string());
  if ((*engine)->name() != usual || fields.contains("engine")) fields["engine"] = (*engine)->name();
}

/// What belongs to the experiment and not to what it measures stands above the table.
Status check_places(const Json& fields, const std::string& workload,
                    const std::vector<std::string>& options) {
  NEPH_TRY(const auto* known, workload::find_workload(workload));
  const auto own = known->fields();
  const auto has = [](const auto& names, const auto& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [key, value] : fields.items())
    if (const auto name = with_underscores(key); has(options, name) && !has(own, name))
      return fail(ErrorCode::invalid_argument, "'{}' is not of [{}]: write {} above [{}]", key, workload,
                  name, workload);
  return {};
}

/// "a list is written batch = [1, 2, 4, 8]" where the value that makes no sense is one of the command line's.
Error with_how_lists_are_written(Error error, const Json& fields, const std::vector<std::string>& known) {
  const auto field = fields.find(error.subject);
  if (field == fields.end() || !field->is_string() || !std::ranges::count(known, error.subject)) return error;
  auto values = expand_values(field->get<std::string>());
  if (!values || values->size() < 2) return error;
  for (auto& value : *values)
    if (!Json::accept(value)) value = dump_json(Json(value));
  error.add_hint(fmt::format("a list is written {} = [{}]", error.subject, fmt::join(*values, ", ")));
  return error;
}

/// What a run can only do where this program is: it says so, and is not passed over.
Status check_place(const Json& spec, const std::string& on) {
  if (on == PlanOptions{}.on) return {};
  const auto refuse = [&](std::string_view what, std::string_view why) {
    return fail(ErrorCode::invalid_argument, "--on {}: {} {}", on, what, why);
  };
  if (!spec.value("answers", "").empty())
    return refuse("--answers", "writes a file there, which is gone with the run; leave it out, or run here");
  if (spec.value("in", "") == "docker")
    return refuse("--in docker", "starts a container from inside of one; take process, or run here");
  if (spec.value("server_in", "") == "docker")
    return refuse("--server-in docker", "starts a container from inside of one; take process, or run here");
  return {};
}

}  // namespace

Result<Plan> make_plan(const std::string& workload_name, const Json& given, const PlanOptions& options,
                       Seconds latency_limit) {
  NEPH_TRY(const auto* workload, workload::find_workload(workload_name));
  NEPH_CHECK(check_money(options.money));
  auto fields = workload->own_names(given);
  if (workload_name == view::infer.workload) choose_engine(fields);
  Plan plan{.options = options};
  plan.experiment.created = utc_now();
  plan.experiment.workload = workload_name;
  plan.experiment.repeat = options.repeat;
  plan.experiment.latency_limit_s = latency_limit.value;
  plan.experiment.price = options.money.price;
  plan.experiment.price_rule = options.money.rule;
  plan.experiment.seed = options.seed != 0 ? static_cast<std::uint64_t>(options.seed) : new_seed();
  set_fields(plan.experiment, fields, workload->fields());
  plan.experiment.idle = workload->idle();
  NEPH_TRY(plan.cells, expand(plan.experiment));
  for (const auto& cell : plan.cells) {
    NEPH_CHECK(workload->check(cell.spec));
    NEPH_CHECK(check_place(cell.spec, options.on));
  }
  plan.experiment.command = command_of(*workload, fields, options, latency_limit, plan.experiment.seed);
  return plan;
}

Status set_money(Plan& plan, const MoneyOptions& money) {
  NEPH_CHECK(check_money(money));
  if (!money.price.empty()) plan.experiment.price = money.price;
  if (!money.rule.empty()) plan.experiment.price_rule = money.rule;
  return {};
}

Result<Plan> read_plan(std::string_view toml, std::string_view file) {
  NEPH_TRY(Json document, parse_toml(toml, file));
  std::vector<std::string> tables;
  for (const auto& workload : workload::workloads()) tables.emplace_back(workload.name);
  Json options = Json::object();
  std::string workload;
  for (const auto& [key, value] : document.items()) {
    if (!value.is_object()) {
      options[key] = value;
    } else if (std::find(tables.begin(), tables.end(), key) == tables.end()) {
      return fail_in(file, unknown_name(ErrorCode::invalid_argument, "table", key, tables).value());
    } else if (!workload.empty()) {
      return fail(ErrorCode::invalid_argument, "{}: has [{}] and [{}]; an experiment has one", file, workload,
                  key);
    } else {
      workload = key;
    }
  }
  if (workload.empty())
    return fail(ErrorCode::invalid_argument, "{}: no [{}] table that says what to measure", file,
                tables.front());
  NEPH_TRY(const auto* described, workload::find_workload(workload));
  const auto kept = keep_seconds(options, field_names<PlanOptions>()).and_then([&] {
    return keep_seconds(document[workload], described->fields());
  });
  if (!kept) return fail_in(file, kept.error());
  CompetingPlanOptions asked;
  asked.timeout_s = described->timeout_s;
  const bool competes = view_of(workload).better.has_value();
  const auto read =
      competes ? from_json(options, asked, "") : from_json(options, static_cast<PlanOptions&>(asked), "");
  if (!read) return fail_in(file, read.error());
  const auto& fields = document[workload];
  const auto placed = check_places(
      fields, workload, competes ? field_names<CompetingPlanOptions>() : field_names<PlanOptions>());
  if (!placed) return fail_in(file, placed.error());
  auto plan = make_plan(workload, fields, asked, asked.latency_limit);
  if (!plan) return fail_in(file, with_how_lists_are_written(plan.error(), fields, described->fields()));
  plan->is_repeat_asked = options.contains("repeat");
  return plan;
}

}  // namespace neph::cli
