#include "table/malformed_numbers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "table/cells.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::table {
namespace {

constexpr std::size_t numbers_for_a_text =
    2;  ///< that there are at least, to ask whether it stands for nothing
constexpr std::size_t most_texts = 3;

bool is_number(const std::string& text) { return number_of_cell(text).has_value(); }

/// "0.5" of "0,5", "1484 or 1.484" of "1,484", "1234567" of "1,234,567"; nothing: it has no comma, or is no
/// number.
std::optional<std::string> with_point(const std::string& text) {
  std::string point = text, plain = text;
  if (std::erase(plain, ',') == 0) return std::nullopt;
  point[text.find(',')] = '.';
  if (!is_number(point)) return has_groups(text) ? std::optional(plain) : std::nullopt;
  return has_groups(text) ? plain + " or " + point : point;
}

std::vector<std::string> no_numbers_of(const std::vector<std::string>& levels) {
  std::vector<std::string> texts;
  std::ranges::copy_if(levels, std::back_inserter(texts), [](const auto& each) { return !is_number(each); });
  return texts;
}

Malformed taken_for_text(const char* code, const Column& column, const std::string& has,
                         const std::string& otherwise) {
  return {code, fmt::format("'{}' has {} and is taken for text: {} it would be a number", column.name, has,
                            otherwise)};
}

}  // namespace

std::optional<Malformed> nearly_numbers(const Column& text) {
  if (const auto units = units_of_one_kind(text); units.size() > 1)
    return taken_for_text("mixed_units", text,
                          fmt::format("numbers in several units ({})", fmt::join(units, ", ")),
                          "in one unit");
  const auto texts = no_numbers_of(text.levels);
  if (texts.empty()) return std::nullopt;
  if (std::ranges::all_of(texts, [](const auto& each) { return with_point(each).has_value(); }))
    return taken_for_text("decimal_comma", text, fmt::format("numbers with a comma, as '{}',", texts.front()),
                          fmt::format("written {}", *with_point(texts.front())));
  const auto numbers = text.levels.size() - texts.size();
  if (texts.size() > most_texts || numbers < numbers_for_a_text * texts.size()) return std::nullopt;
  return taken_for_text("text_among_numbers", text,
                        fmt::format("numbers but for '{}'", fmt::join(texts, "', '")),
                        "with empty cells instead");
}

std::string why_no_number(const Column& text) {
  std::size_t row = 0;
  while (row + 1 < text.rows() && (text.is_empty(row) || is_number(text.text(row)))) ++row;
  const auto cell = text.text(row);
  const auto number = number_in(cell);
  const auto said = [&](const std::string& advice) {
    return fmt::format("is no number in row {} ('{}'): {}", row + 1, cell, advice);
  };
  if (const auto point = with_point(cell)) return said(fmt::format("write {}", *point));
  if (number) return said(fmt::format("write {}, and the unit into the heading", number->number));
  if (std::ranges::any_of(text.levels, is_number)) return said("leave the row out if nothing was measured");
  return said("a column of numbers is needed");
}

}  // namespace neph::table
