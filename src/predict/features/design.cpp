#include "predict/features/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/ranges.h>

#include "predict/profile/profile.hpp"
#include "stats/stats.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double largest_side = 65'536;  ///< of a picture, in pixels
/// Weight of a machine's peak beside its bandwidth, in logarithms. Not estimated yet: the middle.
constexpr double usual_compute_share = 0.5;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of the rows, column by column.
struct Design::Numbers {
  MatrixXd asked;     ///< as they are asked for; NaN: an empty cell, or a row that is refused
  MatrixXd ranged;    ///< their features
  MatrixXd features;  ///< those that methods see, each with whether it is there if it may be empty
  table::Refusals refused;
};

/// Each row's network, with its side and batch: its place among those that differ.
struct Design::Networks {
  std::vector<Result<NetworkNumbers>> different;  ///< why not, where one cannot be built
  std::vector<std::size_t> of_row;

  /// Zeros, where the row's network cannot be built.
  MatrixXd rows(VectorXd NetworkNumbers::*numbers) const {
    const NetworkNumbers nothing;
    MatrixXd all(std::ssize(of_row), (nothing.*numbers).size());
    for (Index row = 0; row < all.rows(); ++row) {
      const auto& network = different[of_row[static_cast<std::size_t>(row)]];
      all.row(row) = ((network ? *network : nothing).*numbers).transpose();
    }
    return all;
  }
};

namespace {

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
          .log_speed = inputs.log_speed.size() == 0 ? VectorXd() : rows_of(inputs.log_speed, rows),
          .machine_families = inputs.machine_families.size() == 0 ? Eigen::VectorXi()
                                                                  : some_rows(inputs.machine_families, rows),
          .ranged = some_rows(inputs.ranged, rows),
          .refused = some_refusals(inputs.refused, rows),
          .unknown_machines = some_refusals(inputs.unknown_machines, rows)};
}

Design::Category Design::category_of(const table::Column& column) {
  Category category{column.name, column.levels};
  for (std::size_t row = 0; row < column.rows(); ++row)  // called by a number, or empty
    if (!column.is_text() || column.is_empty(row))
      if (const auto level = column.text(row);
          std::ranges::find(category.levels, level) == category.levels.end())
        category.levels.push_back(level);
  return category;
}

Design::Number Design::number_of(const table::Column& column, const std::vector<double>& numbers) {
  Number number{.column = column.name, .unit = unit_of(column)};
  std::vector<double> there;
  std::ranges::copy_if(numbers, std::back_inserter(there), [](double value) { return !std::isnan(value); });
  number.may_be_empty = there.size() < numbers.size();
  number.is_ever_there = !there.empty();
  number.is_seen = number.may_be_empty;
  if (there.empty()) return number;
  const auto [lowest, highest] = std::ranges::minmax(there);
  number.usual = stats::median(there);
  number.is_quantity = lowest > 0;
  number.is_seen |= lowest < highest;
  if (lowest == 0 && highest > 0)
    number.least = std::ranges::min(there, {}, [](double value) { return value > 0 ? value : infinity; });
  return number;
}

Result<Design> Design::learn(const table::Table& points, const Roles& roles) {
  Design design;
  design.roles_ = roles;
  auto& [network, variants, side, batch, hardware, terms, sheets] = design.roles_;
  auto& machine = hardware.machine;
  for (auto* role : {&network, &side, &batch, &machine})
    if (!role->empty()) {
      NEPH_TRY(const auto place, points.find(*role));
      *role = points.columns[place].name;
    }
  for (const auto& column : points.columns) {
    if (std::ranges::find(hardware.figures, column.name) != hardware.figures.end()) continue;
    const bool is_name = column.name == network || column.name == machine;
    if (const auto numbers = is_name ? std::nullopt : as_numbers(column)) {
      auto& number = design.numbers_.emplace_back(number_of(column, *numbers));
      number.is_seen |= !network.empty() && (column.name == side || column.name == batch);
    } else {
      if (column.name == machine) design.machine_ = design.categories_.size();
      design.categories_.push_back(category_of(column));
    }
  }
  NEPH_TRY(design.user_terms_, UserTerms::parse(terms, points));
  terms = design.user_terms_.texts();
  NEPH_CHECK(design.user_terms_.values(points));
  NEPH_TRY(const auto numbers, design.numbers(points));
  NEPH_CHECK(table::none_refused(numbers.refused, points.source));
  if (!network.empty()) {
    NEPH_TRY(const auto networks, design.networks(points, numbers.asked));
    for (const auto& each : networks.different)
      if (!each) return fail_in(points.source, each.error());
  }
  design.learn_machines(points);
  return design;
}

/// A measured machine without a data sheet gets the mean speed of the others; its own category corrects that.
void Design::learn_machines(const table::Table& points) {
  sheets_ = device::built_in_and(roles_.sheets);
  if (!machine_) return;
  constexpr double least_share = 0.6;
  const auto speeds = machine_speeds(points, roles_.hardware, sheets_).logs;
  std::vector<Index> known;
  for (Index row = 0; row < speeds.rows(); ++row)
    if (speeds.row(row).allFinite()) known.push_back(row);
  knows_machines_ = static_cast<double>(known.size()) >= least_share * static_cast<double>(speeds.rows());
  if (knows_machines_) usual_speed_ = speeds(known, Eigen::all).colwise().mean();
}

std::string Design::range_end(Index ranged, double value) const {
  return fmt::format("{:.6g}", number(ranged).value_of(value));
}

std::vector<std::string> Design::features() const {
  std::vector<std::string> names;
  for (const auto& number : numbers_) {
    if (number.is_seen) names.push_back(number.column);
    if (number.may_be_empty) names.push_back("has " + number.column);
  }
  if (has_layers()) names.insert(names.end(), network_features.begin(), network_features.end());
  if (knows_machines_) names.insert(names.end(), {"peak of the machine", "bandwidth of the machine"});
  return names;
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
  std::vector<std::string> names, missing;
  for (const auto& number : numbers_) names.push_back(number.column);
  for (const auto& category : categories_) names.push_back(category.column);
  std::ranges::copy_if(names, std::back_inserter(missing),
                       [&](const auto& name) { return !rows.find_fitted(name); });
  if (missing.empty()) return {};
  auto error = rows.find_fitted(missing.front()).error();
  if (missing.size() > 1)
    error.add_hint(fmt::format("missing too: '{}'", fmt::join(missing.begin() + 1, missing.end(), "', '")));
  return tl::unexpected(std::move(error));
}

Result<Inputs> Design::apply(const table::Table& rows) const {
  NEPH_CHECK(check_columns(rows));
  NEPH_TRY(auto numbers, this->numbers(rows));
  Inputs inputs;
  if (!roles_.network.empty()) {
    NEPH_TRY(const auto networks, this->networks(rows, numbers.asked));
    for (std::size_t row = 0; row < rows.rows; ++row)
      if (const auto& network = networks.different[networks.of_row[row]]; !network)
        numbers.refused.try_emplace(row, network.error().text());
    const auto own = numbers.features.cols();
    numbers.features.conservativeResize(Eigen::NoChange, own + std::ssize(network_features));
    numbers.features.rightCols(std::ssize(network_features)) = networks.rows(&NetworkNumbers::features);
    inputs.work = networks.rows(&NetworkNumbers::work);
    inputs.mean_layer = networks.rows(&NetworkNumbers::mean_layer);
  }
  if (knows_machines_) add_machines(rows, numbers, inputs);
  inputs.matrix.numbers = std::move(numbers.features);
  inputs.ranged = std::move(numbers.ranged);
  NEPH_TRY(inputs.matrix.levels, levels(rows));
  NEPH_TRY(const auto of_terms, columns_of_terms(rows, numbers.asked));
  NEPH_TRY(inputs.user_terms, user_terms_.values(of_terms, table::QueryRows(numbers.refused)));
  inputs.refused = std::move(numbers.refused);
  return inputs;
}

void Design::add_machines(const table::Table& rows, Numbers& numbers, Inputs& inputs) const {
  auto [speeds, families] = machine_speeds(rows, roles_.hardware, sheets_);
  inputs.machine_families = std::move(families);
  const auto& names = rows.columns[*rows.find_fitted(roles_.hardware.machine)];
  for (Index row = 0; row < speeds.rows(); ++row) {
    if (speeds.row(row).allFinite()) continue;
    const auto found = sheets_.at(names.text(static_cast<std::size_t>(row)));
    inputs.unknown_machines.try_emplace(
        static_cast<std::size_t>(row),
        found ? fmt::format("the sheet of '{}' has no peak or no bandwidth; give them with --machines",
                            found->sheet.name)
              : found.error().text());
    speeds.row(row) = usual_speed_;
  }
  inputs.log_speed = usual_compute_share * speeds.col(0) + (1 - usual_compute_share) * speeds.col(1);
  if (has_layers()) at_speed(speeds, inputs.work);
  numbers.features.conservativeResize(Eigen::NoChange, numbers.features.cols() + 2);
  numbers.features.rightCols(2) = speeds;
}

Result<table::Table> Design::columns_of_terms(const table::Table& rows, const MatrixXd& asked) const {
  table::Table columns{.source = rows.source, .rows = rows.rows};
  for (const auto& name : user_terms_.columns()) {
    const auto number = std::ranges::find(numbers_, name, &Number::column);
    if (number == numbers_.end()) {  // a machine that is called by a number
      NEPH_TRY(const auto place, rows.find_fitted(name));
      columns.columns.push_back(rows.columns[place]);
    } else {
      const auto values = asked.col(number - numbers_.begin());
      columns.columns.push_back({.name = name, .numbers = {values.begin(), values.end()}});
    }
  }
  return columns;
}

Result<FeatureMatrix> Design::locate(const table::Table& rows, table::Refusals& refused) const {
  NEPH_CHECK(check_columns(rows));
  NEPH_TRY(auto numbers, this->numbers(rows));
  refused = std::move(numbers.refused);
  NEPH_TRY(auto levels, this->levels(rows));
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    if (numbers_[i].may_be_empty) {
      levels.conservativeResize(Eigen::NoChange, levels.cols() + 1);
      levels.rightCols(1) = numbers.asked.col(static_cast<Index>(i)).array().isNaN().cast<int>();
    }
  return FeatureMatrix{std::move(numbers.ranged), std::move(levels)};
}

Result<Design::Numbers> Design::numbers(const table::Table& rows) const {
  const auto count = static_cast<Index>(rows.rows);
  Index seen = 0, next = 0;
  for (const auto& number : numbers_) seen += (number.is_seen ? 1 : 0) + (number.may_be_empty ? 1 : 0);
  Numbers all{MatrixXd(count, std::ssize(numbers_)),
              MatrixXd(count, std::ssize(numbers_)),
              MatrixXd(count, seen),
              {}};
  for (Index i = 0; i < all.asked.cols(); ++i) {
    const auto& number = numbers_[static_cast<std::size_t>(i)];
    NEPH_TRY(all.asked.col(i), number.asked_in(rows, all.refused));
    all.ranged.col(i) = all.asked.col(i).unaryExpr(
        [&](double value) { return number.feature_of(std::isnan(value) ? number.usual : value); });
    if (number.is_seen) all.features.col(next++) = all.ranged.col(i);
    if (number.may_be_empty) all.features.col(next++) = (!all.asked.col(i).array().isNaN()).cast<double>();
  }
  return all;
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
          column.is_empty(row) ? of_empty
          : column.is_text()   ? by_level[static_cast<std::size_t>(column.codes[row])]
                               : code_of(column.text(row));
  }
  return all;
}

Result<NetworkWork> Design::work_of(const std::string& name, double side) const {
  if (name.empty())
    return fail(ErrorCode::invalid_argument, "'{}' is empty, and names no network", roles_.network);
  if (roles_.side.empty()) return network_work(name, roles_.variants, 0);
  if (!(side >= 1 && side <= largest_side))
    return fail(ErrorCode::invalid_argument, "no picture has a side of {:g} pixels", side);
  auto work = network_work(name, roles_.variants, static_cast<std::int64_t>(side));
  if (!work && work.error().code == ErrorCode::invalid_argument)
    work.error().message += fmt::format(" ({} {:g})", roles_.side, side);
  return work;
}

Result<NetworkNumbers> Design::numbers_of(const Result<NetworkWork>& work, double batch) const {
  if (!work) return tl::unexpected(work.error());
  if (batch > 0) return NetworkNumbers(*work, batch);
  return fail(ErrorCode::invalid_argument, "no batch has {:g} pictures ({})", batch, roles_.batch);
}

Result<Design::Networks> Design::networks(const table::Table& rows, const MatrixXd& asked) const {
  NEPH_TRY(const auto place, rows.find_fitted(roles_.network));
  const auto& names = rows.columns[place];
  const auto role = [&](const std::string& name, double without) -> Result<VectorXd> {
    if (name.empty()) return VectorXd::Constant(asked.rows(), without);
    const auto number = std::ranges::find(numbers_, name, &Number::column);
    if (number == numbers_.end())
      return fail(ErrorCode::invalid_argument, "{}: '{}' has no numbers", rows.source, name);
    const auto values = asked.col(number - numbers_.begin());
    return values.array().isNaN().select(number->usual, values);
  };
  NEPH_TRY(const auto sides, role(roles_.side, 0));
  NEPH_TRY(const auto batches, role(roles_.batch, 1));

  Networks networks;
  std::map<std::pair<std::int32_t, double>, Result<NetworkWork>> works;  // by code: quicker than by name
  std::map<std::tuple<std::int32_t, double, double>, std::size_t> known;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const auto code = names.is_text() ? names.codes[row] : static_cast<std::int32_t>(row);
    const double side = sides[static_cast<Index>(row)], batch = batches[static_cast<Index>(row)];
    const auto [found, is_new] = known.try_emplace({code, side, batch}, networks.different.size());
    networks.of_row.push_back(found->second);
    if (!is_new) continue;
    auto work = works.find({code, side});
    if (work == works.end())
      work = works.emplace(std::pair{code, side}, work_of(names.text(row), side)).first;
    networks.different.push_back(numbers_of(work->second, batch));
  }
  return networks;
}

}  // namespace neph::predict
