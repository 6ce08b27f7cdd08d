// The machines, and what all configurations share.
#include <fmt/format.h>

#include "report/machines.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

std::string definitions(const Json& object) {
  std::string out;
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) continue;
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_html(fact_name(name)),
                       escape_html(fact_text(name, value)));
  }
  return out.empty() ? out : "<dl class=\"facts\">\n" + out + "</dl>\n";
}

std::string nested(const Json& fingerprint) {
  if (!fingerprint.is_object()) return {};
  auto out = definitions(fingerprint);
  for (const auto& [name, value] : fingerprint.items())
    if (value.is_object())
      out += fmt::format("<h3>{}</h3>\n{}", escape_html(in_words(name)), definitions(value));
  return out;
}

}  // namespace

std::string machine_html(const Document& document) {
  const auto& machines = document.machines;
  if (machines.size() == 1) return nested(machines.front().fingerprint);
  auto out = table_html("Where the runs were made", machine_headings, machine_rows(document));
  for (const auto& machine : machines)
    out += fmt::format("<details><summary>Machine #{}</summary>\n{}</details>\n", machine.id,
                       nested(machine.fingerprint));
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
