#include "predict/numbers_in_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <string_view>

namespace neph::predict {
namespace {

struct Embedded {
  std::vector<double> numbers;  ///< of each level
  std::string_view unit;
};

struct NumberAndRest {
  double number = 0;
  std::string_view rest;  ///< without digits
};

std::optional<NumberAndRest> parted(std::string_view level) {
  NumberAndRest parts;
  const auto [end, error] = std::from_chars(level.data(), level.data() + level.size(), parts.number);
  parts.rest = level.substr(static_cast<std::size_t>(end - level.data()));
  if (error != std::errc() || parts.rest.find_first_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return parts;
}

std::optional<Embedded> embedded_in(const std::vector<std::string>& levels) {
  Embedded found;
  for (const auto& level : levels) {
    const auto parts = parted(level);
    if (!parts || (!found.numbers.empty() && parts->rest != found.unit)) return std::nullopt;
    found.unit = parts->rest;
    found.numbers.push_back(parts->number);
  }
  return found;
}

/// "B" of "GB", "s" of "ms", nothing of "K".
std::string_view without_prefix(std::string_view unit) {
  const bool has_prefix =
      !unit.empty() && std::string_view("kKMGTPmun").find(unit[0]) != std::string_view::npos;
  return unit.substr(has_prefix ? 1 : 0);
}

}  // namespace

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
    const auto parts = parted(level);
    if (!parts) return {};
    const auto unit = parts->rest.substr(std::min(parts->rest.find_first_not_of(' '), parts->rest.size()));
    units.emplace(unit);
    kinds.insert(without_prefix(unit));
  }
  return kinds.size() == 1 ? std::vector(units.begin(), units.end()) : std::vector<std::string>();
}

Column in_unit(const Column& numbers, const std::string& unit) {
  Column text{.name = numbers.name};
  std::map<std::string, std::int32_t> codes;
  for (std::size_t row = 0; row < numbers.rows(); ++row) {
    if (numbers.is_empty(row)) {
      text.codes.push_back(-1);
      continue;
    }
    const auto [found, is_new] =
        codes.emplace(numbers.text(row) + unit, static_cast<std::int32_t>(text.levels.size()));
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

}  // namespace neph::predict
