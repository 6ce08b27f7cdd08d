#include "report/comparison_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

constexpr double alpha = 0.05;  ///< of what is shown (record/comparison.hpp)

/// Without its sign, as fine as changes are known: 0.42, 4.1, 41.
std::string percent_number(double share) {
  const double percent = 100 * std::abs(share);
  return fmt::format("{:.{}f}", percent, percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2);
}

std::string signed_percent(double share) {
  const auto number = percent_number(share);
  return number.find_first_not_of("0.") == std::string::npos ? number : (share < 0 ? "-" : "+") + number;
}

bool has_interval(const Estimate& ratio) { return std::isfinite(ratio.value) && ratio.low && ratio.high; }

bool holds_no_difference(const Estimate& ratio) { return *ratio.low <= 1 && *ratio.high >= 1; }

/// Seconds that 1 of the metric is; 0: it is no time.
double seconds_of(std::string_view metric) {
  if (metric.ends_with("_per_s")) return 0;
  if (metric.ends_with("_ns")) return 1e-9;
  if (metric.ends_with("_us")) return 1e-6;
  if (metric.ends_with("_ms") || metric.find("_ms_per_") != std::string_view::npos) return 1e-3;
  return metric.ends_with("_s") ? 1 : 0;
}

/// Of a row that is undecided though its own interval leaves out no difference.
std::string why_not_shown(const ComparedMetric& row, const Comparison& comparison) {
  if (row.p_value > alpha)
    return fmt::format("significant alone, but not among {} (p = {})",
                       counted(std::ssize(comparison.rows), "result"), format_number(row.p_value, 2));
  if (row.is_paired) return "no look at the pairs has shown it yet";  // of pairs no noise is heeded
  return "a difference that this machine's noise could make as well";
}

/// Of a row without one. Empty: it has no ratio either, and that is said already.
std::string why_no_interval(const ComparedMetric& row) {
  if (!std::isfinite(row.ratio.value)) return {};
  if (row.is_paired)
    return fmt::format("{} {} no interval: measure more", counted(row.ratio.n, "pair"),
                       row.ratio.n == 1 ? "gives" : "give");
  if (row.baseline.n == 1 || row.candidate.n == 1)
    return "one run of a side gives no interval: measure it again";
  return "no interval is known: measure it again";
}

/// Pairs that are still to be measured; of runs of each side all that would be needed.
std::string runs_that_would_tell(const ComparedMetric& row) {
  if (!row.is_paired) return fmt::format("{} of each side would tell", counted(*row.more, "run"));
  const auto more = std::max<std::int64_t>(1, *row.more - row.ratio.n);
  return fmt::format("{} more {} would tell", more, more == 1 ? "pair" : "pairs");
}

}  // namespace

std::string value_text(const std::string& metric, double value) {
  if (!std::isfinite(value)) return "–";
  if (const double seconds = seconds_of(metric); seconds > 0) return format_seconds(value * seconds);
  if (metric.ends_with(unit::bytes_per_s)) return format_quantity(value, unit::bytes_per_s);
  return format_quantity(value, unit_of_name(metric));
}

std::string quantity_text(const std::string& metric, double value) {
  const auto text = value_text(metric, value);
  if (!metric.ends_with("_per_s") || metric.ends_with(unit::bytes_per_s)) return text;
  return fmt::format("{} {}", text, label_of(metric));
}

std::string change_text(double ratio) {
  return std::isfinite(ratio) ? signed_percent(ratio - 1) + " %" : "–";
}

const Estimate& deciding(const ComparedMetric& row) {
  return row.outcome == Outcome::equivalent && row.ratio_90.low ? row.ratio_90 : row.ratio;
}

std::string interval_text(const ComparedMetric& row) {
  const auto& ratio = deciding(row);
  if (!has_interval(ratio)) return "–";
  return fmt::format("{} to {} %{}", signed_percent(*ratio.low - 1), signed_percent(*ratio.high - 1),
                     &ratio == &row.ratio ? "" : " (90 %)");
}

Direction direction_of(const std::string& metric, bool higher_is_better) {
  if (higher_is_better && metric.ends_with("_per_s")) return {"faster", "slower"};
  if (metric.starts_with("cpu_") || metric.ends_with("_bytes") || metric.starts_with("cost_"))
    return {"more", "less"};
  if (seconds_of(metric) > 0) return {"longer", "shorter"};
  return {"higher", "lower"};
}

std::string_view direction_of(const ComparedMetric& row) {
  const auto [higher, lower] = direction_of(row.metric, row.higher_is_better);
  return row.ratio.value < 1 ? lower : higher;
}

std::string size_in_words(const ComparedMetric& row) {
  return fmt::format("{} %", percent_number(row.ratio.value - 1));
}

std::string change_in_words(const ComparedMetric& row) {
  if (!std::isfinite(row.ratio.value)) return "no ratio is known";
  return fmt::format("{} {}", size_in_words(row), direction_of(row));
}

std::string interval_in_words(const ComparedMetric& row) {
  const auto& ratio = deciding(row);
  if (!has_interval(ratio)) return {};
  const int confidence = &ratio == &row.ratio ? 95 : 90;
  auto low = percent_number(*ratio.low - 1), high = percent_number(*ratio.high - 1);
  if (const bool is_a_point = low == "0.00" && high == low; holds_no_difference(ratio) && !is_a_point) {
    const auto words = direction_of(row.metric, row.higher_is_better);
    return fmt::format(" ({} % CI {} % {} to {} % {})", confidence, low, words.lower, high, words.higher);
  }
  if (ratio.value < 1) std::swap(low, high);
  return fmt::format(" ({} % CI {} to {} %)", confidence, low, high);
}

std::string runs_in_words(const ComparedMetric& row) {
  if (row.is_paired) return counted(row.ratio.n, "pair");
  if (row.baseline.n < 1 || row.candidate.n < 1) return "–";
  return fmt::format("{} and {}", row.baseline.n, counted(row.candidate.n, "run"));
}

std::string threshold_text(const Comparison& comparison) { return plain(100 * comparison.threshold) + " %"; }

std::vector<const ComparedMetric*> gravest_first(const Comparison& comparison) {
  const auto rank = [](const ComparedMetric* row) {
    constexpr std::array order{Outcome::worse, Outcome::undecided, Outcome::better, Outcome::equivalent};
    const double size = std::abs(std::log(row->ratio.value));
    return std::pair(std::ranges::find(order, row->outcome) - order.begin(), std::isnan(size) ? 0 : -size);
  };
  std::vector<const ComparedMetric*> rows;
  for (const auto& row : comparison.rows) rows.push_back(&row);
  std::ranges::stable_sort(rows, {}, rank);
  return rows;
}

bool has_several_metrics(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows,
                             [&](const auto& row) { return row.metric != comparison.rows.front().metric; });
}

bool has_several_configurations(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, [&](const auto& row) {
    return row.configuration != comparison.rows.front().configuration;
  });
}

std::string name_of(const ComparedMetric& row, const Comparison& comparison) {
  if (!has_several_metrics(comparison)) return row.configuration;
  if (!has_several_configurations(comparison)) return label_of(row.metric);
  return fmt::format("{}, {}", row.configuration, label_of(row.metric));
}

std::string what_would_tell(const std::vector<const ComparedMetric*>& rows, const Comparison& comparison) {
  std::vector<std::string> clauses;
  const ComparedMetric *most = nullptr, *unknown = nullptr;
  double effect = 0;
  bool are_all_shown_alone = true, have_all_more = true;
  for (const auto* row : rows) {
    const bool is_known = has_interval(row->ratio);
    if (!is_known && !unknown) unknown = row;
    are_all_shown_alone &= is_known && !holds_no_difference(row->ratio);
    have_all_more &= row->more.has_value();
    if (std::isfinite(row->smallest_effect)) effect = std::max(effect, row->smallest_effect);
    if (row->more && (!most || *row->more > *most->more)) most = row;
  }
  if (unknown)
    clauses.push_back(why_no_interval(*unknown));
  else if (are_all_shown_alone && rows.size() == 1)
    clauses.push_back(why_not_shown(*rows.front(), comparison));
  else if (effect > 0 && effect < 1)
    clauses.push_back(
        fmt::format("a difference below {} % could have been missed", format_number(100 * effect, 2)));
  std::erase(clauses, std::string());
  if (most && have_all_more) clauses.push_back("about " + runs_that_would_tell(*most));
  return fmt::format("{}", fmt::join(clauses, "; "));
}

}  // namespace neph::report
