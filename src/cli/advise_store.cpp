#include "cli/advise_store.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "cli/advise_headings.hpp"
#include "cli/advise_table.hpp"
#include "cli/results.hpp"
#include "core/names.hpp"
#include "core/seconds.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "record/cells.hpp"
#include "record/telemetry.hpp"
#include "record/views.hpp"
#include "table/table.hpp"

namespace neph::cli {
namespace {

using Cells = std::vector<const CellSummary*>;

/// Factors that are told as needs and places.
constexpr std::array<std::string_view, 7> resources{"threads",   "device", "gpus", "in",
                                                    "server_in", "image",  "rate"};

template <class Names>
bool is_among(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Status check_factor(const report::Document& document, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& factor : document.experiment.factors) known.push_back(factor.name);
  if (is_among(known, name)) return {};
  return unknown_name(ErrorCode::not_found, "factor", name, known,
                      fmt::format("experiment {}", document.experiment.id));
}

Result<Cells> chosen_cells(const report::Document& document, const std::vector<std::string>& where) {
  Cells cells;
  for (const auto& cell : document.cells) cells.push_back(&cell);
  for (const auto& condition : where) {
    const auto equals = condition.find('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::invalid_argument, "--where {}: give it as FACTOR=VALUE", condition);
    const auto name = condition.substr(0, equals), value = condition.substr(equals + 1);
    NEPH_CHECK(check_factor(document, name));
    std::erase_if(cells, [&](const CellSummary* cell) {
      return !cell->cell.factors.contains(name) || value_as_text(cell->cell.factors[name]) != value;
    });
    if (cells.empty())
      return fail(ErrorCode::not_found, "no configuration of experiment {} has {}", document.experiment.id,
                  condition);
  }
  return cells;
}

/// Errors: invalid_argument, where cells do different jobs.
Status check_same_job(const Cells& cells) {
  for (const auto name : heading::jobs) {
    const std::string key(name);
    const auto value_of = [&](const CellSummary* cell) {
      return cell->cell.factors.contains(key) ? cell->cell.factors[key] : Json();
    };
    for (const auto* cell : cells)
      if (value_of(cell) != value_of(cells.front()))
        return fail(
            ErrorCode::invalid_argument,
            "configurations that differ in {} do different jobs, and are no choice; take one: --where {}={}",
            key, option_name(key).substr(2), value_as_text(value_of(cells.front())));
  }
  return {};
}

Json field_of(const report::Document& document, const CellSummary& cell, const char* name) {
  if (cell.cell.spec.is_object() && cell.cell.spec.contains(name)) return cell.cell.spec[name];
  const auto& spec = document.experiment.spec;
  return spec.is_object() && spec.contains(name) ? spec[name] : Json();
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// That its runs were made on; nullptr: not told, or several.
const Machine* machine_of(const report::Document& document, const CellSummary& cell) {
  const Machine* found = nullptr;
  for (const auto& run : document.runs) {
    if (run.cell != cell.cell.index || run.status != RunStatus::ok || !run.machine_id) continue;
    const auto machine = std::ranges::find(document.machines, *run.machine_id, &Machine::id);
    if (machine == document.machines.end()) continue;
    if (found && found != &*machine) return nullptr;
    found = &*machine;
  }
  return found;
}

std::optional<double> cores_of(const report::Document& document, const CellSummary& cell,
                               const Machine* machine) {
  if (const auto bound = get(cell.facts, fact::cores)) return static_cast<double>(*bound);
  const auto threads = field_of(document, cell, "threads");
  if (document.experiment.workload != view::load.workload && threads.is_number() && threads.get<double>() > 0)
    return threads.get<double>();
  return machine ? machine->cores : std::nullopt;
}

/// The most that the run and its server had, in bytes. A load generator is no part of what is rented.
std::optional<double> memory_of(const report::Document& document, const CellSummary& cell) {
  const bool is_load = document.experiment.workload == view::load.workload;
  std::optional<double> sum;
  for (const auto& series : cell.telemetry) {
    const bool is_of_job =
        series.target == target::server ||
        (!is_load && (series.target == target::process || series.target == target::client));
    if (is_of_job && series.name == telemetry::memory_resident.name && series.max)
      sum = sum.value_or(0) + *series.max;
  }
  return sum;
}

/// Of the GPU that had most in use.
std::optional<double> gpu_memory_of(const CellSummary& cell) {
  std::optional<double> most;
  for (const auto& series : cell.telemetry)
    if (series.target.starts_with(target::gpu) && series.name == telemetry::memory_used.name && series.max)
      most = std::max(most.value_or(0), *series.max);
  return most;
}

advise::Needs needs_of(const report::Document& document, const CellSummary& cell, const Machine* machine) {
  advise::Needs needs{.cores = cores_of(document, cell, machine), .memory_bytes = memory_of(document, cell)};
  needs.gpus = gpus_used(document.experiment, cell.cell);
  if (needs.gpus > 0 && machine) needs.gpu = machine->gpu;
  if (machine) needs.arch = text_of(processor_field(machine->fingerprint, "architecture"));
  return needs;
}

std::string family_of(const CellSummary& cell) {
  std::string family;
  for (const auto& [name, value] : cell.cell.factors.items())
    if (!is_among(resources, name))
      family += fmt::format("{}{} {}", family.empty() ? "" : ", ", name, value_as_text(value));
  return family;
}

std::string refusal_of(const CellSummary& cell, const advise::Needs& needs) {
  if (cell.runs_ok == 0)
    return cell.failures.empty() ? "no run of it ended well" : "its runs failed: " + cell.failures.front();
  if (cell.verdict == Verdict::invalid) return "its measurement is invalid (neph show says why)";
  if (needs.gpus > 0 && needs.gpu.empty())
    return "it ran on a GPU, and which one is not known: its machine is not, or there were several";
  return {};
}

advise::Configuration described(const report::Document& document, const CellSummary& cell) {
  const auto* machine = machine_of(document, cell);
  auto place = text_of(field_of(document, cell, "in"));
  if (place.empty()) place = text_of(field_of(document, cell, "server_in"));
  if (place.empty() && document.experiment.workload != view::load.workload) place = "process";  // the default
  auto needs = needs_of(document, cell, machine);
  auto refused = refusal_of(cell, needs);
  auto used = machine ? *machine : Machine{};
  if (needs.cores) used.cores = needs.cores;
  return {.work = {.name = cell.cell.label, .stages = {}},
          .family = family_of(cell),
          .place = std::move(place),
          .needs = std::move(needs),
          .machine = machine ? machine_text(*machine) : "",
          .repeats = cell.runs_ok,
          .run_s = run_s_of(document, cell.cell.index),
          .hardware = machine ? hardware_text(used, needs.gpus) : "",
          .precision = text_of(field_of(document, cell, "precision")),
          .gpu_memory_bytes = gpu_memory_of(cell),
          .script = fmt::format("neph script {} --cell {}", document.experiment.id, cell.cell.index),
          .refused = std::move(refused),
          .is_doubtful = cell.verdict == Verdict::doubtful};
}

bool is_load(const report::Document& document) { return document.experiment.workload == view::load.workload; }

/// Requests per second that were sent whatever the answers took; 0: a closed loop, which waits for them.
double open_rate(const report::Document& document, const CellSummary& cell) {
  if (!is_load(document) || text_of(field_of(document, cell, "arrival")) == "closed") return 0;
  const auto rate = field_of(document, cell, "rate");
  if (rate.is_number() && rate.get<double>() > 0) return rate.get<double>();
  const auto* offered = price::find_figure(cell.figures, metric::offered_per_s.name);
  return offered && !text_of(field_of(document, cell, "trace")).empty() ? offered->value : 0;
}

/// That measures a rate with this objective.
std::string search_command(const report::Document& document, const CellSummary& cell, double limit_s) {
  const auto model = text_of(field_of(document, cell, "model"));
  auto server = text_of(field_of(document, cell, is_load(document) ? "url" : "server"));
  const bool is_there = !server.empty();
  if (!is_there) server = "grpc://127.0.0.1:8001";
  const auto served = is_load(document) ? model : std::filesystem::path(model).stem().string();
  return fmt::format("{}neph load {}{} --find-max-rate --p99 {}",
                     is_there ? "" : fmt::format("neph serve {}, and beside it ", shell_quoted(model)),
                     server, served.empty() ? "" : " --model " + shell_quoted(served),
                     seconds_text({limit_s}));
}

/// Why the 99th percentile of an open loop, as tables have it, does not keep to the objective with the whole
/// of its interval, or is of too few of the requests; empty: it does.
std::string unfit(const CellSummary& cell, double rate, double limit_s) {
  const auto* p99 = price::find_figure(cell.latency_ms, statistic::p99);
  if (!p99 || !p99->low || !p99->high)
    return "its p99 is not known: too few were timed; measure it for longer (--count, --duration)";
  constexpr double answered_of_rate = 0.99;
  const auto answered = speed_of(view::load, cell).value;
  const auto* offered = price::find_figure(cell.figures, metric::offered_per_s.name);
  if (const double sent = offered ? offered->value : rate; answered < answered_of_rate * sent)
    return fmt::format("it answered {} of {} requests/s", format_number(answered), format_number(sent));
  if (*p99->high <= 1e3 * limit_s) return {};
  return fmt::format("its p99 is {} ms, and should be within {} ms", format_estimate(*p99),
                     format_number(1e3 * limit_s));
}

/// A search for the highest rate has an objective of its own, which must be no looser than the one asked for.
std::string unfit_search(const report::Document& document, const CellSummary& cell, double limit_s) {
  const auto text = text_of(field_of(document, cell, "p99"));
  const auto searched = parse_seconds(text.empty() ? "0s" : text);
  if (limit_s <= 0 || !searched || (searched->value > 0 && searched->value <= limit_s)) return {};
  if (searched->value == 0) return "its rate was searched for by another percentile than p99";
  return fmt::format("its rate was searched for with a p99 within {}, not {}",
                     format_seconds(searched->value), format_seconds(limit_s));
}

advise::Capacity capacity_of(const report::Document& document, const CellSummary& cell, double p99_s) {
  advise::Capacity capacity{.configuration = described(document, cell), .sustained_per_s = {}, .unfit = {}};
  if (const auto* sustained = price::find_figure(cell.figures, metric::sustained_per_s.name)) {
    capacity.sustained_per_s = *sustained;
    capacity.unfit = unfit_search(document, cell, p99_s);
    return capacity;
  }
  capacity.sustained_per_s = speed_of(view_of(document.experiment.workload), cell);
  const double rate = open_rate(document, cell);
  if (field_of(document, cell, "find_max_rate") == true)
    capacity.unfit = "its search found no rate that meets the SLO";
  else if (rate > 0)
    capacity.unfit = p99_s > 0 ? unfit(cell, rate, p99_s) : "";
  else if (p99_s > 0)
    capacity.unfit = fmt::format(
        "it was measured by clients that wait for each answer, which gives no p99 at a rate; run {}",
        search_command(document, cell, p99_s));
  if (rate > 0 && p99_s > 0) capacity.sustained_per_s = {.value = rate};  // more was not offered
  capacity.is_closed_loop = rate == 0;
  return capacity;
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<std::vector<advise::Configuration>> configurations_of(const report::Document& document,
                                                             const std::vector<std::string>& where) {
  NEPH_TRY(const auto cells, chosen_cells(document, where));
  NEPH_CHECK(check_same_job(cells));
  std::vector<advise::Configuration> configurations;
  for (const auto* cell : cells) {
    auto configuration = described(document, *cell);
    if (configuration.refused.empty()) {
      NEPH_TRY(auto work, price::work_of(*cell));
      configuration.work.stages = std::move(work.stages);
    }
    configurations.push_back(std::move(configuration));
  }
  return configurations;
}

Result<std::vector<advise::Capacity>> capacities_of(const report::Document& document,
                                                    const std::vector<std::string>& where, double p99_s) {
  NEPH_TRY(const auto cells, chosen_cells(document, where));
  NEPH_CHECK(check_same_job(cells));
  std::vector<advise::Capacity> capacities;
  for (const auto* cell : cells) capacities.push_back(capacity_of(document, *cell, p99_s));
  return capacities;
}

Result<Measured> measured_by(const AdviseOptions& options) {
  const auto number = options.measured.empty() ? std::optional<std::int64_t>(0) : number_in(options.measured);
  if (number) {
    if (!options.time.empty())
      return fail(ErrorCode::invalid_argument, "--time is of a table, and {} is an experiment",
                  options.measured.empty() ? "the newest" : options.measured);
    NEPH_TRY(const auto document, experiment_of(options, *number));
    if (document.experiment.workload == view::load.workload)
      return fail(ErrorCode::invalid_argument,
                  "experiment {} is of load, which has no end; ask for a rate: --infer {} --rate 200",
                  document.experiment.id, document.experiment.id);
    Measured measured{.source = fmt::format("experiment {} of {}", document.experiment.id, options.store)};
    if (document.experiment.workload == view::train.workload) measured.noun = "training";
    NEPH_TRY(measured.configurations, configurations_of(document, options.where));
    return measured;
  }
  if (table::is_store(options.measured))
    return fail(ErrorCode::invalid_argument, "{} is a store: neph advise 12 --store {} takes experiment 12",
                options.measured, options.measured);
  NEPH_TRY(const auto table, table::read_table(options.measured));
  NEPH_TRY(auto times, times_in(table, options.time, options.where, options.use));
  return Measured{.source = options.measured,
                  .configurations = std::move(times.configurations),
                  .notes = std::move(times.notes)};
}

Result<report::Document> experiment_of(const AdviseOptions& options, std::int64_t id) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  return load_document(store, id, store::Detail::full);
}

}  // namespace neph::cli
