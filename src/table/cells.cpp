#include "table/cells.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/names.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace neph::table {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool has_groups(std::string_view cell) {
  if (cell.starts_with('+') || cell.starts_with('-')) cell.remove_prefix(1);
  const auto point = std::min(cell.find('.'), cell.size());
  const auto whole = cell.substr(0, point);
  const auto first = whole.find(',');
  if (first == std::string_view::npos || first < 1 || first > 3 || (whole.size() - first) % 4 != 0 ||
      whole.front() == '0' || !std::ranges::all_of(cell.substr(std::min(point + 1, cell.size())), is_digit))
    return false;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (i >= first && (i - first) % 4 == 0 ? whole[i] != ',' : !is_digit(whole[i])) return false;
  return true;
}

std::optional<double> number_of_cell(std::string_view cell) {
  if (cell.empty()) return nothing;
  if (cell.find(',') != std::string_view::npos && cell.find('.') != std::string_view::npos &&
      has_groups(cell)) {
    std::string plain(cell);  // without a point a comma may be one
    std::erase(plain, ',');
    return number_of_cell(plain);
  }
  if (cell.front() == '+' && cell.size() > 1 && cell[1] != '-') cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {  // too small or too large for a double
    const bool is_small =
        cell.find("e-") != std::string_view::npos || cell.find("E-") != std::string_view::npos;
    return is_small ? 0
                    : std::copysign(std::numeric_limits<double>::infinity(), cell.front() == '-' ? -1 : 1);
  }
  return value;
}

Result<std::size_t> Cells::add_column(std::string name) {
  if (columns_.size() == limits_.columns)
    return fail(ErrorCode::unsupported, "more than {} columns",
                format_grouped(static_cast<std::int64_t>(limits_.columns)));
  if (!places_.emplace(name, columns_.size()).second)
    return fail(ErrorCode::corrupt, "two columns are called '{}'", printable(name));
  is_text_.push_back(text_columns_.contains(name));
  codes_.emplace_back();
  columns_.push_back({.name = std::move(name)});
  fill(columns_.size() - 1, rows_);
  return columns_.size() - 1;
}

std::optional<std::size_t> Cells::column(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

void Cells::fill(std::size_t column, std::size_t rows) {
  if (is_text_[column]) {
    columns_[column].codes.resize(rows, -1);
  } else {
    columns_[column].numbers.resize(rows, nothing);
  }
}

void Cells::set(std::size_t column, std::string_view cell) {
  cell = trimmed(cell);
  if (!is_text_[column]) {
    if (const auto number = number_of_cell(cell)) return set(column, *number);
    text_columns_.insert(columns_[column].name);
    again_ = true;
    return;
  }
  if (cell.empty()) return;
  auto& levels = columns_[column].levels;
  const auto [found, is_new] =
      codes_[column].emplace(std::string(cell), static_cast<std::int32_t>(levels.size()));
  if (is_new) {
    levels.emplace_back(cell);
    level_bytes_ += 2 * (cell.size() + 64);
  }
  fill(column, rows_);
  columns_[column].codes.push_back(found->second);
}

void Cells::set(std::size_t column, double number) {
  if (is_text_[column]) return set(column, fmt::format("{}", number));
  fill(column, rows_);
  columns_[column].numbers.push_back(number);
}

Status Cells::end_row() {
  ++rows_;
  std::size_t row_bytes = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    fill(i, rows_);
    row_bytes += is_text_[i] ? sizeof(std::int32_t) : sizeof(double);
  }
  if (rows_ * row_bytes + level_bytes_ > limits_.bytes)
    return fail(ErrorCode::unsupported,
                "its first {} rows alone take the {} that a table may take; give a part of it, or "
                "fewer columns",
                format_grouped(static_cast<std::int64_t>(rows_)),
                format_bytes(static_cast<double>(limits_.bytes)));
  return {};
}

Status Cells::end_unread_row(Error why) {
  if (!limits_.keeps_unread) return tl::unexpected(std::move(why));
  unread_.emplace(rows_, why.text());
  return end_row();
}

void Cells::take_infinities_for_text() {
  for (const auto& [name, numbers, codes, levels] : columns_) {
    const auto infinite = std::ranges::count_if(numbers, [](double number) { return std::isinf(number); });
    const auto empty = std::ranges::count_if(numbers, [](double number) { return std::isnan(number); });
    if (infinite == 0 || infinite + empty < std::ssize(numbers)) continue;
    text_columns_.insert(name);
    again_ = true;
  }
}

Table Cells::finish(std::string source) && {
  for (auto& column : columns_)  // a column of empty cells that was taken for text
    if (column.levels.empty() && column.numbers.empty())
      column.numbers.assign(rows_, nothing), column.codes.clear();
  return {std::move(source), std::move(columns_), rows_, std::move(unread_)};
}

}  // namespace neph::table
