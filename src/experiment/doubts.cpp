#include "experiment/doubts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/units.hpp"
#include "record/answer_summary.hpp"
#include "record/merged_message.hpp"
#include "stats/stats.hpp"

namespace neph::experiment {
namespace {

constexpr double wide = 0.05;  ///< the longer half of the interval, relative to the value

struct Repeats {
  std::vector<double> values;
  std::vector<const Run*> runs;
};

/// The figure in each run that has it, in the order in which they ran.
Repeats repeats_of(std::string_view figure, std::vector<const Run*> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run* a, const Run* b) { return a->position < b->position; });
  Repeats repeats;
  for (const auto* run : runs)
    for (const auto& entry : run->result.figures)
      if (entry.name == figure && std::isfinite(entry.estimate.value)) {
        repeats.values.push_back(entry.estimate.value);
        repeats.runs.push_back(run);
      }
  return repeats;
}

/// `is_alone`: configurations compete, and this one has one run, whose own interval is no other run's.
void doubt_interval(const CellSummary& summary, std::string_view figure, bool is_alone,
                    std::vector<Warning>& doubts) {
  const auto found = summary.figures.find(std::string(figure));
  if (found == summary.figures.end()) return;
  const auto& estimate = found->second;
  if (!estimate.low || !estimate.high || is_alone) {
    if (percentile_of(figure))  // each run must carry its own interval: more runs like these would not help
      doubts.push_back(
          make_warning(WarningCode::few_requests,
                       fmt::format("{} has no interval: a run has too few requests", label_of(figure))));
    else
      doubts.push_back(make_warning(
          WarningCode::few_repeats,
          fmt::format("{} rests on {}: no interval{}", label_of(figure),
                      counted(is_alone ? 1 : summary.runs_ok, "run"), estimate.low ? " over runs" : "")));
    return;
  }
  const double half =
      std::max(*estimate.high - estimate.value, estimate.value - *estimate.low) / std::abs(estimate.value);
  if (half > wide)
    doubts.push_back(make_warning(WarningCode::wide_interval,
                                  fmt::format("the 95 % CI of {} is ± {} % of the mean", label_of(figure),
                                              format_number(100 * half, 2))));
}

void doubt_outliers(const Repeats& repeats, std::string_view figure, std::vector<Warning>& doubts) {
  std::vector<std::string> named;
  for (const auto& outlier : stats::outliers(repeats.values))
    if (outlier.kind == stats::OutlierKind::low_severe || outlier.kind == stats::OutlierKind::high_severe)
      named.push_back(fmt::format("repeat #{} with {}", repeats.runs[outlier.index]->repeat + 1,
                                  format_number(repeats.values[outlier.index])));
  if (!named.empty())
    doubts.push_back(
        make_warning(WarningCode::outlier_runs,
                     fmt::format("{} is far from the other runs (median {}) in {}", label_of(figure),
                                 format_number(stats::median(repeats.values)), fmt::join(named, ", "))));
}

void doubt_steadiness(const Repeats& repeats, std::string_view figure, std::vector<Warning>& doubts) {
  const auto trend = stats::trend_of(repeats.values);
  if (!stats::drifts(trend)) return;
  doubts.push_back(make_warning(
      WarningCode::drift_over_runs,
      fmt::format("{} {} by {} % from the first run to the last (p = {})", label_of(figure),
                  trend.change < 0 ? "falls" : "rises", format_number(100 * std::abs(trend.change), 2),
                  format_number(trend.p_value, 2))));
}

/// Of codes that this version does not know, only what says the same is the same.
bool same_cause(const Warning& a, const Warning& b) {
  return a.code == b.code && (a.code != WarningCode::unknown || merged_message(a.message, b.message));
}

/// The figure that is judged.
std::string_view main_figure(const View& view, const std::vector<const Run*>& ok_runs) {
  for (const auto& metric : view.main)
    for (const auto* run : ok_runs)
      for (const auto& figure : run->result.figures)
        if (figure.name == metric.name) return figure.name;
  for (const auto* run : ok_runs)
    if (!run->result.figures.empty()) return run->result.figures.front().name;
  return {};
}

void add_close(const RunResult& result, std::set<std::size_t>& close) {
  const auto text = get(result.facts, fact::close_answers).value_or("");
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::size_t item = 0;
    const auto [behind, error] = std::from_chars(at, end, item);
    if (error != std::errc()) return;
    close.insert(item);
    at = behind + 1;  // the comma
  }
}

std::size_t differing(const RunResult& a, const RunResult& b) {
  std::set<std::size_t> close;
  add_close(a, close);
  add_close(b, close);
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    count += a.outputs[i] != b.outputs[i] && !close.contains(i);
  return count;
}

bool has_close(const RunResult& result) { return get(result.facts, fact::close_answers).has_value(); }

}  // namespace

std::vector<Warning> merged_warnings(const std::vector<const Run*>& ok_runs) {
  std::vector<Warning> merged;
  std::vector<std::int64_t> counts;
  for (const auto* run : ok_runs) {
    std::vector<const Warning*> seen;  // one run may say a thing twice
    for (const auto& warning : run->result.warnings) {
      if (std::any_of(seen.begin(), seen.end(),
                      [&](const auto* other) { return same_cause(*other, warning); }))
        continue;
      seen.push_back(&warning);
      const auto known = std::find_if(merged.begin(), merged.end(),
                                      [&](const Warning& other) { return same_cause(other, warning); });
      if (known == merged.end()) {
        merged.push_back(warning);
        counts.push_back(1);
      } else {
        known->weight = std::max(known->weight, warning.weight);
        if (auto both = merged_message(known->message, warning.message)) known->message = *std::move(both);
        ++counts[static_cast<std::size_t>(known - merged.begin())];
      }
    }
  }
  if (ok_runs.size() > 1)
    for (std::size_t i = 0; i < merged.size(); ++i)
      merged[i].message += fmt::format(" (in {} of {} runs)", counts[i], ok_runs.size());
  return merged;
}

std::vector<Warning> doubts_over_repeats(const View& view, const CellSummary& summary,
                                         const std::vector<const Run*>& ok_runs) {
  std::vector<Warning> doubts;
  if (const auto figure = main_figure(view, ok_runs); !figure.empty()) {
    const auto repeats = repeats_of(figure, ok_runs);
    doubt_interval(summary, figure, view.better && repeats.values.size() == 1, doubts);
    doubt_outliers(repeats, figure, doubts);
    doubt_steadiness(repeats, figure, doubts);
  }
  if (summary.runs_failed > 0 && summary.runs_ok > 0)
    doubts.push_back(make_warning(
        WarningCode::some_runs_failed,
        fmt::format("{} of {} runs failed", summary.runs_failed, summary.runs_failed + summary.runs_ok)));
  if (summary.outputs_checksum == "differs")
    doubts.push_back(make_warning(WarningCode::answers_differ,
                                  "the repeats of this configuration do not give the same answers",
                                  "a network with chance in it, a race, or faulty hardware"));
  return doubts;
}

Verdict verdict_of(const CellSummary& summary) {
  if (summary.runs_ok == 0) return Verdict::invalid;
  auto heaviest = Weight::hint;
  for (const auto& warning : summary.warnings) heaviest = std::max(heaviest, warning.weight);
  if (heaviest == Weight::voids) return Verdict::invalid;
  return heaviest == Weight::doubt ? Verdict::doubtful : Verdict::valid;
}

bool answer_alike(const RunResult& a, const RunResult& b) {
  if (a.outputs_checksum == b.outputs_checksum) return true;
  if (a.outputs.empty() && b.outputs.empty()) return has_close(a) || has_close(b);
  return a.outputs.size() == b.outputs.size() && differing(a, b) == 0;
}

std::string how_many_differ(const RunResult& a, const RunResult& b) {
  if (a.outputs.empty() || b.outputs.empty()) return "the answers";
  if (a.outputs.size() != b.outputs.size())
    return fmt::format("the number of answers ({} and {})", a.outputs.size(), b.outputs.size());
  return fmt::format("{} of {} answers", differing(a, b), a.outputs.size());
}

}  // namespace neph::experiment
