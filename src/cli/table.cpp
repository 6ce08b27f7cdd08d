#include "cli/table.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "core/units.hpp"
#include "core/values.hpp"

namespace neph::cli {
namespace {

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

}  // namespace

bool Table::is_numeric(std::size_t column) const {
  return std::all_of(rows_.begin() + 1, rows_.end(), [column](const auto& row) {
    return !row[column].empty() &&
           (std::isdigit(static_cast<unsigned char>(row[column][0])) || row[column] == "-");
  });
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - display_width(row[i]), ' ');
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
