// The machine, and what all settings share.
#include <fmt/format.h>

#include "core/units.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

/// A leaf of the fingerprint in words; the unit is the ending of its name.
std::string leaf_text(const std::string& name, const Json& value) {
  if (value.is_null()) return "not known";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number() && name.ends_with("_bytes")) return format_bytes(value.get<double>());
  if (value.is_number() && name == "bytes") return format_bytes(value.get<double>());
  if (value.is_number() && name.ends_with("_hz")) return quantity(value.get<double>(), "hertz");
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

std::string name_without_unit(std::string name) {
  for (const std::string_view unit : {"_bytes", "_hz"})
    if (name.ends_with(unit)) name.resize(name.size() - unit.size());
  return in_words(name);
}

std::string definitions(const Json& object) {
  std::string out;
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) continue;
    const auto text = value.is_array() ? list_text(name, value) : leaf_text(name, value);
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_html(name_without_unit(name)), escape_html(text));
  }
  return out.empty() ? out : "<dl class=\"facts\">\n" + out + "</dl>\n";
}

}  // namespace

std::string machine_html(const Document& document) {
  const auto& machine = document.experiment.machine;
  if (!machine.is_object() || machine.empty()) return {};
  auto out = definitions(machine);
  for (const auto& [name, value] : machine.items())
    if (value.is_object())
      out += fmt::format("<h3>{}</h3>\n{}", escape_html(in_words(name)), definitions(value));
  return out;
}

std::string assumptions_html(const Document& document) {
  const auto& spec = document.experiment.spec;
  std::string out;
  if (spec.is_object() && !spec.empty())
    out += "<p>Given on the command line or in the file, or the default:</p>\n" + definitions(spec);
  std::map<std::string, std::string> common;
  if (!document.cells.empty()) common = document.cells[0].facts;
  for (const auto& cell : document.cells)
    std::erase_if(common, [&](const auto& fact) {
      const auto found = cell.facts.find(fact.first);
      return found == cell.facts.end() || found->second != fact.second;
    });
  if (common.empty()) return out;
  out += "<p>What the engine reported in every run:</p>\n<dl class=\"facts\">\n";
  for (const auto& [name, value] : common)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_html(in_words(name)), escape_html(value));
  return out + "</dl>\n";
}

}  // namespace neph::report
