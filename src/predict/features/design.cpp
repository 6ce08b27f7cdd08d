#include "predict/features/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "core/names.hpp"
#include "predict/features/network_numbers.hpp"
#include "predict/profile/profile.hpp"
#include "stats/stats.hpp"
#include "table/numbers_in_text.hpp"
#include "table/table.hpp"

namespace neph::predict {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double largest_side = 65'536;  ///< of a picture, in pixels

struct Design::Columns {
  std::vector<std::string> feature_names, work_names, ranged_names;
  std::vector<std::vector<double>> features, work, mean_layer, ranged;
  std::vector<std::vector<int>> is_there;  ///< of those of the ranged that may be empty
  table::Refusals refused;

  void add(std::string name, std::vector<double> values) {
    feature_names.push_back(std::move(name));
    features.push_back(std::move(values));
  }
};

/// Each row's network, with its side and batch: its place among those that differ.
struct Design::Networks {
  std::vector<NetworkNumbers> different;      ///< nought where it cannot be built
  std::vector<std::optional<Error>> unbuilt;  ///< why; nothing: it can
  std::vector<std::size_t> of_row;
};

namespace {

MatrixXd as_matrix(const std::vector<std::vector<double>>& columns, std::size_t rows) {
  MatrixXd matrix(static_cast<Index>(rows), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows; ++i)
      matrix(static_cast<Index>(i), static_cast<Index>(j)) = columns[j][i];
  return matrix;
}

/// The least of the numbers above 0, where others are 0 and none is below; else 0.
double least_of_count(const std::vector<double>& numbers) {
  double least = std::numeric_limits<double>::infinity(), lowest = least;
  for (const double value : numbers) {
    lowest = std::min(lowest, value);
    if (value > 0) least = std::min(least, value);
  }
  return lowest == 0 && std::isfinite(least) ? least : 0;
}

table::Refusals some_refusals(const table::Refusals& all, const std::vector<std::size_t>& rows) {
  table::Refusals some;
  if (all.empty()) return some;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const auto found = all.find(rows[i]); found != all.end()) some.emplace(i, found->second);
  return some;
}

}  // namespace

Inputs rows_of(const Inputs& inputs, const std::vector<std::size_t>& rows) {
  return {.matrix = rows_of(inputs.matrix, rows),
          .work = some_rows(inputs.work, rows),
          .mean_layer = some_rows(inputs.mean_layer, rows),
          .user_terms = rows_of(inputs.user_terms, rows),
          .ranged = some_rows(inputs.ranged, rows),
          .refused = some_refusals(inputs.refused, rows)};
}

Result<Design> Design::learn(const table::Table& points, const Roles& roles) {
  Design design;
  design.roles_ = roles;
  for (auto* role :
       {&design.roles_.network, &design.roles_.side, &design.roles_.batch, &design.roles_.machine})
    if (!role->empty()) {
      NEPH_TRY(const auto place, points.find(*role));
      *role = points.columns[place].name;
    }
  for (const auto& column : points.columns) {
    const auto numbers = column.name == design.roles_.network || column.name == design.roles_.machine
                             ? std::nullopt
                             : as_numbers(column);
    if (!numbers) {
      if (column.name == design.roles_.machine) design.machine_ = design.categories_.size();
      Category category{column.name, column.levels};
      for (std::size_t row = 0; row < points.rows; ++row)  // called by a number, or empty
        if (!column.is_text() || column.is_empty(row))
          if (const auto level = column.text(row);
              std::ranges::find(category.levels, level) == category.levels.end())
            category.levels.push_back(level);
      design.categories_.push_back(std::move(category));
      continue;
    }
    Number number{.column = column.name, .unit = unit_of(column)};
    std::vector<double> there;
    for (const double value : *numbers)
      if (!std::isnan(value)) there.push_back(value);
    number.may_be_empty = there.size() < points.rows;
    number.is_ever_there = !there.empty();
    number.usual = there.empty() ? 0 : stats::median(there);
    number.is_quantity = !there.empty() && *std::min_element(there.begin(), there.end()) > 0;
    number.least = least_of_count(there);
    const bool has_role = !design.roles_.network.empty() &&
                          (column.name == design.roles_.side || column.name == design.roles_.batch);
    number.is_seen =
        has_role || number.may_be_empty || there.empty() ||
        *std::min_element(there.begin(), there.end()) < *std::max_element(there.begin(), there.end());
    design.numbers_.push_back(number);
  }
  NEPH_TRY(design.user_terms_, UserTerms::parse(design.roles_.terms, points));
  design.roles_.terms = design.user_terms_.texts();
  NEPH_CHECK(design.user_terms_.values(points));
  Columns columns;
  NEPH_CHECK(design.add_numbers(points, columns));
  NEPH_CHECK(table::none_refused(columns.refused, points.source));
  if (!design.roles_.network.empty()) {
    NEPH_TRY(const auto networks, design.networks(points));
    for (const auto& why : networks.unbuilt)
      if (why) return fail_in(points.source, *why);
    add_network(networks, columns);
  }
  design.feature_names_ = columns.feature_names;
  design.work_names_ = columns.work_names;
  if (design.machine_ && !design.work_names_.empty())
    design.machine_speeds_ =
        speeds_of(design.categories_[*design.machine_].levels, known_machines_and(design.roles_.machines));
  design.ranged_names_ = columns.ranged_names;
  return design;
}

std::string Design::range_end(Index ranged, double value) const {
  return fmt::format("{:.6g}", numbers_[static_cast<std::size_t>(ranged)].value_of(value));
}

double Design::Number::feature_of(double value) const {
  if (is_quantity) return std::log(value);
  return least > 0 ? std::copysign(std::log1p(std::abs(value) / least), value) : value;
}

double Design::Number::value_of(double feature) const {
  if (is_quantity) return std::exp(feature);
  return least > 0 ? std::copysign(least * std::expm1(std::abs(feature)), feature) : feature;
}

Status Design::check_columns(const table::Table& rows) const {
  std::optional<Error> first;
  std::string others;
  const auto look = [&](const std::string& column) {
    const auto place = rows.find_fitted(column);
    if (place) return;
    if (!first)
      first = place.error();
    else
      others += fmt::format("{}'{}'", others.empty() ? "missing too: " : ", ", column);
  };
  for (const auto& number : numbers_) look(number.column);
  for (const auto& category : categories_) look(category.column);
  if (!first) return {};
  if (!others.empty()) first->add_hint(others);
  return tl::unexpected(*std::move(first));
}

Result<Inputs> Design::apply(const table::Table& rows) const {
  NEPH_CHECK(check_columns(rows));
  Columns columns;
  NEPH_CHECK(add_numbers(rows, columns));
  Inputs inputs;
  if (!roles_.network.empty()) {
    NEPH_TRY(const auto networks, this->networks(rows));
    add_network(networks, columns);
    for (std::size_t row = 0; row < rows.rows; ++row)
      if (const auto& why = networks.unbuilt[networks.of_row[row]])
        columns.refused.try_emplace(row, why->text());
  }
  NEPH_TRY(inputs.matrix.levels, levels(rows));
  inputs.matrix.numbers = as_matrix(columns.features, rows.rows);
  inputs.work = as_matrix(columns.work, rows.rows);
  inputs.mean_layer = as_matrix(columns.mean_layer, rows.rows);
  NEPH_TRY(const auto of_terms, columns_of_terms(rows, columns.refused));
  NEPH_TRY(inputs.user_terms, user_terms_.values(of_terms, table::QueryRows(columns.refused)));
  inputs.refused = std::move(columns.refused);
  inputs.ranged = as_matrix(columns.ranged, rows.rows);
  return inputs;
}

Result<table::Table> Design::columns_of_terms(const table::Table& rows, table::Refusals& refused) const {
  table::Table columns{.source = rows.source, .rows = rows.rows};
  for (const auto& name : user_terms_.columns()) {
    const auto number = std::ranges::find(numbers_, name, &Number::column);
    if (number == numbers_.end()) {  // a machine that is called by a number
      NEPH_TRY(const auto place, rows.find_fitted(name));
      columns.columns.push_back(rows.columns[place]);
      continue;
    }
    NEPH_TRY(auto values, number->asked_in(rows, refused));
    columns.columns.push_back({.name = name, .numbers = std::move(values)});
  }
  return columns;
}

Result<FeatureMatrix> Design::locate(const table::Table& rows, table::Refusals& refused) const {
  NEPH_CHECK(check_columns(rows));
  Columns columns;
  NEPH_CHECK(add_numbers(rows, columns));
  refused = std::move(columns.refused);
  NEPH_TRY(auto levels, this->levels(rows));
  const auto known = levels.cols();
  levels.conservativeResize(Eigen::NoChange, known + std::ssize(columns.is_there));
  for (std::size_t i = 0; i < columns.is_there.size(); ++i)
    levels.col(known + static_cast<Index>(i)) =
        Eigen::Map<const Eigen::VectorXi>(columns.is_there[i].data(), levels.rows());
  return FeatureMatrix{as_matrix(columns.ranged, rows.rows), std::move(levels)};
}

Status Design::add_numbers(const table::Table& rows, Columns& columns) const {
  for (const auto& number : numbers_) {
    NEPH_TRY(auto values, number.asked_in(rows, columns.refused));
    std::vector<int> is_there(rows.rows, 1);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      auto& value = values[row];
      if (std::isnan(value)) {
        value = number.usual;
        is_there[row] = 0;
      }
      value = number.feature_of(value);
    }
    columns.ranged_names.push_back(number.column);
    columns.ranged.push_back(values);
    if (number.may_be_empty) columns.is_there.push_back(is_there);
    if (!number.is_seen) continue;
    columns.add(number.column, std::move(values));
    if (number.may_be_empty) columns.add("has " + number.column, {is_there.begin(), is_there.end()});
  }
  return {};
}

Result<Eigen::MatrixXi> Design::levels(const table::Table& rows) const {
  Eigen::MatrixXi all(static_cast<Index>(rows.rows), static_cast<Index>(categories_.size()));
  for (std::size_t c = 0; c < categories_.size(); ++c) {
    NEPH_TRY(const auto place, rows.find_fitted(categories_[c].column));
    std::map<std::string, int, std::less<>> codes;
    for (const auto& level : categories_[c].levels) codes.emplace(level, static_cast<int>(codes.size()));
    const auto code_of = [&](const std::string& level) {
      auto found = codes.find(level);
      if (const auto number = table::number_of_cell(level); found == codes.end() && number)
        found = codes.find(fmt::format("{}", *number));  // "8.0" is 8 beside a row with text too
      return found == codes.end() ? -1 : found->second;
    };
    const auto& column = rows.columns[place];
    std::vector<int> by_level;  // looked up once, not in every row
    for (const auto& level : column.levels) by_level.push_back(code_of(level));
    const int of_empty = code_of("");
    for (std::size_t row = 0; row < rows.rows; ++row)
      all(static_cast<Index>(row), static_cast<Index>(c)) =
          !column.is_text()      ? code_of(column.text(row))
          : column.is_empty(row) ? of_empty
                                 : by_level[static_cast<std::size_t>(column.codes[row])];
  }
  return all;
}

const Result<NetworkWork>& Design::work_of(const std::string& name, double side) const {
  const auto work = [&]() -> Result<NetworkWork> {
    if (roles_.side.empty()) return network_work(name, roles_.variants, 0);
    if (!(side >= 1 && side <= largest_side))
      return fail(ErrorCode::invalid_argument, "no picture has a side of {:g} pixels", side);
    auto of_side = network_work(name, roles_.variants, static_cast<std::int64_t>(side));
    if (!of_side && of_side.error().code == ErrorCode::invalid_argument)
      of_side.error().message += fmt::format(" ({} {:g})", roles_.side, side);
    return of_side;
  };
  const std::pair key{name, side};
  const auto known = works_.find(key);
  return known != works_.end() ? known->second : works_.emplace(key, work()).first->second;
}

Result<Design::Networks> Design::networks(const table::Table& rows) const {
  NEPH_TRY(const auto place, rows.find_fitted(roles_.network));
  const auto& names = rows.columns[place];
  const auto role = [&](const std::string& name, double without) -> Result<std::vector<double>> {
    if (name.empty()) return std::vector<double>(rows.rows, without);
    const auto number = std::ranges::find(numbers_, name, &Number::column);
    if (number == numbers_.end())
      return fail(ErrorCode::invalid_argument, "{}: '{}' has no numbers", rows.source, name);
    table::Refusals refused;  // add_numbers() tells of them
    NEPH_TRY(auto values, number->asked_in(rows, refused));
    for (auto& value : values)
      if (std::isnan(value)) value = number->usual;
    return values;
  };
  NEPH_TRY(const auto sides, role(roles_.side, 0));
  NEPH_TRY(const auto batches, role(roles_.batch, 1));

  Networks networks;
  std::map<std::tuple<std::int32_t, double, double>, std::size_t> known;  // by code: quicker than by name
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const auto code = names.is_text() ? names.codes[row] : static_cast<std::int32_t>(row);
    const auto [found, is_new] =
        known.try_emplace({code, sides[row], batches[row]}, networks.different.size());
    networks.of_row.push_back(found->second);
    if (!is_new) continue;
    if (names.is_empty(row)) {
      networks.different.emplace_back();
      networks.unbuilt.push_back(Error{ErrorCode::invalid_argument,
                                       fmt::format("'{}' is empty, and names no network", roles_.network)});
      continue;
    }
    const auto& work = work_of(names.text(row), sides[row]);
    const bool has_pictures = batches[row] > 0;
    networks.different.push_back(work && has_pictures ? NetworkNumbers(*work, batches[row])
                                                      : NetworkNumbers());
    auto& unbuilt = networks.unbuilt.emplace_back();
    if (!work)
      unbuilt = work.error();
    else if (!has_pictures)
      unbuilt = Error{ErrorCode::invalid_argument,
                      fmt::format("no batch has {:g} pictures ({})", batches[row], roles_.batch)};
  }
  return networks;
}

void Design::add_network(const Networks& networks, Columns& columns) {
  const auto column_of = [&](const auto& number_of) {
    std::vector<double> column;
    for (const auto place : networks.of_row) column.push_back(number_of(networks.different[place]));
    return column;
  };
  const auto column = [&](auto numbers, std::size_t i) {
    return column_of([&](const NetworkNumbers& network) { return (network.*numbers)[i]; });
  };
  for (std::size_t i = 0; i < network_quantities.size(); ++i)
    columns.add(network_quantities[i], column(&NetworkNumbers::log_quantities, i));
  for (std::size_t i = 0; i < network_shares.size(); ++i)
    columns.add(network_shares[i], column(&NetworkNumbers::shares, i));
  for (std::size_t i = 0; i < sizes_of_mean_layer; ++i)
    columns.mean_layer.push_back(column(&NetworkNumbers::mean_layer, i));
  columns.work_names = names_of_work_terms();
  for (std::size_t i = 0; i < columns.work_names.size(); ++i)
    columns.work.push_back(column(&NetworkNumbers::work, i));
}

}  // namespace neph::predict
