#include "predict/profile/run_numbers.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "core/text.hpp"
#include "predict/features/feature_matrix.hpp"
#include "predict/profile/row_key.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t fewest_rows = 3;
constexpr double first_moment = 1e9;  ///< seconds since 1970 of any run
constexpr double few = 14;            ///< degrees of freedom: with fewer no relation is sure
constexpr double deviations = 2.6;    ///< by which it is
constexpr double slight = 0.05;       ///< deviation that repeats usually have, of a logarithm
constexpr double little = 0.1;        ///< of the target's variance that few repeats may have
constexpr double nearly_all = 0.9;    ///< of that, where a feature explains it

/// Numbered names, dates, hashes: each has digits, and the same between them.
bool are_generated(const std::vector<std::string>& levels) {
  const auto shape_of = [](const std::string& level) {
    std::string shape;
    for (const unsigned char byte : level)
      if (std::isxdigit(byte) == 0)
        shape += static_cast<char>(byte);
      else if (!shape.ends_with('0'))
        shape += '0';
    return shape;
  };
  const auto shape = shape_of(levels.front());
  return std::ranges::all_of(levels, [&](const auto& level) {
    return std::ranges::any_of(level, is_digit) && shape_of(level) == shape;
  });
}

/// Whether they are 0 to n - 1 or 1 to n, in any order.
bool is_count(std::vector<double> numbers) {
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  if (numbers.empty()) return false;
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != numbers.front() + static_cast<double>(i)) return false;
  return numbers.front() == 0 || numbers.front() == 1;
}

/// How the target's logarithms vary among rows of one configuration, along the values of a column.
struct Within {
  std::size_t repeated = 0, largest = 0;             ///< rows that repeat; most of one configuration
  double freedom = 0, squares = 0, all_squares = 0;  ///< about their configurations' means; about that of all
  double along = 0, ranks = 0, steps = 0;            ///< by the order of the values; between neighbours in it
  bool always_differs = true;

  Within(const AlikeGroups& groups, const std::vector<double>& logs, const std::vector<double>& values) {
    const Eigen::Map<const Eigen::ArrayXd> all(logs.data(), std::ssize(logs));
    all_squares = (all - all.mean()).square().sum();
    for (std::size_t group = 0; group < groups.size(); ++group) {
      Rows own(groups[group].begin(), groups[group].end());
      if (own.size() < 2) continue;
      std::ranges::sort(own, {}, [&](std::size_t i) { return values[i]; });
      repeated += own.size();
      largest = std::max(largest, own.size());
      const auto last = static_cast<double>(own.size() - 1);
      freedom += last;
      double mean = 0;
      for (const auto i : own) mean += logs[i] / (last + 1);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const double off = logs[own[i]] - mean, rank = static_cast<double>(i) - last / 2;
        squares += squared(off);
        along += rank * off;
        ranks += squared(rank);
        if (i == 0) continue;
        steps += squared(logs[own[i]] - logs[own[i - 1]]);
        always_differs = always_differs && values[own[i]] != values[own[i - 1]];
      }
    }
  }
  bool is_slight() const { return squares <= freedom * squared(slight); }
  /// `may_drift`: along the values time goes by, and machines get warm.
  bool follows(bool is_own, bool may_drift) const {
    if (is_slight() && (may_drift || freedom < few)) return false;
    const double explained = squares > 0 ? std::max(squared(along) / (ranks * squares),
                                                    squared(std::max(0.0, 1 - steps / (2 * squares))))
                                         : 0;
    if (freedom >= few) return explained * freedom > squared(deviations);
    return squares > little * all_squares || (!is_own && explained > nearly_all);
  }
};

}  // namespace

std::vector<RunNumber> run_numbers(const table::Table& table, std::size_t target, const Rows& features,
                                   const Rows& wanted, Rows rows) {
  std::vector<RunNumber> found;
  if (rows.size() < fewest_rows) return found;
  std::ranges::sort(rows);
  std::vector<double> logs;
  for (const auto row : rows) logs.push_back(std::log(table.columns[target].numbers[row]));
  const auto key_of = [&](std::size_t column) { return keys_of(table.columns[column], rows); };
  const auto is_wanted = [&](std::size_t column) {
    return std::ranges::find(wanted, column) != wanted.end();
  };
  std::set<std::size_t> own;         // columns with another value in each row
  std::set<std::size_t> conditions;  // those that may say what was run
  RowKeys keys = RowKeys::Zero(std::ssize(rows));
  for (const auto column : features) {
    const auto levels = AlikeGroups(key_of(column)).size();
    if (levels == rows.size()) own.insert(column);
    if (!is_wanted(column) && 3 * levels > 2 * rows.size()) continue;
    conditions.insert(column);
    keys += key_of(column);
  }
  const auto how = [&](std::size_t column, bool of_repeats) -> std::string {
    const auto& cells = table.columns[column];
    if (of_repeats == own.contains(column) || (of_repeats && cells.is_text())) return {};
    std::vector<double> values;
    for (const auto row : rows) values.push_back(cells.is_text() ? cells.codes[row] : cells.numbers[row]);
    if (std::ranges::any_of(rows, [&](std::size_t row) { return cells.is_empty(row); })) return {};
    const bool is_in_order = std::ranges::adjacent_find(values, std::greater_equal()) == values.end();
    const bool is_whole =
        std::ranges::all_of(values, [](double value) { return value == std::floor(value); });
    if (cells.is_text() ? !are_generated(cells.levels)
                        : !is_whole && (!is_in_order || values.front() < first_moment))
      return {};
    const AlikeGroups groups(conditions.contains(column) ? RowKeys(keys - key_of(column)) : keys);
    const Within within(groups, logs, values);
    const bool repeats = 2 * within.repeated >= rows.size(), is_one = groups.size() == 1;
    if (of_repeats) {
      const auto [least, most] = std::ranges::minmax(values);
      const bool is_numbered =
          (least == 0 || least == 1) && most - least + 1 == static_cast<double>(within.largest);
      return is_numbered && repeats && !is_one && within.always_differs && !within.follows(false, true)
                 ? "counts the repeats of each configuration"
                 : "";
    }
    const bool counts = !cells.is_text() && is_count(cells.numbers);
    if (((!repeats || is_one) && !counts) || (is_one && !within.is_slight())) return {};
    const bool is_index =
        counts && !is_one && std::ranges::min(values) == 0 && static_cast<double>(rows.size()) >= few;
    if (repeats && !is_index && within.follows(true, is_in_order && !is_one)) return {};
    return counts ? "counts the rows" : "differs in every row that otherwise repeats";
  };
  for (const bool of_repeats : {true, false})
    for (const auto column : features) {
      auto why = is_wanted(column) ? "" : how(column, of_repeats);
      if (why.empty()) continue;
      if (conditions.erase(column) > 0) keys -= key_of(column);
      found.push_back({column, of_repeats, std::move(why)});
    }
  return found;
}

}  // namespace neph::predict
