// Cells against each other: do they answer alike, and were they measured on the same machine?
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/json.hpp"
#include "experiment/doubts.hpp"
#include "experiment/experiment.hpp"
#include "record/answer_summary.hpp"

namespace neph::experiment {
namespace {

/// Runs with the same key must give the same answers: no factor that may change them differs, and they saw
/// the same items. Of a set that memory does not hold, `files off` repeats as many as fit, and answers for
/// those. Tensors are told with their shapes: a batch of other size has others.
std::string answers_key(const Cell& cell, const RunResult& result,
                        const std::vector<std::string>& answer_factors) {
  Json factors = Json::object();
  for (const auto& [name, value] : cell.factors.items())
    if (std::find(answer_factors.begin(), answer_factors.end(), name) != answer_factors.end())
      factors[name] = value;
  const auto pictures = get(result.facts, fact::distinct_pictures);
  return dump_json({{"factors", factors},
                    {"pictures", pictures ? Json(*pictures) : Json()},
                    {"inputs", get(result.facts, fact::inputs).value_or("")}});
}

/// The first run of the cell that did well and answered.
const Run* answering_run(const std::vector<Run>& runs, std::int64_t cell) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
    return run.cell == cell && run.status == RunStatus::ok && !run.result.outputs_checksum.empty();
  });
  return found == runs.end() ? nullptr : &*found;
}

/// Where numbers are made is no reason for other answers, beyond rounding.
bool is_place(const std::string& factor) {
  return factor == "engine" || factor == "device" || factor == "provider" || factor == "precision";
}

/// Of answers that are tensors: runs with the same key were given the same.
std::string tensors_key(const Cell& cell, const RunResult& result,
                        const std::vector<std::string>& answer_factors) {
  Json factors = Json::object();
  for (const auto& [name, value] : cell.factors.items())
    if (name == "batch" || (!is_place(name) && std::find(answer_factors.begin(), answer_factors.end(),
                                                         name) != answer_factors.end()))
      factors[name] = value;
  return dump_json({{"factors", factors}, {"inputs", get(result.facts, fact::inputs).value_or("")}});
}

/// Of an output's root mean square: f32 sums in another order, and kernels of fewer bits.
constexpr double rounding_of_f32 = 0.01, rounding_of_less = 0.2;

double rounding_between(const RunResult& a, const RunResult& b) {
  const auto is_f32 = [](const RunResult& result) {
    return get(result.facts, fact::precision).value_or("f32") == "f32";
  };
  return is_f32(a) && is_f32(b) ? rounding_of_f32 : rounding_of_less;
}

/// The first run of the cell that did well and summed up tensors.
const Run* summed_run(const std::vector<Run>& runs, std::int64_t cell) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
    return run.cell == cell && run.status == RunStatus::ok && get(run.result.facts, fact::answers);
  });
  return found == runs.end() ? nullptr : &*found;
}

void check_tensors(std::vector<CellSummary>& summaries, const std::vector<Run>& runs,
                   const std::vector<std::string>& answer_factors) {
  std::map<std::string, std::pair<const CellSummary*, const Run*>> firsts;
  for (auto& summary : summaries) {
    const Run* run = summed_run(runs, summary.cell.index);
    if (!run) continue;
    const auto [found, is_first] =
        firsts.try_emplace(tensors_key(summary.cell, run->result, answer_factors), &summary, run);
    if (is_first) continue;
    const auto& [reference, reference_run] = found->second;
    const auto summed = [](const Run& of) { return parse_answers(*get(of.result.facts, fact::answers)); };
    const auto difference = how_answers_differ(summed(*reference_run), summed(*run),
                                               rounding_between(reference_run->result, run->result));
    if (difference.empty()) continue;
    summary.warnings.push_back(
        make_warning(WarningCode::answers_differ,
                     fmt::format("'{}' and '{}' should answer alike, but {}", reference->cell.label,
                                 summary.cell.label, difference),
                     "give both real inputs (--inputs), and compare the files of --answers"));
    summary.verdict = verdict_of(summary);
  }
}

/// How many of its runs that ended well were made on which machine.
using Shares = std::map<std::int64_t, std::int64_t>;

/// "2 on machine #1, 3 on machine #4": names and not figures, of which a range could be made
std::string in_words(const Shares& shares) {
  std::string words;
  for (const auto& [machine, runs] : shares)
    words += fmt::format("{}{} on machine #{}", words.empty() ? "" : ", ", runs, machine);
  return words;
}

}  // namespace

void check_agreement(std::vector<CellSummary>& summaries, const std::vector<Run>& runs,
                     const std::vector<std::string>& answer_factors) {
  std::map<std::string, std::pair<const CellSummary*, const Run*>> firsts;
  for (auto& summary : summaries) {
    const Run* run = answering_run(runs, summary.cell.index);
    if (!run) continue;
    const auto [found, is_first] =
        firsts.try_emplace(answers_key(summary.cell, run->result, answer_factors), &summary, run);
    const auto& [reference, reference_run] = found->second;
    if (is_first || answer_alike(run->result, reference_run->result)) continue;
    summary.warnings.push_back(
        make_warning(WarningCode::answers_differ,
                     fmt::format("'{}' and '{}' should answer alike, but {} differ", summary.cell.label,
                                 reference->cell.label, how_many_differ(run->result, reference_run->result)),
                     "a few: rounding in another order of sums; many: one of them computes something else"));
    summary.verdict = verdict_of(summary);
  }
  check_tensors(summaries, runs, answer_factors);
}

void check_machines(std::vector<CellSummary>& summaries, const std::vector<Run>& runs) {
  Shares all;
  std::map<std::int64_t, Shares> of_cell;
  for (const auto& run : runs) {
    if (run.status != RunStatus::ok || !run.machine_id) continue;
    ++all[*run.machine_id];
    ++of_cell[run.cell][*run.machine_id];
  }
  if (all.size() < 2) return;
  for (auto& summary : summaries) {
    const auto& shares = of_cell[summary.cell.index];
    if (shares.empty()) continue;
    summary.warnings.push_back(
        make_warning(WarningCode::machines_differ,
                     fmt::format("the compared runs are from {} machines; of this configuration {}",
                                 all.size(), in_words(shares))));
    summary.verdict = verdict_of(summary);
  }
}

}  // namespace neph::experiment
