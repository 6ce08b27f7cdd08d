// A validation for the terminal.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_shown = 12;  ///< columns of a table

void add_row(TextTable& table, const std::string& what, const ValidatedMethod& method, const Score& score) {
  const auto answered = score.rows - score.refused;
  std::vector<std::string> cells{printable(what), method.method, std::to_string(answered)};
  for (const double share : {score.mean, score.median, score.p90, score.worst, score.coverage})
    cells.push_back(answered > 0 ? format_percent(share) : "");
  cells.push_back(answered > 0 ? "x " + format_number(score.half_width) : "");
  cells.push_back(format_percent(score.flagged));
  table.add(std::move(cells));
}

std::string scores_text(const Validation& validation) {
  TextTable table({"left out", "method", "rows", "mean error", "median", "9 of 10 below", "worst",
                   "in 90 % interval", "half width", "flagged"});
  std::vector<std::size_t> told(validation.methods.size());  // splits of each; it lacks those where it failed
  for (const auto& split : validation.splits)
    for (std::size_t i = 0; i < told.size(); ++i)
      if (const auto& method = validation.methods[i];
          told[i] < method.splits.size() && method.splits[told[i]].left_out == split)
        add_row(table, split, method, method.splits[told[i]++].score);
  if (validation.splits.size() > 1)
    for (const auto& method : validation.methods) add_row(table, "all", method, method.score);
  auto text = table.text();
  for (const auto& method : validation.methods)
    for (const auto& failure : method.failures)
      text += fmt::format("{} could not be fitted: {}\n", method.method, printable(failure));
  return text;
}

std::string learning_curve_text(const Validation& validation) {
  TextTable table({"points fitted on", "mean error", "best draw", "worst draw"});
  for (const auto& point : validation.learning_curve)
    table.add({std::to_string(point.points), format_percent(point.mean), format_percent(point.least), format_percent(point.most)});
  return fmt::format("\nWith more points, {}:\n{}", validation.explained, table.text());
}

template <class Columns>
std::size_t shown_of(const Columns& columns) {
  return std::min(columns.size(), most_shown);
}

template <class Columns>
std::string how_many_more(const Columns& columns) {
  if (columns.size() <= most_shown) return {};
  return fmt::format("and {}: --json has all\n",
                     counted(std::ssize(columns) - static_cast<std::int64_t>(most_shown), "more column"));
}

std::string contributions_text(const Validation& validation) {
  TextTable table({"column", "further off without it", "least draw", "most"});
  const auto factor = [](double value) {
    return std::isfinite(value) ? "x " + format_number(value) : std::string();
  };
  for (const auto& each : std::span(validation.contributions).first(shown_of(validation.contributions)))
    table.add({printable(each.column),
               std::isfinite(each.factor) ? factor(each.factor) : printable(each.unavailable),
               factor(each.least), factor(each.most)});
  return fmt::format("\nWhat each column contributes:\n{}{}", table.text(),
                     how_many_more(validation.contributions));
}

/// Places of the features that contribute most, in the order of the features.
std::vector<std::size_t> shown_features(const Validation& validation) {
  std::set<std::string> names;
  for (const auto& each : std::span(validation.contributions).first(shown_of(validation.contributions)))
    names.insert(each.column);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < validation.features.size(); ++i)
    if (validation.features.size() <= most_shown || names.contains(validation.features[i].name))
      places.push_back(i);
  return places;
}

std::string proposals_text(const Validation& validation) {
  const auto places = shown_features(validation);
  std::vector<std::string> headings;
  for (const auto place : places) headings.push_back(printable(validation.features[place].name));
  headings.insert(headings.end(), {"predicted", "takes away"});
  TextTable table(headings);
  for (const auto& each : validation.proposals) {
    std::vector<std::string> row;
    for (const auto place : places) {
      const auto& cell = each.cells[place];
      row.push_back(cell.is_number() ? fmt::format("{}", cell.get<double>())
                                     : printable(cell.is_string() ? cell.get<std::string>() : ""));
    }
    row.insert(row.end(), {format_number(each.value), format_percent(each.gain)});
    table.add(row);
  }
  return fmt::format("\nWhat to measure next:\n{}{}", table.text(),
                     places.size() < validation.features.size() ? how_many_more(validation.features) : "");
}

}  // namespace

std::string text_summary(const Validation& validation) {
  auto text = scores_text(validation);
  if (!validation.learning_curve.empty()) text += learning_curve_text(validation);
  if (!validation.contributions.empty()) text += contributions_text(validation);
  if (!validation.proposals.empty()) text += proposals_text(validation);
  for (const auto& note : validation.notes) text += printable(note) + "\n";
  return text;
}

}  // namespace neph::report
