#include "cli/outline.hpp"

#include <algorithm>

#include "core/json.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "record/metrics.hpp"

namespace neph::cli {
namespace {

/// The value as a person reads it, by the unit that its name ends in.
std::string field_text(const std::string& name, const Json& value) {
  if (const auto unit = unit_of_name(name); value.is_number() && !unit.empty())
    return format_quantity(value.get<double>(), unit);
  if (value.is_number_float()) return format_number(value.get<double>(), 4);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value_as_text(value);
}

bool says_nothing(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.is_null() || (value.is_structured() && value.empty());
}

/// An object or list on one line: "name L1d, size 48.0 KiB". `unit`: of its numbers, but for counts.
std::string one_line(const std::string& name, const Json& value, const std::string& unit = {}) {
  const bool in_bytes = unit.rfind("bytes", 0) == 0 && name != "n";
  if (!value.is_structured()) return field_text(in_bytes ? "bytes" : name, value);
  const auto own = value.is_object() ? value.value("unit", Json(unit)) : Json(unit);
  const auto own_unit = own.is_string() ? own.get<std::string>() : unit;
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

std::string outline(const Json& object, std::size_t indent) {
  std::string out;
  const std::string space(indent, ' ');
  for (const auto& [key, value] : object.items()) {
    if (says_nothing(value)) continue;
    const bool list_of_objects = value.is_array() && value[0].is_object();
    if (value.is_object()) {
      out += fmt::format("{}{}\n{}", space, printable(in_words(key)), outline(value, indent + 2));
    } else if (list_of_objects) {
      out += fmt::format("{}{}\n", space, printable(in_words(key)));
      for (const auto& element : value)
        out += fmt::format("{}  {}\n", space, printable(one_line(key, element)));
    } else {
      out += space + printable(fmt::format("{}: {}", in_words(key), one_line(key, value))) + "\n";
    }
  }
  return out;
}

}  // namespace neph::cli
