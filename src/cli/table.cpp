#include "cli/table.hpp"

#include <algorithm>
#include <numeric>

#include "core/text.hpp"
#include "core/units.hpp"
#include "core/values.hpp"

namespace neph::cli {
namespace {

constexpr std::size_t gap = 2;             ///< between columns
constexpr std::size_t least_wrapped = 12;  ///< no column is made narrower

/// The value as a person reads it, by the unit that its name ends in.
std::string field_text(const std::string& name, const Json& value) {
  const auto ends_in = [&](std::string_view ending) {
    return name.size() >= ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (value.is_number() && ends_in("bytes")) return format_bytes(value.get<double>());
  if (value.is_number() && ends_in("_hz")) return format_count(value.get<double>()) + "Hz";
  if (value.is_number() && ends_in("_s") && !ends_in("per_s")) return format_seconds(value.get<double>());
  if (value.is_number_float()) return format_number(value.get<double>(), 4);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value_as_text(value);
}

std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

bool says_nothing(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.is_null() || (value.is_structured() && value.empty());
}

/// An object or list on one line: "name L1d, size 48.0 KiB". `unit`: of its numbers, but for counts.
std::string one_line(const std::string& name, const Json& value, const std::string& unit = {}) {
  const bool in_bytes = unit.rfind("bytes", 0) == 0 && name != "n";
  if (!value.is_structured()) return field_text(in_bytes ? "bytes" : name, value);
  const auto own_unit = value.is_object() ? value.value("unit", unit) : unit;
  std::string line;
  for (const auto& [key, element] : value.items()) {
    if (says_nothing(element)) continue;
    line += line.empty() ? "" : ", ";
    line += value.is_array() ? one_line(name, element, unit)
                             : in_words(key) + " " + one_line(key, element, own_unit);
  }
  return line;
}

/// Where a line of at most `width` columns ends: behind the last space in it, else behind an operator of a
/// term, else where it is full.
std::size_t end_of_line(std::string_view text, std::size_t width) {
  std::size_t end = 0, space = 0, sign = 0;
  while (end < text.size()) {
    auto next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    if (display_width(text.substr(0, next)) > width) break;
    if (text[end] == ' ') space = next;
    if (std::string_view("*/+-^,").find(text[end]) != std::string_view::npos) sign = next;
    end = next;
  }
  if (end == text.size() || text[end] == ' ') return end;
  if (space > 0) return space;
  return sign > 0 ? sign : std::max<std::size_t>(end, 1);
}

/// Lines of at most `width` columns.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    const auto end = end_of_line(text, width);
    lines.emplace_back(trimmed(text.substr(0, end)));
    text = trimmed(text.substr(end));
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace

bool Table::is_numeric(std::size_t column) const {
  return std::all_of(rows_.begin() + 1, rows_.end(), [column](const auto& row) {
    return !row[column].empty() &&
           (std::isdigit(static_cast<unsigned char>(row[column][0])) || row[column] == "-");
  });
}

Table::Widths Table::widths() const {
  Widths widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  return widths;
}

std::string Table::text() const { return text(widths()); }

std::string Table::text_within(std::size_t width) const {
  auto all = widths();
  for (auto& each : all) each += gap;
  while (std::accumulate(all.begin(), all.end(), std::size_t{0}) > width + gap) {
    const auto widest = std::max_element(all.begin(), all.end());
    if (*widest <= least_wrapped + gap) break;
    --*widest;
  }
  for (auto& each : all) each -= gap;
  return text(all);
}

std::string Table::text(const Widths& widths) const {
  std::string out;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(wrapped(row[i], widths[i]));
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t number = 0; number < lines; ++number) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto& cell = number < cells[i].size() ? cells[i][number] : std::string();
        const std::string space(widths[i] - display_width(cell), ' ');
        line += is_numeric(i) ? space + cell : cell + space;
        line += std::string(gap, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string outline(const Json& object, std::size_t indent) {
  std::string out;
  const std::string space(indent, ' ');
  for (const auto& [key, value] : object.items()) {
    if (says_nothing(value)) continue;
    const bool list_of_objects = value.is_array() && value[0].is_object();
    if (value.is_object()) {
      out += fmt::format("{}{}\n{}", space, in_words(key), outline(value, indent + 2));
    } else if (list_of_objects) {
      out += fmt::format("{}{}\n", space, in_words(key));
      for (const auto& element : value) out += fmt::format("{}  {}\n", space, one_line(key, element));
    } else {
      out += fmt::format("{}{}: {}\n", space, in_words(key), one_line(key, value));
    }
  }
  return out;
}

}  // namespace neph::cli
