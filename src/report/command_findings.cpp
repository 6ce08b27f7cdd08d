#include "report/command_findings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/columns.hpp"
#include "report/container.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/recommendation_findings.hpp"
#include "report/scaling_findings.hpp"
#include "report/training_limits.hpp"

namespace neph::report {
namespace {

const Estimate* known(const CellSummary& cell, const Metric& metric) {
  const auto* found = find_estimate(cell.figures, metric);
  return found && std::isfinite(found->value) ? found : nullptr;
}

std::string time_sentence(const Document& document, const Cells& order) {
  const auto& best = *order.front();
  const auto took = duration_text(*known(best, metric::command_s));
  if (order.size() == 1) return fmt::format("The command took {} ({}).", took, counted(best.runs_ok, "run"));
  return best_sentence(document, order,
                       fmt::format("{} ({}), others up to {}", took, counted(best.runs_ok, "run"),
                                   duration_text(*known(*order.back(), metric::command_s))));
}

/// How much of the whole is learning; the rest is start, verifying and saving.
std::string share_sentence(const CellSummary& cell) {
  const auto learn = cell.phases_s.find(std::string(phase::learn.name));
  const auto* whole = known(cell, metric::command_s);
  if (learn == cell.phases_s.end() || whole->value <= 0) return {};
  auto text = fmt::format("{:.0f} % of it is learning", 100 * learn->second.value / whole->value);
  const auto prepare = cell.phases_s.find(std::string(phase::prepare.name));
  if (prepare != cell.phases_s.end())
    text += fmt::format("; it took {} before the first step began", format_seconds(prepare->second.value));
  return text + ".";
}

std::string step_sentence(const CellSummary& cell) {
  const auto* step = known(cell, metric::step_s);
  if (!step) return "Steps are not known: what tells of them, and how, is in docs/EVENTS.md.";
  auto text = fmt::format("A step takes {}", duration_text(*step));
  if (const auto* epoch = known(cell, metric::epoch_s))
    text += fmt::format(", an epoch of learning {}", duration_text(*epoch));
  if (const auto told = get(cell.facts, fact::steps_told_by)) text += fmt::format(" (told by {})", *told);
  return text + ".";
}

}  // namespace

std::vector<std::string> command_findings(const Document& document) {
  const auto order = ranked(document);
  if (order.empty()) return {};
  std::vector sentences{time_sentence(document, order), share_sentence(*order.front()),
                        step_sentence(*order.front())};
  std::ranges::move(scaling_findings(document), std::back_inserter(sentences));
  std::ranges::move(container_findings(document), std::back_inserter(sentences));
  std::ranges::move(limit_findings(document), std::back_inserter(sentences));
  return sentences;
}

}  // namespace neph::report
