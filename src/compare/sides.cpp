#include "compare/sides.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "compare/confounds.hpp"
#include "compare/noise.hpp"
#include "compare/rows.hpp"
#include "core/names.hpp"
#include "core/units.hpp"

namespace neph::compare {
namespace {

constexpr std::string_view speed = "speed";

Status check(const CompareOptions& options) {
  if (!(options.threshold > 0) || !std::isfinite(options.threshold))
    return fail(ErrorCode::invalid_argument, "--threshold {}: say a share above 0, as 3%", options.threshold);
  const auto known = confound_names();
  for (const auto& name : options.accepted)
    if (std::ranges::find(known, name) == known.end())
      return unknown_name(ErrorCode::invalid_argument, "difference", name, known, "--accept");
  return {};
}

/// Rows of all matches, metric by metric. Error: a metric that no match has on both sides.
Result<std::vector<DraftRow>> drafts_of(std::span<const Match> matches,
                                        const std::vector<std::string>& metrics, bool are_together) {
  std::vector<DraftRow> drafts;
  for (const auto& asked : metrics) {
    const auto known = drafts.size();
    for (const auto& match : matches) {
      if (auto draft = draft_row(match, asked, are_together)) drafts.push_back(std::move(*draft));
    }
    if (drafts.size() == known) return no_metric(asked, matches, "on both sides");
  }
  return drafts;
}

std::string left_out(const std::vector<std::string>& labels, std::string_view side) {
  constexpr std::size_t most_named = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_named, labels.size()); ++i) names += (i ? ", " : "") + labels[i];
  if (labels.size() > most_named) names += ", …";
  return fmt::format("left out: {} that only the {} has ({})", counted(std::ssize(labels), "configuration"),
                     side, names);
}

/// Empty: it is not known everywhere, or not one.
std::string machine_of_all(std::span<const Match> matches) {
  std::set<std::string> machines;
  for (const auto& match : matches)
    for (const auto* side : {match.baseline, match.candidate}) {
      const auto found = side->facts.find("machine");
      machines.insert(found == side->facts.end() ? std::string() : found->second);
    }
  return machines.size() == 1 ? *machines.begin() : std::string();
}

bool know_their_machine(const Matching& matching) {
  return std::ranges::all_of(matching.both, [](const auto& match) {
    return match.baseline->facts.contains("machine") && match.candidate->facts.contains("machine");
  });
}

/// Why a side leaves the row without a ratio.
void add_note(const ComparedMetric& row, std::string_view side, const Estimate& mean,
              const std::vector<double>& runs, std::vector<std::string>& notes) {
  const auto zeros = runs.empty() ? std::ptrdiff_t{mean.value == 0} : std::ranges::count(runs, 0.0);
  if (zeros > 0 && std::isnan(row.ratio.value))
    notes.push_back(
        fmt::format("{}: {} of {} values of {} of the {} are 0, of which there is no ratio; of times, "
                    "measure more work in a run, or without the shell: hyperfine -N",
                    row.configuration, zeros, std::max<std::size_t>(1, runs.size()), row.metric, side));
  else if (std::isnan(mean.value))
    notes.push_back(fmt::format("{}: the {} has no {}", row.configuration, side, row.metric));
}

void add_notes(const Matching& matching, Comparison& comparison) {
  if (!matching.only_baseline.empty())
    comparison.notes.push_back(left_out(matching.only_baseline, "baseline"));
  if (!matching.only_candidate.empty())
    comparison.notes.push_back(left_out(matching.only_candidate, "candidate"));
  for (const auto& row : comparison.rows) {
    add_note(row, "baseline", row.baseline, row.baseline_runs, comparison.notes);
    add_note(row, "candidate", row.candidate, row.candidate_runs, comparison.notes);
  }
  const bool are_apart = std::ranges::any_of(comparison.rows, [](const auto& row) { return !row.is_paired; });
  if (are_apart && !know_their_machine(matching))
    comparison.notes.emplace_back("not both sides tell their machine: whether it was one, nobody knows");
  if (are_apart)
    comparison.notes.emplace_back(
        "the sides were not measured side by side: what moved between them (neighbours, clocks, "
        "temperature) is in no interval; neph ab measures pairs, in which it cancels");
}

/// A difference that the machine has shown of a thing and itself says nothing.
void heed_noise(const std::filesystem::path& file, Comparison& comparison) {
  if (file.empty() || comparison.machine.empty() || comparison.rows.empty()) return;
  const auto floor_of = [&](const ComparedMetric& row) {
    return noise_floor(file,
                       {.machine = comparison.machine, .metric = row.metric, .is_paired = row.is_paired});
  };
  comparison.noise = floor_of(comparison.rows.front());
  for (auto& row : comparison.rows) {
    if (row.is_paired || (row.outcome != Outcome::better && row.outcome != Outcome::worse)) continue;
    const auto floor = floor_of(row);
    if (floor && std::abs(std::log(row.ratio.value)) < std::log1p(floor->share))
      row.outcome = Outcome::undecided;
  }
}

}  // namespace

Result<Comparison> compare(const Source& baseline, const Source& candidate, const CompareOptions& options) {
  NEPH_CHECK(check(options));
  Comparison comparison{
      .baseline = baseline.name, .candidate = candidate.name, .threshold = options.threshold};
  const auto matching = match(baseline, candidate);
  if (matching.both.empty()) {
    comparison.confounds.push_back({.what = "configurations",
                                    .message = "no configuration of one side is in the other",
                                    .remedy = "compare results of the same factors",
                                    .refuses = true});
    add_notes(matching, comparison);
    return comparison;
  }
  const bool are_together = !baseline.identity.empty() && baseline.identity == candidate.identity;
  comparison.confounds = confounds_of(matching.both, options.accepted, are_together);
  comparison.machine = machine_of_all(matching.both);
  if (refusal_of(comparison)) return comparison;
  const auto metrics =
      options.metrics.empty() ? std::vector<std::string>{std::string(speed)} : options.metrics;
  NEPH_TRY(auto drafts, drafts_of(matching.both, metrics, are_together));
  comparison.rows = judged(std::move(drafts), options.threshold);
  heed_noise(options.noise, comparison);
  add_notes(matching, comparison);
  return comparison;
}

}  // namespace neph::compare
