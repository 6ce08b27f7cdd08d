#include "predict/profile/target_copies.hpp"

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

#include "predict/features/design.hpp"
#include "predict/models/log_linear.hpp"
#include "predict/profile/profile.hpp"
#include "stats/stats.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t most_rows = 1000;             ///< that columns are compared in
constexpr std::size_t most_rows_of_others = 400;    ///< of them, to ask what other columns say
constexpr std::size_t enough_rows_for_others = 12;  ///< to ask it
constexpr std::size_t most_others = 100;
constexpr double arithmetic = 1e-9;     ///< of a product, relative, before it was written
constexpr double coarsest = 0.005;      ///< rounding, relative, that shows a number to be another's multiple
constexpr double least_range = 10;      ///< of the target, in roundings
constexpr double nearly = 0.1;          ///< relative: how far nine of ten rows of an interval's end are off
constexpr double nearly_of_all = 0.3;   ///< the same of how far the target's rows are from their median
constexpr double said_by_others = 0.8;  ///< of a column's variance, where a fit can do without it

/// A number as it is written shortest: digits x 10^last.
struct Written {
  double digits = 0;
  int count = 0, last = 0;
};

Written written(double value) {
  std::array<char, 32> text{};
  const auto* end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  std::string digits(text.data(), static_cast<std::size_t>(end - text.data()));
  std::erase(digits, '.');
  const auto exponent = digits.find('e');
  const auto count = static_cast<int>(exponent);
  return {std::stod(digits.substr(0, exponent)), count, std::stoi(digits.substr(exponent + 1)) - count + 1};
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

/// What numbers may be the logarithms of, and the logarithm of its base.
struct Guise {
  std::string_view name;
  double log = 1;
};
constexpr std::array guises{Guise{"ln", 1}, Guise{"log2", std::numbers::ln2},
                            Guise{"log10", std::numbers::ln10}, Guise{"10 log10", std::numbers::ln10 / 10}};

/// Logarithms of a column's numbers, or of what they are the logarithms of, in the rows that are compared;
/// NaN: an empty cell.
struct Logs {
  std::size_t column = 0;
  bool is_fine = false;    ///< as what is measured, not as what is set
  double sign = 1;         ///< of the numbers
  std::string_view guise;  ///< empty: of the numbers
  std::vector<double> values, roundings;
};

/// First those of the numbers, where they are of one sign and none is 0; then each guise in which their
/// digits are enough to show another's multiple. Empty: text, infinite numbers, too many empty cells.
std::vector<Logs> logs_of(const table::Table& table, std::size_t column, const Rows& rows,
                          double rows_to_one) {
  const auto numbers = as_numbers(table.columns[column]);
  std::vector<Written> as_written;
  std::set<double> different;
  for (const auto row : numbers ? rows : Rows())
    if (const double number = (*numbers)[row]; !std::isnan(number)) {
      as_written.push_back(written(std::abs(number)));
      different.insert(number);
    }
  if (as_written.size() < fewest_points || 2 * as_written.size() < rows.size()) return {};
  const double least = *different.begin(), most = *different.rbegin();
  if (std::isinf(least) || std::isinf(most)) return {};
  const int last = std::ranges::min_element(as_written, {}, &Written::last)->last;
  const double rounding = 0.5 * std::pow(10, last);  // half a unit of the last digit that is written anywhere
  Logs plain{.column = column,
             .is_fine = 2 * different.size() > as_written.size() && !is_grid(as_written, last, rows_to_one)};
  std::vector<Logs> all;
  for (const auto& [name, log] : guises) {
    if (arithmetic + rounding * log > coarsest) continue;
    auto& guise = all.emplace_back(plain);
    guise.guise = name;
    for (const auto row : rows) guise.values.push_back(log * (*numbers)[row]);
    guise.roundings.assign(rows.size(), arithmetic + rounding * log);
  }
  if (least <= 0 && most >= 0) return all;
  plain.sign = least < 0 ? -1 : 1;
  for (const auto row : rows) {
    plain.values.push_back(std::log(plain.sign * (*numbers)[row]));
    plain.roundings.push_back(arithmetic + rounding / (plain.sign * (*numbers)[row]));
  }
  all.insert(all.begin(), std::move(plain));
  return all;
}

/// The exponential of a constant in log y = constant + power log x + other_power log z, if one holds in every
/// row to the digits that are written.
std::optional<double> exact_factor(const Logs& y, const Logs& x, double power, const Logs* z = nullptr,
                                   double other_power = 0) {
  double least = -std::numeric_limits<double>::infinity(), most = -least;
  double low = most, high = least, coarse = 0;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const double rest = y.values[i] - power * x.values[i] - (z ? other_power * z->values[i] : 0);
    const double rounding = y.roundings[i] + x.roundings[i];
    if (std::isnan(rest) || !(rounding <= coarsest)) continue;
    least = std::max(least, rest - rounding);
    most = std::min(most, rest + rounding);
    if (least > most) return std::nullopt;
    ++compared;
    coarse = std::max(coarse, rounding);
    low = std::min(low, y.values[i]);
    high = std::max(high, y.values[i]);
  }
  const bool is_known = compared >= fewest_points && 2 * compared >= y.values.size();
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
std::optional<double> near_multiple(const Logs& target, const Logs& x, double power) {
  std::vector<double> rest, all;
  for (std::size_t i = 0; i < target.values.size(); ++i)
    if (!std::isnan(x.values[i])) {
      rest.push_back(target.values[i] - power * x.values[i]);
      all.push_back(target.values[i]);
    }
  const double far = reach(rest);
  return far <= std::min(nearly, nearly_of_all * reach(all)) ? std::optional(far) : std::nullopt;
}

class Search {
 public:
  Search(const table::Table& table, std::size_t target, const Rows& rows)
      : table_(table), name_(table.columns[target].name), rows_(drawn_from(rows, most_rows)) {
    rows_to_one_ = static_cast<double>(rows.size()) / static_cast<double>(rows_.size());
    target_ = logs_of(table, target, rows_, 1);
  }

  std::vector<TargetCopy> among(const Rows& features, const Rows& wanted) {
    std::vector<TargetCopy> sure, likely;
    if (target_.empty()) return sure;
    const auto may_be_copy = [&](std::size_t i) { return std::ranges::find(wanted, i) == wanted.end(); };
    for (const auto i : features) {
      auto logs = logs_of(table_, i, rows_, rows_to_one_);
      auto how = may_be_copy(i) ? exactly(logs) : std::nullopt;
      if (how)
        (logs.front().is_fine ? sure : likely).push_back({i, *std::move(how)});
      else if (!logs.empty() && logs.front().guise.empty())
        numbers_.push_back(std::move(logs.front()));
      else
        others_.push_back(i);
    }
    for (const auto& x : numbers_) {
      if (auto how = x.is_fine && may_be_copy(x.column) ? followed(x) : std::nullopt)
        likely.push_back({x.column, *std::move(how)});
      else
        others_.push_back(x.column);
    }
    for (auto& each : likely)
      if (is_said_by_others(each.column)) sure.push_back(std::move(each));
    std::ranges::sort(sure, {}, &TargetCopy::column);
    return sure;
  }

 private:
  /// One of the two may be a logarithm: a fit makes one of the other.
  std::optional<std::string> exactly(const std::vector<Logs>& column) const {
    for (const auto& x : column)
      for (const auto& y : target_)
        for (const double power : {1.0, -1.0}) {
          const auto factor = x.guise.empty() || y.guise.empty() ? exact_factor(y, x, power) : std::nullopt;
          if (!factor) continue;
          if (!y.guise.empty())
            return fmt::format("what '{}' is {} of, times a constant, in every row", name_, y.guise);
          const auto own = x.guise.empty() ? "" : fmt::format("{} of ", x.guise);
          return power > 0
                     ? fmt::format("{}'{}' times {:.4g} in every row", own, name_, x.sign / *factor)
                     : fmt::format("{}{:.4g} divided by '{}' in every row", own, x.sign * *factor, name_);
        }
    return std::nullopt;
  }
  /// Nearly, or exactly with one more column: a total of so many steps.
  std::optional<std::string> followed(const Logs& x) const {
    const auto& target = target_.front();
    if (!target.guise.empty()) return std::nullopt;
    for (const double power : {1.0, -1.0}) {
      const auto multiple = fmt::format("a multiple of {}'{}'", power > 0 ? "" : "1/", name_);
      if (const auto far = near_multiple(target, x, power))
        return fmt::format("within {:.2g} % of {} in nine of ten rows", 100 * *far, multiple);
      for (const auto& z : numbers_)
        for (const double other_power : {1.0, -1.0})
          if (z.column != x.column && exact_factor(target, x, power, &z, other_power))
            return fmt::format("{} {} '{}' in every row", multiple,
                               (power > 0) == (other_power > 0) ? "over" : "times",
                               table_.columns[z.column].name);
    }
    return std::nullopt;
  }
  bool is_said_by_others(std::size_t column) const {
    if (rows_.size() < enough_rows_for_others) return false;
    const auto rows = drawn_from(rows_, most_rows_of_others);
    table::Table others{.source = table_.source, .columns = {}, .rows = table_.rows}, own = others;
    for (const auto i : drawn_from(others_, most_others)) others.columns.push_back(table_.columns[i]);
    own.columns.push_back(table_.columns[column]);
    const auto x = matrix_of(rows_of(others, rows)), y = matrix_of(rows_of(own, rows));
    return x && y && y->numbers.cols() > 0 && share_said(*x, y->numbers.col(0)) >= said_by_others;
  }
  static std::optional<FeatureMatrix> matrix_of(const table::Table& table) {
    const auto design = Design::learn(table, {});
    const auto inputs = design ? design->apply(table) : tl::unexpected(design.error());
    return inputs ? std::optional(inputs->matrix) : std::nullopt;
  }

  const table::Table& table_;
  std::string name_;
  Rows rows_;
  double rows_to_one_ = 1;
  std::vector<Logs> target_;
  std::vector<Logs> numbers_;  ///< plain ones of columns that are no exact copies
  Rows others_;                ///< columns that are no copies
};

}  // namespace

std::vector<TargetCopy> target_copies(const table::Table& table, std::size_t target,
                                      const std::vector<std::size_t>& features,
                                      const std::vector<std::size_t>& wanted,
                                      const std::vector<std::size_t>& rows) {
  return Search(table, target, rows).among(features, wanted);
}

}  // namespace neph::predict
