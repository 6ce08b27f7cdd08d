#include "report/training_findings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/container.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/recommendation_findings.hpp"
#include "report/scaling_findings.hpp"
#include "report/switches.hpp"
#include "report/training_limits.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_networks = 4;

std::string ci_of_duration(const Estimate& estimate) {
  if (!estimate.low || !estimate.high) return {};
  return fmt::format("95 % CI {} to {}", format_seconds(*estimate.low), format_seconds(*estimate.high));
}

std::string speed_sentence(const Document& document, const Cells& cells, const std::string& whose) {
  const auto& best = *cells.front();
  const auto figures = fmt::format("{} ({})", speed_text(document, best), ci_and_runs_text(document, best));
  if (cells.size() == 1) return fmt::format("{}It learns at {}.", whose, figures);
  return whose + best_sentence(document, cells, figures);
}

/// How long the whole training takes in the fastest configuration.
std::string time_sentence(const Document& document, const CellSummary& cell, const std::string& whose) {
  const auto* training = find_estimate(cell.figures, metric::training_s);
  if (!training || !std::isfinite(training->value)) return {};
  const auto epochs = field_of(cell, document.experiment, "epochs");
  const auto count = epochs.is_number_integer() ? epochs.get<std::int64_t>() : 1;
  const auto how = get(cell.facts, fact::training_time);
  const bool is_measured = how == "measured";
  auto text = fmt::format("{}{} of training and verifying {} {}", whose, counted(count, "epoch"),
                          is_measured ? "took" : "would take", format_seconds(training->value));
  std::string inside = ci_of_duration(*training);
  if (!is_measured && how) inside += (inside.empty() ? "" : "; ") + *how;
  if (!inside.empty()) text += fmt::format(" ({})", inside);
  if (const auto* epoch = find_estimate(cell.figures, metric::epoch_s);
      count > 1 && epoch && std::isfinite(epoch->value))
    text += fmt::format("; one epoch of training alone takes {}", format_seconds(epoch->value));
  return text + ".";
}

std::string accuracy_sentence(const Cells& cells) {
  const CellSummary *lowest = nullptr, *highest = nullptr;
  const auto accuracy = [](const CellSummary& cell) {
    const auto* found = find_estimate(cell.figures, metric::test_accuracy);
    return found ? found->value : std::nan("");
  };
  for (const auto* cell : cells) {
    if (!std::isfinite(accuracy(*cell))) continue;
    if (!lowest || accuracy(*cell) < accuracy(*lowest)) lowest = cell;
    if (!highest || accuracy(*cell) > accuracy(*highest)) highest = cell;
  }
  if (!highest) return {};
  const auto top = find_estimate(highest->figures, metric::test_accuracy);
  const bool is_known =  // else repeats of one seed, equal but for dust
      top->low && top->high && format_percent(*top->low) != format_percent(*top->high);
  const auto ci =
      is_known ? fmt::format(" (95 % CI {} to {})", format_percent(*top->low), format_percent(*top->high))
               : "";
  if (lowest == highest)
    return fmt::format("Test accuracy after the last epoch is {}{}.", format_percent(top->value), ci);
  if (format_percent(accuracy(*lowest)) == format_percent(top->value))
    return fmt::format("Test accuracy after the last epoch is {} in all of them.",
                       format_percent(top->value));
  return fmt::format("Test accuracy after the last epoch is between {} and {}, highest with {}{}.",
                     format_percent(accuracy(*lowest)), format_percent(top->value), highest->cell.label, ci);
}

}  // namespace

std::vector<std::string> training_findings(const Document& document) {
  const auto groups = training_groups(document);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < std::min(groups.size(), most_networks); ++i) {
    const auto whose = groups[i].name.empty() ? "" : groups[i].name + ": ";
    sentences.push_back(speed_sentence(document, groups[i].cells, whose));
    sentences.push_back(time_sentence(document, *groups[i].cells.front(), whose));
  }
  if (groups.empty()) return {};
  std::ranges::move(switch_findings(document), std::back_inserter(sentences));
  std::ranges::move(scaling_findings(document), std::back_inserter(sentences));
  std::ranges::move(container_findings(document), std::back_inserter(sentences));
  if (groups.size() == 1) sentences.push_back(accuracy_sentence(groups.front().cells));
  std::ranges::move(limit_findings(document), std::back_inserter(sentences));
  return sentences;
}

}  // namespace neph::report
