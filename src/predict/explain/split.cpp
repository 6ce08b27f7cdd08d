#include "predict/explain/split.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "table/row_conditions.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;

Rows places_of(const std::vector<bool>& chosen, bool value) {
  Rows rows;
  for (std::size_t row = 0; row < chosen.size(); ++row)
    if (chosen[row] == value) rows.push_back(row);
  return rows;
}

/// Of so many, in random order.
Rows shuffled(std::size_t count, Random& random) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  shuffle(rows, random);
  return rows;
}

Split split_of(std::string name, const Rows& test, std::size_t rows) {
  std::vector<bool> is_test(rows, false);
  for (const auto row : test) is_test[row] = true;
  return {std::move(name), places_of(is_test, false), places_of(is_test, true)};
}

}  // namespace

Result<Split> parse_split(std::string_view text, const table::Table& rows) {
  const auto arrow = text.find("->");
  if (arrow == text.npos)
    return fail(ErrorCode::invalid_argument,
                "'{}' has no '->' between the rows to fit on and those to predict, as in 'gpus<=4 -> gpus>4'",
                text);
  const auto left = trimmed(text.substr(0, arrow)), right = trimmed(text.substr(arrow + 2));
  if (left.empty() && right.empty())
    return fail(ErrorCode::invalid_argument, "'{}': one side at least must say which rows it has", text);
  NEPH_TRY(auto train, left.empty() ? std::vector<bool>() : table::rows_where(left, rows));
  NEPH_TRY(auto test, right.empty() ? std::vector<bool>() : table::rows_where(right, rows));
  if (left.empty()) train = test, train.flip();
  if (right.empty()) test = train, test.flip();
  for (std::size_t row = 0; row < rows.rows; ++row)
    if (train[row] && test[row])
      return fail(ErrorCode::invalid_argument,
                  "'{}': a row is on both sides; what is predicted must not be fitted on", text);
  Split split{std::string(trimmed(text)), places_of(train, true), places_of(test, true)};
  if (!split.train.empty() && !split.test.empty()) return split;
  const auto nowhere = split.train.empty() ? left : right;
  return fail(ErrorCode::invalid_argument, "'{}': no row is on the {} side{}", text,
              split.train.empty() ? "left" : "right",
              nowhere.empty() ? ": the other has them all" : "; " + table::values_in_words(nowhere, rows));
}

Result<std::vector<Split>> leave_out(const table::Table& rows, std::string_view column, std::size_t keep,
                                     std::size_t draws, std::uint64_t seed) {
  NEPH_TRY(const auto index, rows.find(column));
  const auto& left_out = rows.columns[index];
  std::map<std::string, Rows> by_value;
  for (std::size_t row = 0; row < rows.rows; ++row)
    if (!left_out.is_empty(row)) by_value[left_out.text(row)].push_back(row);
  if (by_value.size() < 2)
    return fail(ErrorCode::invalid_argument,
                "'{}' has {}: nothing would be left to fit on without it; choose a column with several",
                left_out.name, counted(std::ssize(by_value), "value"));
  if (std::ranges::none_of(by_value, [&](const auto& each) { return each.second.size() > keep; }))
    return fail(ErrorCode::invalid_argument, "no value of '{}' has more than the {} that are kept: {}",
                left_out.name, counted(static_cast<std::int64_t>(keep), "row"),
                "none would be left to predict");
  Random random(seed);
  std::vector<Split> splits;
  for (const auto& [value, own] : by_value) {
    if (own.size() <= keep) continue;
    for (std::size_t draw = 0; draw < (keep > 0 ? draws : 1); ++draw) {
      auto test = own;
      shuffle(test, random);
      test.resize(own.size() - keep);
      auto name = fmt::format("{} {} left out", left_out.name, value);
      if (keep > 0) name += fmt::format(" but for {}, draw {}", counted(std::int64_t(keep), "row"), draw + 1);
      splits.push_back(split_of(std::move(name), test, rows.rows));
    }
  }
  return splits;
}

std::vector<Split> folds(std::size_t rows, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const auto order = shuffled(rows, random);
  std::vector<Split> splits;
  for (std::size_t fold = 0; fold < count; ++fold) {
    Rows test;
    for (auto i = fold; i < rows; i += count) test.push_back(order[i]);
    splits.push_back(split_of(fmt::format("fold {} of {}", fold + 1, count), test, rows));
  }
  return splits;
}

std::vector<Split> samples(std::size_t rows, std::size_t count, std::size_t draws, std::uint64_t seed) {
  Random random(seed);
  std::vector<Split> splits;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    auto test = shuffled(rows, random);
    test.resize(rows - std::min(rows, count));
    splits.push_back(
        split_of(fmt::format("{}, draw {}", counted(std::int64_t(count), "row"), draw + 1), test, rows));
  }
  return splits;
}

}  // namespace neph::predict
