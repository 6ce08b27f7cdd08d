#include "cli/table.hpp"

#include <algorithm>

#include "core/units.hpp"
#include "core/values.hpp"

namespace neph::cli {
namespace {

/// Characters of UTF-8 text.
std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The value as a person reads it, by the unit that its name ends in.
std::string field_text(const std::string& name, const Json& value) {
  const auto ends_in = [&](std::string_view ending) {
    return name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (value.is_number() && ends_in("_bytes")) return format_bytes(value.get<double>());
  if (value.is_number() && ends_in("_hz")) return format_count(value.get<double>()) + "Hz";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value_as_text(value);
}

}  // namespace

bool Table::is_numeric(std::size_t column) const {
  return std::all_of(rows_.begin() + 1, rows_.end(), [column](const auto& row) {
    return !row[column].empty() && (std::isdigit(static_cast<unsigned char>(row[column][0])) || row[column] == "-");
  });
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], length(row[i]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - length(row[i]), ' ');
      line += is_numeric(i) ? space + row[i] : row[i] + space;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string outline(const Json& object, std::size_t indent) {
  std::string out;
  const std::string space(indent, ' ');
  for (const auto& [key, value] : object.items()) {
    auto name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (value.is_null() || ((value.is_string() || value.is_structured()) && value.empty())) continue;
    if (value.is_object()) {
      out += fmt::format("{}{}\n{}", space, name, outline(value, indent + 2));
    } else if (value.is_array() && value[0].is_object()) {
      for (const auto& element : value) out += fmt::format("{}{}\n{}", space, name, outline(element, indent + 2));
    } else if (value.is_array()) {
      std::string list;
      for (const auto& element : value) list += (list.empty() ? "" : ", ") + value_as_text(element);
      out += fmt::format("{}{}: {}\n", space, name, list);
    } else {
      out += fmt::format("{}{}: {}\n", space, name, field_text(key, value));
    }
  }
  return out;
}

}  // namespace neph::cli
