// A validation for the terminal.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "report/report.hpp"
#include "report/validation_tables.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_shown = 12;  ///< columns of the measurements

/// Without the columns that say nothing.
std::string text_of(PlainTable table) {
  for (std::size_t i = table.headings.size(); i-- > 0;) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return !row[i].empty(); })) continue;
    table.headings.erase(table.headings.begin() + static_cast<std::ptrdiff_t>(i));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (auto& heading : table.headings) heading = printable(heading);
  TextTable text(table.headings);
  for (auto& row : table.rows) {
    for (auto& field : row) field = printable(field);
    text.add(std::move(row));
  }
  return text.text();
}

template <class Columns>
std::string how_many_more(const Columns& columns) {
  if (columns.size() <= most_shown) return {};
  return fmt::format("and {}: --json has all\n",
                     counted(std::ssize(columns) - static_cast<std::int64_t>(most_shown), "more column"));
}

std::string contributions_text(const Validation& validation) {
  auto table = contributions_table(validation);
  table.rows.resize(std::min(table.rows.size(), most_shown));
  return "\nWhat each column contributes, as a factor of the errors:\n" + text_of(std::move(table)) +
         how_many_more(validation.contributions);
}

/// With the features that contribute most, in the order of the features.
std::string proposals_text(const Validation& validation) {
  std::set<std::string> names;
  for (const auto& each : validation.contributions)
    if (names.size() < most_shown) names.insert(each.column);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < validation.features.size(); ++i)
    if (validation.features.size() <= most_shown || names.contains(validation.features[i].name))
      places.push_back(i);
  return "\nWhat to measure next:\n" + text_of(proposals_table(validation, places)) +
         how_many_more(validation.features);
}

}  // namespace

std::string text_summary(const Validation& validation) {
  auto text = text_of(scores_table(validation));
  for (const auto& method : validation.methods)
    for (const auto& failure : method.failures)
      text += fmt::format("{} could not be fitted: {}\n", method.method, printable(failure));
  if (!validation.learning_curve.empty())
    text +=
        fmt::format("\nWith more points, {}:\n{}", validation.explained, text_of(learning_table(validation)));
  if (!validation.contributions.empty()) text += contributions_text(validation);
  if (!validation.proposals.empty()) text += proposals_text(validation);
  for (const auto& note : validation.notes) text += printable(note) + "\n";
  return text;
}

}  // namespace neph::report
