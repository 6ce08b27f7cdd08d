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

/// Without what `is_left_out`; all where nothing remains.
template <class IsLeftOut>
Cells without(Cells cells, IsLeftOut is_left_out) {
  auto kept = cells;
  std::erase_if(kept, is_left_out);
  return kept.empty() ? cells : kept;
}

Cells candidates_of(const Document& document) {
  auto order = ranked_applications(document);
  std::erase_if(order, [&](const auto* cell) {
    const auto way = way_of(*cell, document.experiment);
    return cell->verdict == Verdict::invalid || way.independent || way.architecture.empty();
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

Cells applications_among(const Document& document, Cells cells) {
  const auto& experiment = document.experiment;
  cells = without(std::move(cells), [&](const auto* cell) { return way_of(*cell, experiment).independent; });
  return without(std::move(cells), [&](const auto* cell) { return !reads_files(*cell, experiment); });
}

Cells ranked_applications(const Document& document) { return applications_among(document, ranked(document)); }

Contest contest_of(const Document& document) {
  Contest contest{.candidates = candidates_of(document), .choice = {}, .contenders = {}};
  const auto ways = ways_of(document);
  if (contest.candidates.empty() || ways.size() < 2) return contest;
  const auto within = within_limit(document, contest.candidates);
  contest.choice = choose(document, within.empty() ? contest.candidates : within);
  for (const auto& way : ways)
    if (const auto* best = best_of(document, contest.choice, way)) contest.contenders.push_back({way, best});
  std::stable_sort(contest.contenders.begin(), contest.contenders.end(), [&](const auto& a, const auto& b) {
    return speed_of(document, *a.best).value > speed_of(document, *b.best).value;
  });
  return contest;
}

}  // namespace neph::report
