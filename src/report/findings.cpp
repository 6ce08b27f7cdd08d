#include "report/findings.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.hpp"
#include "record/answer_summary.hpp"
#include "report/architecture_findings.hpp"
#include "report/contenders.hpp"
#include "report/machines.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/recommendation_findings.hpp"
#include "report/views/view.hpp"
#include "report/way.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

constexpr double busy_share = 0.9;     // of the cores: hardly anything is left to use
constexpr double waiting_cores = 0.1;  // per core: the share of time that counts as waiting for the disk
constexpr double stolen_cores = 0.05;  // per core: what the hypervisor may take before it is worth a sentence
constexpr double least_stolen = 0.005;   // cores: less is shown as 0
constexpr double busy_gpu_percent = 90;  // of the time

/// An invalid configuration that would have come first is named, so that nobody wonders why it did not.
std::string passed_over_sentence(const Document& document, const CellSummary& best) {
  const auto* first = by_speed(document)[0];
  if (first == &best || first->verdict != Verdict::invalid) return {};
  return fmt::format("Left out because its numbers are invalid: {} with {}.", first->cell.label,
                     speed_text(document, *first));
}

std::string processor_limit(const CellSummary& cell, double process, double cores) {
  auto text = fmt::format("The CPU is the limit: the process used {} of {}", format_number(process),
                          counted_cores(cores));
  // The client's engine thread drives the requests: inference is in the server.
  const bool served = find_telemetry(cell, target::server, telemetry::cpu);
  const auto engine = busy_cores(cell, served ? target::server_engine : target::engine).value_or(0);
  const auto loader =
      busy_cores(cell, target::loader).value_or(0) + busy_cores(cell, target::server_loader).value_or(0);
  if (engine > 0 || loader > 0)
    text += fmt::format(", {} by the engine's threads and {} by those that read and decode",
                        format_number(engine), format_number(loader));
  return text + ".";
}

/// The process left cores unused: were they idle, or did others fill them?
std::string room_left(const CellSummary& cell, const Experiment& experiment, const Json& machine,
                      double process, double cores) {
  const auto online = machine_cores(machine);
  const auto taken = taken_cores(cell);
  if (!online || !taken) return {};
  const double idle = std::min(cores - process, std::max(0.0, *online - *taken));
  if (idle < (1 - busy_share) * cores) {
    const auto* steal = find_telemetry(cell, target::machine, telemetry::cpu_steal);
    const bool has_guests = steal && steal->mean.value_or(0) >= least_stolen;
    return fmt::format(
        "Others filled the CPU: the process used {} of {}, and other processes{} {}. Alone on the machine it "
        "may be faster.",
        format_number(process), counted_cores(cores), has_guests ? " and the hypervisor's other guests" : "",
        format_number(std::max(0.0, *taken - process)));
  }
  const bool sync = field_of(cell, experiment, "mode") == Json("sync");
  return fmt::format("The CPU was not the limit: {} of {} {} idle while the process used {}. {} may use {}.",
                     format_number(idle), counted_cores(cores), cores == 1 ? "was" : "were",
                     format_number(process),
                     sync ? "Several inferences in flight (--mode async)" : "More streams or loader threads",
                     cores == 1 ? "it" : "them");
}

/// What keeps the configuration from being faster, as far as the telemetry tells.
std::string limit_sentence(const Document& document, const CellSummary& cell, const Json& machine) {
  const auto& experiment = document.experiment;
  if (way_of(cell, experiment).architecture == "remote") return {};  // this machine is not the one that works
  if (const auto busy = gpu_percent(cell); busy && *busy >= busy_gpu_percent)
    return fmt::format("The GPU was busy {} % of the time: it is the limit.", format_number(*busy));

  const auto cores = allowed_cores(document, cell);
  const auto process = busy_cores(cell, target::process);
  if (!cores || !process) return {};
  if (*process >= busy_share * *cores) return processor_limit(cell, *process, *cores);
  const auto* iowait = find_telemetry(cell, target::machine, telemetry::cpu_iowait);
  if (iowait && iowait->mean.value_or(0) >= waiting_cores * *cores)
    return fmt::format(
        "The disk is the limit: {} cores waited for it while the process used {} of {}. With the files "
        "in the page "
        "cache (--cache warm) or the tensors in memory (--files off) this wait goes away.",
        format_number(*iowait->mean), format_number(*process), plain(*cores));
  return room_left(cell, experiment, machine, *process, *cores);
}

std::string stolen_sentence(const CellSummary& cell, const Json& machine) {
  const auto* steal = find_telemetry(cell, target::machine, telemetry::cpu_steal);
  const double cores = usable_cores(machine).value_or(1);
  if (!steal || steal->mean.value_or(0) < stolen_cores * cores) return {};
  return fmt::format(
      "The hypervisor took {} cores away from this configuration: other guests slowed this machine.",
      format_number(*steal->mean));
}

std::string trust_sentence(const std::vector<CellSummary>& cells) {
  std::size_t doubtful = 0, invalid = 0, with_runs = 0;
  for (const auto& cell : cells) {
    if (cell.runs_ok == 0) continue;  // failed, or not run: the table and another sentence say so
    ++with_runs;
    doubtful += cell.verdict == Verdict::doubtful;
    invalid += cell.verdict == Verdict::invalid;
  }
  if (doubtful + invalid == 0) return {};
  std::set<std::string> reasons;
  for (const auto& cell : cells)
    for (const auto& warning : cell.warnings)
      if (warning.weight != Weight::hint) reasons.insert(in_words(enum_name(warning.code)));
  const auto why = reasons.empty() ? "" : fmt::format(" ({})", fmt::join(reasons, ", "));
  std::string what;
  if (doubtful) what = fmt::format("{} {} doubtful", doubtful, doubtful == 1 ? "is" : "are");
  if (invalid)
    what += fmt::format("{}{} {} invalid", doubtful ? " and " : "", invalid, invalid == 1 ? "is" : "are");
  const auto all = counted(static_cast<std::int64_t>(with_runs), "configuration");
  if (doubtful == 0) return fmt::format("Of {}, {}{}.", all, what, why);  // on which nobody may rely
  return fmt::format("Of {}, {}{}: read the warnings before relying on {}.", all, what, why,
                     doubtful == 1 ? "it" : "them");
}

std::string failures_sentence(const std::vector<CellSummary>& cells) {
  std::int64_t failed = 0, all = 0;
  std::string reason;
  for (const auto& cell : cells) {
    failed += cell.runs_failed;
    all += cell.runs_ok + cell.runs_failed;
    if (reason.empty() && cell.runs_failed > 0 && !cell.failures.empty()) reason = cell.failures.front();
  }
  if (failed == 0) return {};
  return sentence(
      fmt::format("{} of {} failed{}{}", failed, counted(all, "run"), reason.empty() ? "" : ": ", reason));
}

/// Of answers that are no classes: they are compared where engines differ.
std::string tensors_sentence(const std::vector<CellSummary>& cells) {
  std::set<std::string> engines;
  for (const auto& cell : cells) {
    if (!get(cell.facts, fact::answers)) return {};
    engines.insert(get(cell.facts, fact::engine).value_or(""));
    for (const auto& warning : cell.warnings)
      if (warning.code == WarningCode::answers_differ) return {};
  }
  return engines.size() < 2 ? "" : "The engines gave the same answers, within rounding.";
}

std::string answers_sentence(const std::vector<CellSummary>& cells) {
  std::set<std::string> checksums;
  std::size_t answered = 0;
  for (const auto& cell : cells)
    if (!cell.outputs_checksum.empty()) {
      checksums.insert(cell.outputs_checksum);
      ++answered;
    }
  if (answered == 0) return tensors_sentence(cells);
  if (answered < 2 || checksums.size() != 1 || *checksums.begin() == "differs") return {};
  if (answered == cells.size()) return "All configurations gave the same top-1 answers.";
  return fmt::format("{} of {} configurations gave the same top-1 answers; of the {} nothing is known.",
                     answered, cells.size(), cells.size() - answered == 1 ? "other" : "others");
}

std::int64_t runs_of(const Document& document) {
  std::int64_t runs = 0;
  for (const auto& cell : document.cells) runs += cell.runs_ok + cell.runs_failed;
  return runs;
}

}  // namespace

std::string model_name(const Experiment& experiment) {
  const auto& spec = experiment.spec;
  if (!spec.is_object() || !spec.contains("model") || !spec["model"].is_string()) return {};
  const auto path = spec["model"].get<std::string>();
  return path.substr(path.find_last_of('/') + 1);
}

std::string title(const Document& document) {
  const auto model = model_name(document.experiment);
  return fmt::format("{}{}, {}, {}", model.empty() ? "" : model + ": ", view_of(document).activity,
                     counted(std::ssize(document.cells), "configuration"), counted(runs_of(document), "run"));
}

const CellSummary* answer_configuration(const Document& document) {
  if (report_view(document).findings != choice_findings) {  // of trainings the fastest is what is spoken of
    const auto fastest = ranked(document);
    return fastest.empty() ? nullptr : fastest.front();
  }
  const auto order = ranked_applications(document);
  if (order.empty()) return nullptr;
  const auto within = within_limit(document, order);
  if (const auto* nearest = nearest_to_limit(order); nearest && within.empty()) return nearest;
  const auto* recommended = recommended_configuration(document);
  return recommended ? recommended : &choose(document, within.empty() ? order : within).recommended();
}

std::vector<std::string> caveats(const Document& document) {
  std::vector<std::string> sentences{failures_sentence(document.cells), trust_sentence(document.cells)};
  std::erase(sentences, "");
  return sentences;
}

std::vector<std::string> choice_findings(const Document& document) {
  const auto order = ranked_applications(document);
  if (order.empty()) return {};
  auto sentences = architecture_findings(document);
  if (sentences.empty()) sentences = recommendation_findings(document, order);
  std::ranges::move(application_findings(document), std::back_inserter(sentences));
  const auto& best = *answer_configuration(document);
  const auto machine = fingerprint_of(document, best);
  sentences.push_back(passed_over_sentence(document, *order[0]));
  sentences.push_back(limit_sentence(document, best, machine));
  sentences.push_back(stolen_sentence(best, machine));
  return sentences;
}

std::vector<std::string> findings(const Document& document) {
  auto sentences = report_view(document).findings(document);
  if (sentences.empty()) sentences = {"No run has ended well, so nothing can be said about speed."};
  std::ranges::move(caveats(document), std::back_inserter(sentences));
  sentences.push_back(answers_sentence(document.cells));
  std::erase(sentences, "");
  return sentences;
}

}  // namespace neph::report
