// The rows of a comparison as a table, and what is to be known beside them.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "report/comparison_words.hpp"

namespace neph::report {
namespace {

/// An expectation, not a count: record/comparison.hpp's share is a bound for further ones.
std::string noise_in_words(const Comparison& comparison) {
  const auto of_metric =
      has_several_metrics(comparison) ? " in " + label_of(comparison.rows.front().metric) : std::string();
  return fmt::format(
      "noise of this machine{}: 95 % of A/A comparisons differ by less than {}, as {} of them suggest",
      of_metric, format_percent(comparison.noise->share, 2), comparison.noise->comparisons);
}

}  // namespace

PlainTable compared_table(const Comparison& comparison, const std::vector<const ComparedMetric*>& rows) {
  const bool several = has_several_metrics(comparison);
  PlainTable table{.caption = "By configuration and metric", .headings = {"configuration"}};
  if (several) table.headings.emplace_back("metric");
  for (const auto* heading : {"baseline", "candidate", "change", "95 % CI", "verdict"})
    table.headings.emplace_back(heading);
  for (const auto* row : rows) {
    auto& fields = table.rows.emplace_back(1, row->configuration);
    if (several) fields.push_back(label_of(row->metric));
    fields.insert(fields.end(), {value_text(row->metric, row->baseline.value),
                                 value_text(row->metric, row->candidate.value), change_text(row->ratio.value),
                                 interval_text(*row), std::string(enum_name(row->outcome))});
  }
  if (!several && !rows.empty()) table.headings[1] += ", " + label_of(rows.front()->metric);
  return table;
}

std::vector<std::string> confounds_in_words(const Comparison& comparison) {
  std::vector<std::string> said;
  const auto* refusal = refusal_of(comparison);
  for (const auto& confound : comparison.confounds)
    if (&confound != refusal)
      said.push_back(confound.message + (confound.remedy.empty() ? "" : "; " + confound.remedy));
  return said;
}

std::vector<std::string> notes_in_words(const Comparison& comparison) {
  auto said = comparison.notes;
  if (comparison.pairs > 0)
    said.push_back(fmt::format(
        "{}, each in a random order{}", counted(comparison.pairs, "pair"),
        comparison.planned > comparison.pairs ? fmt::format("; {} were planned", comparison.planned) : ""));
  if (comparison.noise) said.push_back(noise_in_words(comparison));
  return said;
}

std::vector<std::string> remarks_on(const Comparison& comparison) {
  auto remarks = confounds_in_words(comparison);
  std::ranges::move(notes_in_words(comparison), std::back_inserter(remarks));
  return remarks;
}

}  // namespace neph::report
