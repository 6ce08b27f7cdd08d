#include "table/numbers_in_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

namespace neph::table {
namespace {

struct Embedded {
  std::vector<double> numbers;  ///< of each level
  std::string_view unit;
};

std::optional<Embedded> embedded_in(const std::vector<std::string>& levels) {
  Embedded found;
  for (const auto& level : levels) {
    const auto each = number_in(level);
    if (!each || (!found.numbers.empty() && each->unit != found.unit)) return std::nullopt;
    found.unit = each->unit;
    found.numbers.push_back(each->number);
  }
  return found;
}

/// "B" of "GB", "s" of "ms".
std::string_view without_prefix(std::string_view unit) {
  const bool has_prefix =
      !unit.empty() && std::string_view("kKMGTPmun").find(unit[0]) != std::string_view::npos;
  return unit.substr(has_prefix ? 1 : 0);
}

}  // namespace

std::optional<NumberInText> number_in(std::string_view cell) {
  NumberInText found;
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), found.number);
  found.unit = cell.substr(static_cast<std::size_t>(end - cell.data()));
  found.unit.remove_prefix(std::min(found.unit.find_first_not_of(' '), found.unit.size()));
  const bool has_digits = found.unit.find_first_of("0123456789") != std::string_view::npos;
  if (error != std::errc() || !std::isfinite(found.number) || has_digits) return std::nullopt;
  return found;
}

std::optional<Column> embedded_numbers(const Column& column) {
  if (!column.is_text()) return std::nullopt;
  const auto found = embedded_in(column.levels);
  if (!found) return std::nullopt;
  Column numbers{.name = column.name};
  for (const auto code : column.codes)
    numbers.numbers.push_back(code < 0 ? std::numeric_limits<double>::quiet_NaN()
                                       : found->numbers[static_cast<std::size_t>(code)]);
  return numbers;
}

std::string unit_of(const Column& column) {
  const auto found = embedded_in(column.levels);
  return found ? std::string(found->unit) : "";
}

std::vector<std::string> units_of_one_kind(const Column& column) {
  std::set<std::string> units;
  std::set<std::string_view> kinds;
  for (const auto& level : column.levels) {
    const auto each = number_in(level);
    if (!each) return {};
    units.emplace(each->unit);
    kinds.insert(without_prefix(each->unit));
  }
  const bool is_one_kind = kinds.size() == 1 && !kinds.begin()->empty();
  return is_one_kind ? std::vector(units.begin(), units.end()) : std::vector<std::string>();
}

Column in_unit(const Column& column, const std::string& unit) {
  Column text{.name = column.name};
  std::map<std::string, std::int32_t> codes;
  for (std::size_t row = 0; row < column.rows(); ++row) {
    const auto number = column.is_empty(row) ? std::nullopt : number_in(column.text(row));
    if (!number) {
      text.codes.push_back(-1);
      continue;
    }
    const auto cell_in_unit = fmt::format("{}{}", number->number, unit);
    const auto [found, is_new] = codes.emplace(cell_in_unit, static_cast<std::int32_t>(text.levels.size()));
    if (is_new) text.levels.push_back(found->first);
    text.codes.push_back(found->second);
  }
  return text;
}

std::optional<std::vector<double>> as_numbers(const Column& column) {
  if (!column.is_text()) return column.numbers;
  if (auto embedded = embedded_numbers(column)) return std::move(embedded->numbers);
  return std::nullopt;
}

}  // namespace neph::table
