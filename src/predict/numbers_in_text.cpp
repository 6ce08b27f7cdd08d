#include "predict/numbers_in_text.hpp"

#include <charconv>
#include <limits>
#include <map>
#include <string_view>

namespace neph::predict {
namespace {

struct Embedded {
  std::vector<double> numbers;  ///< of each level
  std::string_view unit;
};

std::optional<Embedded> embedded_in(const std::vector<std::string>& levels) {
  Embedded found;
  for (const std::string_view level : levels) {
    double value = 0;
    const auto [end, error] = std::from_chars(level.data(), level.data() + level.size(), value);
    const auto rest = level.substr(static_cast<std::size_t>(end - level.data()));
    if (error != std::errc() || rest.find_first_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    if (!found.numbers.empty() && rest != found.unit) return std::nullopt;
    found.unit = rest;
    found.numbers.push_back(value);
  }
  return found;
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
