// Warnings, and everything known about each configuration.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/notices.hpp"
#include "report/page/sections.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

/// Class of the list item.
std::string_view kind_of(const Notice& notice) {
  if (!notice.weight || notice.weight == Weight::voids) return "invalid";
  return notice.weight == Weight::doubt ? "doubtful" : "hint";
}

std::string estimates_table(const std::string& caption, const std::map<std::string, Estimate>& estimates,
                            const std::vector<std::string>& names) {
  TableText table{.caption = caption, .headings = {"", "Mean", "95 % from", "to", "n"}};
  for (const auto& name : names) {
    const auto* estimate = find_estimate(estimates, name);
    if (!estimate) continue;
    const auto why_not = why_not_shown(name, *estimate);
    table.rows.push_back(
        {escape_html(label_of(name)), why_not.empty() ? quantity(estimate->value, "") : why_not,
         quantity(estimate->low, ""), quantity(estimate->high, ""), std::to_string(estimate->n)});
  }
  return table_html(table);
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
    const bool has_unit = quantity(1, series.unit) != quantity(1, "");  // beside each number
    table.rows.push_back({name, quantity(series.mean, series.unit), quantity(series.max, series.unit),
                          quantity(series.min, series.unit),
                          has_unit ? "" : escape_html(unit_in_words(series.unit))});
  }
  auto out = table_html(table);
  if (!missing.empty()) out += fmt::format("<p>Not available:</p><ul class=\"missing\">{}</ul>\n", missing);
  return out;
}

std::string facts_list(const CellSummary& cell) {
  std::string out;
  for (const auto& [name, value] : cell.facts)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape_html(in_words(name)), escape_html(value));
  if (!cell.outputs_checksum.empty())
    out += fmt::format("<dt>top-1 answers</dt><dd><code>{}</code></dd>", escape_html(cell.outputs_checksum));
  return out.empty() ? out : "<dl class=\"facts\">" + out + "</dl>\n";
}

std::string detail(const Document& document, const CellSummary& cell) {
  const auto& view = view_of(document);
  const auto speed = speed_of(document, cell);
  auto out =
      fmt::format("<details{}><summary><span>{}</span> <span>{} {} {}</span></summary>\n",
                  document.cells.size() == 1 ? " open" : "", escape_html(cell.cell.label),
                  estimate_text(speed), std::isfinite(speed.value) ? view.rate : "", verdict_badge(cell));
  out += facts_list(cell);
  std::vector<std::string> names;
  for (const auto& [name, estimate] : cell.figures) names.push_back(name);
  out += estimates_table("Figures over the repeats", cell.figures, names);
  out += estimates_table(worded("Latency ({latency}), ms", view), cell.latency_ms, quantile_names({cell}));
  out += estimates_table("Phases, s", cell.phases_s, phase_names({cell}));
  out += estimates_table(worded("Stages ({stage_time}), ms", view), cell.stages_ms, stage_names({cell}));
  out += telemetry_table(cell);
  if (!cell.repro.empty())
    out +=
        fmt::format("<p>Repeat this configuration:</p><pre><code>{}</code></pre>\n", escape_html(cell.repro));
  return out + "</details>\n";
}

}  // namespace

std::string warnings_html(const Document& document) {
  std::string out;
  for (const auto& notice : notices(document.cells)) {
    out += fmt::format("<li class=\"{}\"><strong>{}</strong>", kind_of(notice),
                       escape_html(in_words(notice.code)));
    const auto advice = notice.advice.empty() ? "" : fmt::format(" <em>{}</em>", escape_html(notice.advice));
    for (const auto& seen : notice.seen)
      out += fmt::format(" {}{}<span class=\"concerned\">{}</span>", escape_html(sentence(seen.message)),
                         &seen == &notice.seen.front() ? advice : "",
                         escape_html(names_of(seen, document.cells.size())));
    out += "</li>\n";
  }
  if (!out.empty()) return "<ul class=\"notices\">\n" + out + "</ul>\n";
  return document.cells.empty() ? "" : "<p>None: every configuration is valid, and no run failed.</p>\n";
}

std::string configuration_details(const Document& document) {
  std::string out;
  for (const auto& cell : document.cells) out += detail(document, cell);
  return out;
}

}  // namespace neph::report
