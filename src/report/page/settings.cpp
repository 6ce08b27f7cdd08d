// Warnings, and everything known about each setting.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/load_readings.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

struct Notice {
  std::string kind;  ///< class of the list item
  std::string code, message, advice;
  std::vector<std::string> concerned;
};

std::vector<Notice> notices_of(const std::vector<CellSummary>& cells) {
  std::vector<Notice> notices;
  const auto add = [&](Notice notice, const CellSummary& cell) {
    auto found = std::find_if(notices.begin(), notices.end(), [&](const auto& n) {
      return n.code == notice.code && n.message == notice.message && n.advice == notice.advice;
    });
    if (found == notices.end()) found = notices.insert(notices.end(), std::move(notice));
    found->concerned.push_back(cell.cell.label);
  };
  for (const auto& cell : cells)
    for (const auto& reason : cell.failures) add({"invalid", "failed", reason, "", {}}, cell);
  for (const auto& [weight, kind] : {std::pair(Weight::voids, "invalid"),
                                     std::pair(Weight::doubt, "doubtful"), std::pair(Weight::hint, "hint")})
    for (const auto& cell : cells)
      for (const auto& warning : cell.warnings)
        if (warning.weight == weight) add({kind, warning.code, warning.message, warning.advice, {}}, cell);
  return notices;
}

std::string concerned_text(const std::vector<std::string>& labels, std::size_t all) {
  if (labels.size() == all && all > 1) return "all settings";
  std::string text;
  for (const auto& label : labels) text += (text.empty() ? "" : "; ") + label;
  return text;
}

std::string estimates_table(const std::string& caption, const std::map<std::string, Estimate>& estimates,
                            const std::vector<std::string>& names) {
  TableText table{.caption = caption, .headings = {"", "Mean", "95 % from", "to", "n"}};
  for (const auto& name : names) {
    const auto* estimate = find_estimate(estimates, name);
    if (!estimate) continue;
    table.rows.push_back({escape_html(in_words(name)), quantity(estimate->value, ""),
                          quantity(estimate->low, ""), quantity(estimate->high, ""),
                          std::to_string(estimate->n)});
  }
  return table_html(table);
}

std::vector<std::string> names_of(const std::map<std::string, Estimate>& estimates) {
  std::vector<std::string> names;
  for (const auto& [name, estimate] : estimates) names.push_back(name);
  return names;
}

std::string telemetry_table(const CellSummary& cell) {
  TableText table{.caption = "Telemetry during the measurement",
                  .headings = {"Quantity", "Mean", "Maximum", "Minimum", "Unit"}};
  std::string missing;
  for (const auto& series : cell.telemetry) {
    const auto name = escape_html(series.target + ": " + in_words(series.name));
    if (!series.unavailable.empty() || !series.mean) {
      missing += fmt::format("<li>{}: {}</li>", name, escape_html(series.unavailable));
      continue;
    }
    table.rows.push_back({name, quantity(series.mean, series.unit), quantity(series.max, series.unit),
                          quantity(series.min, series.unit), escape_html(unit_in_words(series.unit))});
  }
  auto out = table_html(table);
  if (!missing.empty()) out += fmt::format("<p>Not available:</p><ul class=\"missing\">{}</ul>\n", missing);
  return out;
}

std::string facts_list(const CellSummary& cell) {
  std::string out;
  for (const auto& [name, value] : cell.facts)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape_html(in_words(name)), escape_html(value));
  if (!cell.answers_checksum.empty())
    out += fmt::format("<dt>top-1 answers</dt><dd><code>{}</code></dd>", escape_html(cell.answers_checksum));
  return out.empty() ? out : "<dl class=\"facts\">" + out + "</dl>\n";
}

std::string detail(const CellSummary& cell, bool open, bool load) {
  const auto speed = load ? answered_per_s(cell) : images_per_s(cell);
  auto out = fmt::format("<details{}><summary><span>{}</span> <span>{}{} {}</span></summary>\n",
                         open ? " open" : "", escape_html(cell.cell.label), estimate_text(speed),
                         !std::isfinite(speed.value) ? ""
                         : load                      ? " requests/s"
                                                     : " images/s",
                         verdict_badge(cell));
  out += facts_list(cell);
  out += estimates_table("Figures over the repeats", cell.figures, names_of(cell.figures));
  out += estimates_table(load ? "Response time, ms" : "Time per batch, ms", cell.latency_ms,
                         quantile_names({cell}));
  out += estimates_table("Phases, s", cell.phases_s, phase_names({cell}));
  out += estimates_table(load ? "Time per request, ms" : "Thread time per picture, ms", cell.stages_ms,
                         stage_names({cell}));
  out += telemetry_table(cell);
  if (!cell.repro.empty())
    out += fmt::format("<p>Repeat this setting:</p><pre><code>{}</code></pre>\n", escape_html(cell.repro));
  return out + "</details>\n";
}

}  // namespace

std::string warnings_html(const Document& document) {
  std::string out;
  for (const auto& notice : notices_of(document.cells)) {
    out += fmt::format("<li class=\"{}\"><strong>{}</strong> {}", notice.kind,
                       escape_html(in_words(notice.code)), escape_html(sentence(notice.message)));
    if (!notice.advice.empty()) out += fmt::format(" <em>{}</em>", escape_html(notice.advice));
    out += fmt::format("<span class=\"concerned\">{}</span></li>\n",
                       escape_html(concerned_text(notice.concerned, document.cells.size())));
  }
  if (!out.empty()) return "<ul class=\"notices\">\n" + out + "</ul>\n";
  return document.cells.empty() ? "" : "<p>None: every setting is valid, and no run failed.</p>\n";
}

std::string setting_details(const Document& document) {
  std::string out;
  for (const auto& cell : document.cells) out += detail(cell, document.cells.size() == 1, is_load(document));
  return out;
}

}  // namespace neph::report
