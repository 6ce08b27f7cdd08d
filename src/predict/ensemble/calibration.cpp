#include "predict/ensemble/calibration.hpp"

#include <cmath>
#include <map>

#include "predict/profile/point_order.hpp"
#include "stats/stats.hpp"
#include "table/malformed_numbers.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

using RowNames = std::vector<std::string>;

RowNames names_of(const table::Table& table, std::size_t row) {
  RowNames names;
  for (const auto& column : table.columns) names.push_back(column.text(row));
  return names;
}

/// One below the other; text where either of them is.
table::Column joined(const table::Column& above, const table::Column& below) {
  table::Column both{.name = above.name, .numbers = above.numbers, .levels = above.levels};
  if (!above.is_text() && !below.is_text()) {
    both.numbers.insert(both.numbers.end(), below.numbers.begin(), below.numbers.end());
    return both;
  }
  both.numbers.clear();
  std::map<std::string, std::int32_t> known;
  for (const auto& level : both.levels) known.emplace(level, static_cast<std::int32_t>(known.size()));
  for (const auto* column : {&above, &below})
    for (std::size_t row = 0; row < column->rows(); ++row) {
      const auto cell = column->text(row);
      const auto code = static_cast<std::int32_t>(both.levels.size());
      if (!cell.empty() && known.emplace(cell, code).second) both.levels.push_back(cell);
      both.codes.push_back(cell.empty() ? -1 : known.at(cell));
    }
  return both;
}

/// The columns of the points, and no other, written in one way: 64, "64px" and "64 px" are one.
Result<table::Table> features_in(const table::Table& rows, const table::Table& points, const Roles& roles) {
  table::Table features{.source = rows.source, .rows = rows.rows};
  for (const auto& column : points.columns) {
    NEPH_TRY(const auto place, rows.find_fitted(column.name));
    const auto& given = rows.columns[place];
    const auto unit =
        column.name == roles.hardware.machine || column.name == roles.network ? "" : unit_of(column);
    features.columns.push_back(unit.empty() ? given : in_unit(given, unit));
  }
  return features;
}

Result<std::vector<double>> log_targets_in(const table::Table& rows, const std::string& target) {
  const auto place = rows.find_fitted(target);
  if (!place) {
    auto error = place.error();
    error.add_hint("rows that calibrate a model are measured ones: add what was measured");
    return tl::unexpected(std::move(error));
  }
  const auto& column = rows.columns[*place];
  if (column.is_text())
    return fail(ErrorCode::invalid_argument, "{}: '{}' {}", rows.source, target, why_no_number(column));
  std::vector<double> logs;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const double value = column.numbers[row];
    if (!(value > 0) || std::isinf(value))
      return fail(
          ErrorCode::invalid_argument,
          "{}: '{}' is {} in row {}; a finite number above 0 is needed: correct the row or leave it out",
          rows.source, target, std::isnan(value) ? "empty" : fmt::format("{}", value), row + 1);
    logs.push_back(std::log(value));
  }
  return logs;
}

/// Measured again: the mean of the logarithms, each repeat counting once. A point that comes after all others
/// is a new one.
void add_repeats(Points& points, std::size_t point, const std::vector<double>& logs) {
  if (point == points.target.size()) {
    points.target.push_back(1);
    points.repeats.push_back(0);
    points.deviations.push_back(logs.size() < 2 ? 0 : deviation_of_repeats(logs));
  }
  const double before = points.repeats[point], now = static_cast<double>(logs.size());
  points.target[point] =
      std::exp((before * std::log(points.target[point]) + now * stats::median(logs)) / (before + now));
  points.repeats[point] += static_cast<int>(logs.size());
}

}  // namespace

Result<Profile> with_rows(const Model& model, const table::Table& rows) {
  const auto& target = model.origin().target;
  NEPH_TRY(const auto logs, log_targets_in(rows, target));
  NEPH_TRY(const auto inputs, model.design().apply(rows));
  NEPH_CHECK(table::none_refused(inputs.refused, rows.source));
  const auto& before = model.measured().features;
  NEPH_TRY(const auto features, features_in(rows, before, model.design().roles()));

  Profile profile{.target = target};
  profile.points = model.measured();
  NEPH_TRY(profile.points.features, features_in(before, before, model.design().roles()));
  const auto points_before = profile.points.target.size();
  std::map<RowNames, std::size_t> known;
  for (std::size_t point = 0; point < points_before; ++point)
    known.emplace(names_of(profile.points.features, point), point);
  std::map<std::size_t, std::vector<double>> by_point;
  std::vector<std::size_t> firsts;  // rows that are the first of a new point
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const auto [found, is_new] = known.emplace(names_of(features, row), points_before + firsts.size());
    by_point[found->second].push_back(logs[row]);
    if (is_new) firsts.push_back(row);
  }
  for (const auto& [point, own] : by_point) add_repeats(profile.points, point, own);
  auto& table = profile.points.features;
  const auto added = rows_of(features, firsts);
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    table.columns[i] = joined(std::move(table.columns[i]), added.columns[i]);
  table.rows += added.rows;
  table.source = fmt::format("{} and {}", model.origin().source, rows.source);
  auto sorted = part_of(profile, sorted_points(table));
  sorted.rows = model.origin().rows + static_cast<std::int64_t>(rows.rows);
  return sorted;
}

Result<Model> calibrated(const Model& model, const table::Table& rows, const FitOptions& options) {
  NEPH_TRY(const auto profile, with_rows(model, rows));
  auto again = options;
  again.roles = model.design().roles();
  again.method = model.method();
  return Model::fit(profile, again);
}

}  // namespace neph::predict
