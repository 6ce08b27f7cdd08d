#include "report/contenders.hpp"

#include <algorithm>
#include <iterator>

#include "report/readings.hpp"

namespace neph::report {
namespace {

/// Tensors that are ready in memory are no architecture: they show what the files cost.
bool reads_files(const CellSummary& cell, const Experiment& experiment) {
  return field_of(cell, experiment, "files") != "off";
}

Cells candidates_of(const Document& document) {
  auto order = ranked(document.cells);
  const bool any_reads = std::any_of(
      order.begin(), order.end(), [&](const auto* cell) { return reads_files(*cell, document.experiment); });
  std::erase_if(order, [&](const auto* cell) {
    const auto way = way_of(*cell, document.experiment);
    return cell->verdict == Verdict::invalid || way.independent || way.architecture.empty() ||
           (any_reads && !reads_files(*cell, document.experiment));
  });
  return order;
}

/// Of those that cannot be told from the recommended the first; else what is recommended of this way alone.
const CellSummary* best_of(const Document& document, const Choice& choice, const Way& way) {
  const auto is_this_way = [&](const auto* cell) { return way_of(*cell, document.experiment) == way; };
  const auto equal = std::find_if(choice.equals.begin(), choice.equals.end(), is_this_way);
  if (equal != choice.equals.end()) return *equal;
  Cells own;
  std::copy_if(choice.candidates.begin(), choice.candidates.end(), std::back_inserter(own), is_this_way);
  return own.empty() ? nullptr : &choose(document, own).recommended();
}

}  // namespace

Contest contest_of(const Document& document) {
  Contest contest{.candidates = candidates_of(document), .choice = {}, .contenders = {}};
  const auto ways = ways_of(document);
  if (contest.candidates.empty() || ways.size() < 2) return contest;
  const auto within = within_limit(document, contest.candidates);
  contest.choice = choose(document, within.empty() ? contest.candidates : within);
  for (const auto& way : ways)
    if (const auto* best = best_of(document, contest.choice, way)) contest.contenders.push_back({way, best});
  std::stable_sort(contest.contenders.begin(), contest.contenders.end(), [](const auto& a, const auto& b) {
    return images_per_s(*a.best).value > images_per_s(*b.best).value;
  });
  return contest;
}

}  // namespace neph::report
