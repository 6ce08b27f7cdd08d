#include "report/facts.hpp"

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

/// A leaf of the fingerprint in words; the unit is the ending of its name.
std::string leaf_text(const std::string& name, const Json& value) {
  if (value.is_null()) return "not known";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (const auto unit = unit_of_name(name); value.is_number() && !unit.empty())
    return format_quantity(value.get<double>(), unit);
  if (value.is_string()) return value.get<std::string>().empty() ? "–" : value.get<std::string>();
  return dump_json(value);
}

/// A list in one line: its texts, or its objects as "name: value" pairs.
std::string list_text(const std::string& name, const Json& list) {
  std::string out;
  for (const auto& entry : list) {
    std::string text;
    if (entry.is_object()) {
      for (const auto& [key, value] : entry.items())
        if (!value.is_null())
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", in_words(key), leaf_text(key, value));
    } else {
      text = leaf_text(name, entry);
    }
    out += (out.empty() ? "" : entry.is_object() ? "; " : ", ") + text;
  }
  return out.empty() ? "none" : out;
}

}  // namespace

std::string fact_name(std::string name) {
  for (const std::string_view unit : {"_bytes", "_hz"})
    if (name.ends_with(unit)) name.resize(name.size() - unit.size());
  return in_words(name);
}

std::string fact_text(const std::string& name, const Json& value) {
  return value.is_array() ? list_text(name, value) : leaf_text(name, value);
}

}  // namespace neph::report
