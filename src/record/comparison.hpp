// The nouns of a comparison: whether a candidate is better or worse than its baseline, and how surely. Of a
// history too: the same question asked again and again. Numbers that are not known are NaN here and null in
// JSON.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/estimate.hpp"

namespace neph {

/// What is said of a candidate. better, worse: a difference is shown (5 %, of all rows together), and it is
/// not shown to be within the threshold. equivalent: it is shown to be within the threshold (5 %, each row).
enum class Outcome { better, worse, equivalent, undecided };
constexpr auto enum_names(Outcome) {
  return std::array{Named{Outcome::better, "better"}, Named{Outcome::worse, "worse"},
                    Named{Outcome::equivalent, "equivalent"}, Named{Outcome::undecided, "undecided"}};
}

/// One metric of one configuration.
struct ComparedMetric {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::string configuration;
  std::string metric;  ///< its name; the unit is its ending
  bool higher_is_better = false;
  Estimate baseline, candidate;  ///< geometric means of runs; n: runs
  Estimate ratio;                ///< candidate / baseline; n: pairs, or runs of both where there are none
  Estimate ratio_90;             ///< with its 90 % interval, by which equivalence is decided
  bool is_paired = false;
  double p_value = unknown;          ///< of no difference, adjusted for all rows (Holm)
  double smallest_effect = unknown;  ///< 0.03: a difference of 3 % would have been shown 8 times in 10
  std::optional<std::int64_t> more;  ///< pairs (runs of each side) that are expected to decide
  Outcome outcome = Outcome::undecided;
  std::vector<double> baseline_runs, candidate_runs;  ///< values of the runs; of pairs in one order
};
template <class Visit, Describes<ComparedMetric> Self>
void describe(Visit&& v, Self& s) {
  v("configuration", s.configuration, "the varied values in words");
  v("metric", s.metric, "its name; the unit is its ending");
  v("higher_is_better", s.higher_is_better, "of a rate; a time, memory or money is better low");
  v("baseline", s.baseline, "geometric mean of the runs; n: runs");
  v("candidate", s.candidate, "the same of the candidate");
  v("ratio", s.ratio, "candidate / baseline; n: pairs, or runs of both where there are none");
  v("ratio_90", s.ratio_90, "the same with its 90 % interval, which decides whether they are equivalent");
  v("is_paired", s.is_paired, "whether runs were measured side by side");
  v("p_value", s.p_value, "of no difference, adjusted for all rows");
  v("smallest_effect", s.smallest_effect,
    "share by which they would have to differ for it to be shown 8 times in 10");
  v("more", s.more, "pairs, or runs of each side, that are expected to decide; null: no such number");
  v("outcome", s.outcome, "better, worse, equivalent within the threshold, undecided");
  v("baseline_runs", s.baseline_runs, "values of its runs; empty: the source keeps none");
  v("candidate_runs", s.candidate_runs, "of the candidate; of pairs in the order of the baseline's");
}

/// In what else the sides differ, or why no number of theirs is to be believed.
struct Confound {
  std::string what;     ///< its name, for --accept: machine, engine, model, answers, precision, ...
  std::string message;  ///< both sides' values
  std::string remedy;
  bool refuses = false;  ///< nothing is compared; else the comparison stands, and says so
};
template <class Visit, Describes<Confound> Self>
void describe(Visit&& v, Self& s) {
  v("what", s.what, "its name");
  v("message", s.message, "what differs");
  v("remedy", s.remedy, "what may help");
  v("refuses", s.refuses, "whether nothing is compared for it");
}

/// By how much runs of the same thing have differed on this machine.
struct NoiseFloor {
  std::int64_t comparisons = 0;
  double share = std::numeric_limits<double>::quiet_NaN();  ///< 0.02: 95 % of them by less than 2 %
};
template <class Visit, Describes<NoiseFloor> Self>
void describe(Visit&& v, Self& s) {
  v("comparisons", s.comparisons, "of a thing with itself (A/A), on this machine");
  v("share", s.share, "that 95 % of them stayed below");
}

struct Comparison {
  std::string baseline, candidate;  ///< what was compared: files, experiments, commands
  std::string machine;              ///< that both were measured on; empty: not one, or not known
  double threshold = 0;             ///< 0.03: what differs by less than 3 % is equivalent
  std::vector<ComparedMetric> rows;
  std::vector<Confound> confounds;
  std::vector<std::string> notes;       ///< what was left out, what the intervals lack
  std::optional<NoiseFloor> noise;      ///< of the first metric; empty: not known
  std::int64_t pairs = 0, planned = 0;  ///< of runs side by side: made, and those that were to decide
};
template <class Visit, Describes<Comparison> Self>
void describe(Visit&& v, Self& s) {
  v("baseline", s.baseline, "file, experiment or command");
  v("candidate", s.candidate, "file, experiment or command");
  v("machine", s.machine, "that both were measured on; empty: not one, or not known");
  v("threshold", s.threshold, "share below which a difference does not matter");
  v("rows", s.rows, "one for each metric of each configuration");
  v("confounds", s.confounds, "in what else the sides differ");
  v("notes", s.notes, "what was left out, and what the intervals lack");
  v("noise", s.noise, "by how much runs of the same thing have differed on this machine");
  v("pairs", s.pairs, "measured side by side; 0: stored results");
  v("planned", s.planned, "pairs that were to decide; 0: stored results");
}

/// Why nothing is compared: nullptr where something is.
inline const Confound* refusal_of(const Comparison& comparison) {
  for (const auto& confound : comparison.confounds)
    if (confound.refuses) return &confound;
  return nullptr;
}

/// Of all rows together: worse where one is, else undecided where one is (or there is none), else better
/// where one is. Empty: not comparable.
inline std::optional<Outcome> answer_of(const Comparison& comparison) {
  if (refusal_of(comparison)) return std::nullopt;
  for (const auto outcome : {Outcome::worse, Outcome::undecided, Outcome::better, Outcome::equivalent})
    for (const auto& row : comparison.rows)
      if (row.outcome == outcome) return outcome;
  return Outcome::undecided;
}

/// Fewer experiments than this say nothing of changes over time, and are not looked at for them.
inline constexpr std::size_t fewest_for_changes = 6;

/// One experiment's answer to the question of a history.
struct HistoryPoint {
  std::int64_t experiment = 0;  ///< number in the store
  std::string created;          ///< UTC
  std::string version;          ///< of neph
  std::string engine;
  std::string model;  ///< hash of its files
  Estimate value;
};
template <class Visit, Describes<HistoryPoint> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number in the store");
  v("created", s.created, "UTC");
  v("version", s.version, "of neph");
  v("engine", s.engine, "with its version");
  v("model", s.model, "hash of its files");
  v("value", s.value, "over the repeats");
}

/// From this point on, values lie elsewhere.
struct ChangePoint {
  std::int64_t point = 0;  ///< place of the first that lies elsewhere
  double ratio = 1;        ///< geometric mean from there to the next change, over that before
  double p_value = 1;      ///< of the permutation test
  std::string with;        ///< what else changed there; empty: nothing that is known
};
template <class Visit, Describes<ChangePoint> Self>
void describe(Visit&& v, Self& s) {
  v("point", s.point, "place of the first that lies elsewhere");
  v("ratio", s.ratio, "geometric mean from there to the next change, over that before");
  v("p_value", s.p_value, "of the permutation test");
  v("with", s.with, "what else changed there");
}

/// One configuration on one machine, over time.
struct HistoryLine {
  std::string configuration, machine;
  std::vector<HistoryPoint> points;  ///< the oldest first
  std::vector<ChangePoint> changes;
};
template <class Visit, Describes<HistoryLine> Self>
void describe(Visit&& v, Self& s) {
  v("configuration", s.configuration, "what was measured, in words");
  v("machine", s.machine, "that it was measured on");
  v("points", s.points, "one for each experiment, the oldest first");
  v("changes", s.changes, "where values begin to lie elsewhere");
}

struct History {
  std::string store;
  std::string metric;
  bool higher_is_better = false;
  std::vector<HistoryLine> lines;
  std::vector<std::string> notes;
};
template <class Visit, Describes<History> Self>
void describe(Visit&& v, Self& s) {
  v("store", s.store, "file that the experiments are in");
  v("metric", s.metric, "its name; the unit is its ending");
  v("higher_is_better", s.higher_is_better, "of a rate; a time, memory or money is better low");
  v("lines", s.lines, "one for each configuration on each machine");
  v("notes", s.notes, "what was left out");
}

}  // namespace neph
