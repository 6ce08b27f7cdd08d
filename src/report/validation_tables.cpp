#include "report/validation_tables.hpp"

#include <cmath>

#include "core/units.hpp"
#include "report/charts/validation/dots.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

std::string factor_of(double value) {
  return std::isfinite(value) ? "× " + format_number(value) : std::string("–");
}

PlainTable table_of_scores(std::string caption, std::string first) {
  return {std::move(caption),
          {std::move(first), "Method", "Points", "Mean error", "Median", "9 of 10 below", "Worst",
           "In 90 % interval", "Half width", "Flagged"},
          {}};
}

void add_score(PlainTable& table, const std::string& of, const std::string& method, const Score& score) {
  if (answered(score) == 0)
    table.rows.push_back({of, method, "0", "refused", "–", "–", "–", "–", "–", share_text(score.flagged)});
  else
    table.rows.push_back({of, method, std::to_string(answered(score)), share_text(score.mean),
                          share_text(score.median), share_text(score.p90), share_text(score.worst),
                          share_text(score.coverage), factor_of(score.half_width),
                          share_text(score.flagged)});
}

}  // namespace

std::string share_text(double share) { return std::isfinite(share) ? format_percent(share) : "–"; }

std::int64_t answered(const Score& score) { return score.rows - score.refused; }

PlainTable scores_table(const Validation& validation) {
  auto table = table_of_scores("Relative errors of points that were left out", "Left out");
  std::vector<std::size_t> told(validation.methods.size());  // splits of each; it lacks those where it failed
  for (const auto& split : validation.splits)
    for (std::size_t i = 0; i < told.size(); ++i)
      if (const auto& method = validation.methods[i];
          told[i] < method.splits.size() && method.splits[told[i]].left_out == split)
        add_score(table, split, method.method, method.splits[told[i]++].score);
  if (validation.splits.size() > 1)
    for (const auto& method : validation.methods) add_score(table, "all", method.method, method.score);
  return table;
}

PlainTable slices_table(const Validation& validation, const std::string& feature) {
  auto table = table_of_scores("By " + feature, feature);
  for (const auto& method : validation.methods)
    for (const auto& slice : method.slices)
      if (slice.column == feature)
        add_score(table, slice.value.empty() ? "empty" : slice.value, method.method, slice.score);
  return table;
}

PlainTable learning_table(const Validation& validation) {
  PlainTable table{.caption = "Errors of " + validation.explained + " by how many points it was fitted on",
                   .headings = {"Points fitted on", "Mean error", "Best draw", "Worst draw", "Draws"}};
  for (const auto& point : validation.learning_curve)
    table.rows.push_back({std::to_string(point.points), share_text(point.mean), share_text(point.least),
                          share_text(point.most), std::to_string(point.draws)});
  return table;
}

PlainTable contributions_table(const Validation& validation) {
  PlainTable table{.caption = "How much further off predictions are with a column shuffled",
                   .headings = {"Column", "Factor", "Least draw", "Most", "Not known because"}};
  for (const auto& each : validation.contributions)
    table.rows.push_back(
        {each.column, factor_of(each.factor), factor_of(each.least), factor_of(each.most), each.unavailable});
  return table;
}

PlainTable proposals_table(const Validation& validation, const std::vector<std::size_t>& features) {
  PlainTable table{.caption = "In this order; predictions of " + validation.target + " with 90 % intervals",
                   .headings = {"Order"}};
  for (const auto place : features) table.headings.push_back(validation.features[place].name);
  table.headings.insert(table.headings.end(), {"Predicted", "from", "to", "Takes away"});
  for (const auto& each : validation.proposals) {
    auto& row = table.rows.emplace_back(std::vector{std::to_string(table.rows.size() + 1)});
    for (const auto place : features) row.push_back(cell_text(each.cells[place]));
    row.insert(row.end(), {format_number(each.value), format_number(each.low), format_number(each.high),
                           share_text(each.gain)});
  }
  return table;
}

}  // namespace neph::report
