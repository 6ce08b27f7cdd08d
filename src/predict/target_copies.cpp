#include "predict/target_copies.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "predict/numbers_in_text.hpp"
#include "predict/survey.hpp"
#include "stats/stats.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<std::size_t>;

constexpr std::size_t most_rows = 1000;             ///< that columns are compared in
constexpr std::size_t most_rows_of_others = 400;    ///< of them, to ask what other columns say
constexpr std::size_t enough_rows_for_others = 12;  ///< to ask it
constexpr double arithmetic = 1e-9;                 ///< of a product, relative, before it was written
constexpr double coarsest = 0.005;      ///< rounding, relative, that shows a number to be another's multiple
constexpr double least_range = 10;      ///< of the target, in roundings
constexpr double nearly = 0.1;          ///< relative: how far nine of ten rows of an interval's end are off
constexpr double nearly_of_all = 0.3;   ///< the same of how far the target's rows are from their median
constexpr double said_by_others = 0.8;  ///< of a column's variance, where a fit can do without it

/// A column in the rows that are compared: of one sign, or the exponents of a positive one. NaN: an empty
/// cell.
struct Values {
  std::size_t column = 0;
  double sign = 1;
  std::vector<double> logs, roundings;  ///< relative
  bool is_fine = false;                 ///< as what is measured, not as what is set
  bool is_precise = false;              ///< in half of the rows, enough to show another's multiple
};

/// A number as it is written shortest: digits x 10^last.
struct Written {
  double digits = 0;
  int count = 0, last = 0;
};

Written written(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  const auto* exponent = std::find(text.data(), end, 'e');
  Written number;
  for (const char c : std::string_view(text.data(), static_cast<std::size_t>(exponent - text.data())))
    if (c != '.') {
      number.digits = 10 * number.digits + (c - '0');
      ++number.count;
    }
  int power = 0;
  const auto* digits = exponent + (exponent[1] == '+' ? 2 : 1);
  std::from_chars(digits, end, power);
  number.last = power - number.count + 1;
  return number;
}

/// Whether somebody may have chosen the numbers: few digits each, or a grid of which they fill a good part,
/// or powers of two of one of them. One of `rows_to_one` rows was drawn: the grid has as many more.
bool is_grid(const std::vector<Written>& numbers, int last, double rows_to_one) {
  constexpr int digits_of_choice = 2;
  constexpr double most_gaps = 2;
  if (std::ranges::all_of(numbers, [](const Written& each) { return each.count <= digits_of_choice; }))
    return true;  // zeros alone, too
  std::set<std::uint64_t> multiples;
  std::uint64_t step = 0;
  for (const auto& each : numbers) {
    const double multiple = each.digits * std::pow(10, each.last - last);
    if (multiple > 0x1p53) return false;
    multiples.insert(static_cast<std::uint64_t>(multiple));
    step = std::gcd(step, static_cast<std::uint64_t>(multiple));
  }
  const auto is_power = [&](std::uint64_t each) { return std::has_single_bit(each / step); };
  return std::ranges::all_of(multiples, is_power) ||
         static_cast<double>(*multiples.rbegin() / step) <=
             most_gaps * rows_to_one * static_cast<double>(multiples.size());
}

/// What a number may be the exponent of: ln, log2 and log10 of something, and its decibels.
struct Base {
  std::string_view name;
  double log = 0;
};
constexpr std::array kBases{Base{"ln", 1}, Base{"log2", std::numbers::ln2}, Base{"log10", std::numbers::ln10},
                            Base{"10 log10", std::numbers::ln10 / 10}};

/// The numbers themselves, or (`are_exponents`) what e to their power is. Nothing: it has text, numbers of
/// both signs or 0 where they are no exponents, or too many empty cells.
std::optional<Values> values_of(const table::Table& table, std::size_t column, const Rows& rows,
                                double rows_to_one = 1, bool are_exponents = false) {
  const auto numbers = as_numbers(table.columns[column]);
  if (!numbers) return std::nullopt;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const bool is_negative =
      !are_exponents && std::ranges::any_of(rows, [&](std::size_t row) { return (*numbers)[row] < 0; });
  Values values{.column = column, .sign = is_negative ? -1.0 : 1.0};
  std::vector<Written> all;
  std::set<double> different;
  for (const auto row : rows) {
    const double number = (*numbers)[row], size = values.sign * number;
    if ((!are_exponents && size <= 0) || std::isinf(number)) return std::nullopt;
    values.logs.push_back(are_exponents ? number : std::log(size));
    if (std::isnan(number)) continue;
    all.push_back(written(std::abs(number)));
    different.insert(number);
  }
  if (all.size() < fewest_points || 2 * all.size() < rows.size()) return std::nullopt;
  const int last = std::ranges::min_element(all, {}, &Written::last)->last;
  const double rounding = 0.5 * std::pow(10, last);
  for (const double log : values.logs)
    values.roundings.push_back(
        std::isnan(log) ? none : arithmetic + rounding * (are_exponents ? 1 : 1 / std::exp(log)));
  const auto precise = std::ranges::count_if(values.roundings, [](double each) { return each <= coarsest; });
  values.is_precise = 2 * static_cast<std::size_t>(precise) >= rows.size();
  values.is_fine = 2 * different.size() > all.size() && !is_grid(all, last, rows_to_one);
  return values;
}

/// Exponents of e as those of another base.
Values scaled(Values values, double log_base) {
  for (auto& log : values.logs) log *= log_base;
  for (auto& rounding : values.roundings) rounding *= log_base;
  const auto precise = std::ranges::count_if(values.roundings, [](double each) { return each <= coarsest; });
  values.is_precise = 2 * static_cast<std::size_t>(precise) >= values.roundings.size();
  return values;
}

/// log y = constant + power log x + other_power log z
struct Law {
  double power = 1;
  const Values* other = nullptr;
  double other_power = 0;
  double rest(const Values& target, const Values& x, std::size_t i) const {
    return target.logs[i] - power * x.logs[i] - (other ? other_power * other->logs[i] : 0);
  }
};

/// The constant's exponential, if one holds in every row to the digits that are written.
std::optional<double> exact_factor(const Values& target, const Values& x, const Law& law) {
  if (!target.is_precise || !x.is_precise) return std::nullopt;
  double least = -std::numeric_limits<double>::infinity(), most = -least;
  double low = most, high = least, coarse = 0;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < target.logs.size(); ++i) {
    const double rest = law.rest(target, x, i), rounding = target.roundings[i] + x.roundings[i];
    if (std::isnan(rest) || !(rounding <= coarsest)) continue;
    least = std::max(least, rest - rounding);
    most = std::min(most, rest + rounding);
    if (least > most) return std::nullopt;
    ++compared;
    coarse = std::max(coarse, rounding);
    low = std::min(low, target.logs[i]);
    high = std::max(high, target.logs[i]);
  }
  const bool is_known = compared >= fewest_points && 2 * compared >= target.logs.size();
  if (!is_known || high - low < least_range * std::max(coarse, 1e-3)) return std::nullopt;
  return std::exp((least + most) / 2);
}

/// From the median, nine of ten are no further away.
double reach(std::vector<double> values) {
  const double middle = stats::median(values);
  for (auto& value : values) value = std::abs(value - middle);
  return stats::quantile(values, 0.9);
}

/// How far the column is from a multiple of the target (power 1) or of its reciprocal (-1); nothing: too far.
std::optional<double> near_multiple(const Values& target, const Values& x, double power) {
  std::vector<double> rest, all;
  for (std::size_t i = 0; i < target.logs.size(); ++i)
    if (!std::isnan(x.logs[i])) {
      rest.push_back(target.logs[i] - power * x.logs[i]);
      all.push_back(target.logs[i]);
    }
  const double far = reach(rest);
  return far <= std::min(nearly, nearly_of_all * reach(all)) ? std::optional(far) : std::nullopt;
}

/// What other columns say of rows: logarithms of positive numbers, numbers, levels; centred and of one width.
class Others {
 public:
  Others(const table::Table& table, const std::vector<std::size_t>& columns, const Rows& rows) : rows_(rows) {
    for (const auto i : columns)
      if (columns_.size() < most_columns) add(table.columns[i]);
    MatrixXd all(std::ssize(rows), std::ssize(columns_));
    for (Index j = 0; j < all.cols(); ++j) all.col(j) = columns_[static_cast<std::size_t>(j)];
    MatrixXd products = all * all.transpose();
    const double penalty = slack * std::max(1.0, static_cast<double>(all.cols()));
    MatrixXd regular = products;
    regular.diagonal().array() += penalty;
    hat_ = regular.ldlt().solve(products);
  }
  /// The share of the values' variance that they say of each row from all others (the PRESS statistic; Allen,
  /// Technometrics 16, 1974) in a ridge regression. 0 or below: nothing.
  double share_of(VectorXd values) const {
    values.array() -= values.mean();
    if (columns_.empty() || values.squaredNorm() == 0) return 0;
    const VectorXd said = hat_ * values;
    const double own = 1 / static_cast<double>(values.size());  // the mean's
    const VectorXd wrong = (values - said).array() / (1 - hat_.diagonal().array() - own).max(slack);
    return 1 - wrong.squaredNorm() / values.squaredNorm();
  }

 private:
  static constexpr double slack = 1e-3;
  static constexpr std::size_t most_levels = 16, most_columns = 500;

  void add(const table::Column& column) {
    const auto numbers = as_numbers(column);
    std::set<std::string> levels;
    for (const auto row : rows_)
      if (levels.size() <= most_levels) levels.insert(column.text(row));
    if (levels.size() <= most_levels)
      for (const auto& level : levels)
        add([&](std::size_t row) { return column.text(row) == level ? 1.0 : 0.0; });
    if (!numbers) return;
    const bool has_logs =
        std::ranges::all_of(rows_, [&](std::size_t row) { return !((*numbers)[row] <= 0); });
    add([&](std::size_t row) { return has_logs ? std::log((*numbers)[row]) : (*numbers)[row]; });
  }
  template <class ValueOf>
  void add(const ValueOf& value_of) {
    VectorXd column(std::ssize(rows_));
    for (Index i = 0; i < column.size(); ++i) column[i] = value_of(rows_[static_cast<std::size_t>(i)]);
    const double count = static_cast<double>(column.array().isFinite().count());
    const double mean = column.array().isFinite().select(column, 0).sum() / std::max(1.0, count);
    column = column.array().isFinite().select((column.array() - mean).matrix(), 0);
    const double width = std::sqrt(column.squaredNorm() / static_cast<double>(column.size()));
    if (width > 0 && std::isfinite(width) && columns_.size() < most_columns)
      columns_.push_back(column / width);
  }

  const Rows& rows_;
  std::vector<VectorXd> columns_;
  MatrixXd hat_;
};

Rows drawn(const Rows& rows, std::size_t most) {
  Rows some;
  const auto count = std::min(rows.size(), most);
  for (std::size_t i = 0; i < count; ++i) some.push_back(rows[i * rows.size() / count]);
  return some;
}

std::string times(std::string_view name, double power, double factor) {
  return power > 0 ? fmt::format("'{}' times {:.4g}", name, 1 / factor)
                   : fmt::format("{:.4g} divided by '{}'", factor, name);
}

class Search {
 public:
  Search(const table::Table& table, std::size_t target, const std::vector<std::size_t>& features,
         const std::vector<std::size_t>& wanted, const Rows& rows)
      : table_(table), rows_(drawn(rows, most_rows)) {
    const double rows_to_one = static_cast<double>(rows.size()) / static_cast<double>(rows_.size());
    target_ = values_of(table, target, rows_);
    plain_target_ = values_of(table, target, rows_, 1, true);
    name_ = table.columns[target].name;
    for (const auto i : features) {
      const bool is_wanted = std::ranges::find(wanted, i) != wanted.end();
      auto values = values_of(table, i, rows_, rows_to_one);
      if (auto copy = is_wanted ? std::nullopt : bent(i, values, rows_to_one)) {
        (copy->is_sure ? sure_ : likely_).push_back({i, std::move(copy->how)});
        continue;
      }
      if (!values) {
        others_.push_back(i);
        continue;
      }
      (is_wanted ? set_ : numbers_).push_back(*std::move(values));
      if (is_wanted) others_.push_back(i);
    }
  }

  std::vector<TargetCopy> operator()() && {
    if (!target_) return {};
    auto sure = std::move(sure_), likely = std::move(likely_);
    for (const auto& x : numbers_) {
      if (auto how = exactly(x)) {
        (x.is_fine ? sure : likely).push_back({x.column, *how});
      } else if (auto near = x.is_fine ? followed(x) : std::nullopt) {
        likely.push_back({x.column, *near});
      } else {
        others_.push_back(x.column);
      }
    }
    add_what_others_say(likely, sure);
    std::ranges::sort(sure, {}, &TargetCopy::column);
    return sure;
  }

 private:
  struct Bent {
    bool is_sure = false;
    std::string how;
  };
  /// The target's logarithm, or what the target is the logarithm of: exactly, since a fit makes one of the
  /// other.
  std::optional<Bent> bent(std::size_t column, const std::optional<Values>& x, double rows_to_one) const {
    if (!target_) return std::nullopt;
    const auto plain = values_of(table_, column, rows_, rows_to_one, true);
    for (const auto& base : kBases) {
      const auto exponents = plain ? std::optional(scaled(*plain, base.log)) : std::nullopt;
      const auto target = plain_target_ ? std::optional(scaled(*plain_target_, base.log)) : std::nullopt;
      for (const double power : {1.0, -1.0}) {
        if (const auto factor =
                exponents ? exact_factor(*target_, *exponents, {.power = power}) : std::nullopt)
          return Bent{plain->is_fine,
                      fmt::format("{} of {} in every row", base.name, times(name_, power, *factor))};
        if (x && target && exact_factor(*target, *x, {.power = power}))
          return Bent{x->is_fine,
                      fmt::format("what '{}' is {} of, times a constant, in every row", name_, base.name)};
      }
    }
    return std::nullopt;
  }
  std::optional<std::string> exactly(const Values& x) const {
    for (const double power : {1.0, -1.0})
      if (const auto factor = exact_factor(*target_, x, {.power = power}))
        return times(name_, power, x.sign * *factor) + " in every row";
    return std::nullopt;
  }
  /// Nearly, or exactly with one more column: a total of so many steps.
  std::optional<std::string> followed(const Values& x) const {
    for (const double power : {1.0, -1.0}) {
      if (const auto far = near_multiple(*target_, x, power))
        return fmt::format("within {:.2g} % of {} in nine of ten rows", 100 * *far,
                           power > 0 ? fmt::format("a multiple of '{}'", name_)
                                     : fmt::format("a multiple of 1/'{}'", name_));
      for (const auto* all : {&numbers_, &set_})
        for (const auto& other : *all)
          for (const double other_power : {1.0, -1.0})
            if (other.column != x.column &&
                exact_factor(*target_, x, {.power = power, .other = &other, .other_power = other_power}))
              return fmt::format("a multiple of {}'{}' {} '{}' in every row", power > 0 ? "" : "1/", name_,
                                 (power > 0) == (other_power > 0) ? "over" : "times",
                                 table_.columns[other.column].name);
    }
    return std::nullopt;
  }
  void add_what_others_say(const std::vector<TargetCopy>& likely, std::vector<TargetCopy>& sure) const {
    if (likely.empty() || rows_.size() < enough_rows_for_others) return;
    const auto rows = drawn(rows_, most_rows_of_others);
    const Others others(table_, others_, rows);
    for (const auto& each : likely) {
      const auto values = values_of(table_, each.column, rows);
      if (!values) continue;
      VectorXd logs = Eigen::Map<const VectorXd>(values->logs.data(), std::ssize(values->logs));
      const double mean = logs.array().isFinite().select(logs, 0).sum() /
                          static_cast<double>(std::max<Index>(1, logs.array().isFinite().count()));
      logs = logs.array().isFinite().select(logs, mean);
      if (others.share_of(logs) >= said_by_others) sure.push_back(each);
    }
  }

  const table::Table& table_;
  Rows rows_;
  std::string name_;
  std::optional<Values> target_;
  std::optional<Values> plain_target_;     ///< as exponents of e
  std::vector<TargetCopy> sure_, likely_;  ///< of those that are bent
  std::vector<Values> numbers_, set_;  ///< columns of one sign that may be copies, and that the user wants
  std::vector<std::size_t> others_;    ///< columns that are none
};

}  // namespace

std::vector<TargetCopy> target_copies(const table::Table& table, std::size_t target,
                                      const std::vector<std::size_t>& features,
                                      const std::vector<std::size_t>& wanted,
                                      const std::vector<std::size_t>& rows) {
  return Search(table, target, features, wanted, rows)();
}

}  // namespace neph::predict
