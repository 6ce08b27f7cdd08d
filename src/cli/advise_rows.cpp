#include "cli/advise_rows.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "cli/advise_headings.hpp"
#include "predict/predict.hpp"

namespace neph::cli {
namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t few = 3;  ///< of fewer rows nothing is said

/// Numbers of which no two rows have the same.
std::vector<std::size_t> never_the_same(const table::Table& table, const Rows& rows,
                                        std::vector<std::size_t> columns) {
  std::erase_if(columns, [&](std::size_t place) {
    const auto& column = table.columns[place];
    if (column.is_text()) return true;
    std::set<std::string> seen;
    return !std::ranges::all_of(
        rows, [&](std::size_t row) { return !column.is_empty(row) && seen.insert(column.text(row)).second; });
  });
  return columns;
}

bool has_repeats(const table::Table& table, const Rows& rows, const std::vector<std::size_t>& columns) {
  std::set<std::string> seen;
  return !std::ranges::all_of(
      rows, [&](std::size_t row) { return seen.insert(words_of(table, columns, row)).second; });
}

bool has_fractions(const table::Column& column, const Rows& rows) {
  return std::ranges::any_of(
      rows, [&](std::size_t row) { return column.numbers[row] != std::floor(column.numbers[row]); });
}

/// A number that is another in every row may be a result under a name that nobody knows.
Status add_varied(const table::Table& table, const Columns& columns, const Rows& rows,
                  std::vector<std::string>& notes) {
  const auto odd = never_the_same(table, rows, columns.naming);
  auto others = telling(columns);
  std::erase_if(others, [&](std::size_t place) { return std::ranges::find(odd, place) != odd.end(); });
  if (rows.size() < few || odd.empty() || !has_repeats(table, rows, others)) return {};
  for (const auto place : odd) {
    const auto& column = table.columns[place];
    if (has_fractions(column, rows))
      return fail(
          ErrorCode::invalid_argument,
          "{}: '{}' is another number in every row, so that no row repeats another: leave it out, if runs "
          "gave it; if it was varied, write its values as text ('x0.1')",
          table.source, column.name);
    notes.push_back(
        fmt::format("'{}' is taken for what was varied: no two rows have the same.", column.name));
  }
  return {};
}

}  // namespace

std::string words_of(const table::Table& table, const std::vector<std::size_t>& columns, std::size_t row) {
  std::string words;
  for (const auto place : columns) {
    const auto text = table.columns[place].text(row);
    if (!text.empty())
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", table.columns[place].name, text);
  }
  return words;
}

std::vector<std::size_t> varied(const table::Table& table, const Rows& rows,
                                std::vector<std::size_t> columns) {
  std::erase_if(columns, [&](std::size_t place) {
    const auto& column = table.columns[place];
    return std::ranges::all_of(
        rows, [&](std::size_t row) { return column.text(row) == column.text(rows.front()); });
  });
  return columns;
}

std::vector<std::size_t> telling(const Columns& columns) {
  auto all = columns.naming;
  for (const auto& [role, place] : columns.roles)
    if (role != Role::predicted && role != Role::refused && role != Role::memory) all.push_back(place);
  std::ranges::sort(all);
  return all;
}

Status check_same_job(const table::Table& table, const Columns& columns, const Rows& rows) {
  for (const auto place : varied(table, rows, columns.naming)) {
    const auto& column = table.columns[place];
    if (std::ranges::find(heading::jobs, heading::plain(column.name)) == heading::jobs.end()) continue;
    return fail(ErrorCode::invalid_argument,
                "{}: rows that differ in {} do different jobs, and are no choice; take one: --where {}={}",
                table.source, column.name, column.name, column.text(rows.front()));
  }
  return {};
}

std::string leave_out_run_numbers(const table::Table& table, Rows rows, Columns& columns) {
  std::vector<std::string> runs;
  for (const auto place : varied(table, rows, columns.runs))
    runs.push_back(fmt::format("'{}' by its name", table.columns[place].name));
  std::erase_if(rows, [&](std::size_t row) { return !(table.columns[columns.time].numbers[row] > 0); });
  if (!columns.low) {  // else a row is no run
    auto wanted = columns.used;
    for (const auto& [role, place] : columns.roles) wanted.push_back(place);
    for (const auto& number : predict::run_numbers(table, columns.time, telling(columns), wanted, rows)) {
      std::erase(columns.naming, number.column);
      runs.push_back(fmt::format("'{}' {}", table.columns[number.column].name, number.how));
    }
  }
  if (runs.empty()) return {};
  return fmt::format(
      "Taken for what tells runs apart, and not for what was varied: {}; --use NAME takes one for the "
      "latter.",
      fmt::join(runs, ", "));
}

Result<std::vector<std::string>> notes_of(const table::Table& table, const Columns& columns,
                                          const Rows& rows) {
  std::vector<std::string> notes, results;
  const auto& time = table.columns[columns.time].name;
  if (!heading::unit_of(time)) notes.push_back(fmt::format("'{}' is taken to be in seconds.", time));
  for (const auto place : varied(table, rows, columns.results)) results.push_back(table.columns[place].name);
  if (!results.empty())
    notes.push_back(
        fmt::format("Taken for results, and not for what was varied: {}.", fmt::join(results, ", ")));
  NEPH_CHECK(add_varied(table, columns, rows, notes));
  return notes;
}

}  // namespace neph::cli
