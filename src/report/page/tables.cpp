#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/columns.hpp"
#include "report/load_readings.hpp"
#include "report/page/sections.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

std::string speed_table(const Document& document) {
  TableText table{.caption = worded("Speed and {latency}, with 95 % CI", view_of(document)),
                  .headings = {"configuration"}};
  const auto columns = columns_of(document);
  for (const auto& column : columns) table.headings.push_back(escape_html(column.heading));
  table.headings.emplace_back("verdict");
  for (const auto* cell : by_speed(document)) {
    std::vector<std::string> row{escape_html(cell->cell.label)};
    for (const auto& column : columns) row.push_back(escape_html(column.field(*cell)));
    row.push_back(verdict_badge(*cell));
    table.rows.push_back(std::move(row));
  }
  return table_html(table);
}

std::string estimates_table(const Document& document, std::string caption,
                            const std::vector<std::string>& names,
                            std::map<std::string, Estimate> CellSummary::*estimates) {
  if (names.empty()) return {};
  TableText table{.caption = std::move(caption), .headings = {"configuration"}};
  for (const auto& name : names) table.headings.push_back(escape_html(in_words(name)));
  for (const auto* cell : by_speed(document)) {
    std::vector<std::string> row{escape_html(cell->cell.label)};
    for (const auto& name : names) row.push_back(shown_text(cell->*estimates, name));
    table.rows.push_back(std::move(row));
  }
  return table_html(table);
}

struct Shown {
  std::string_view target;
  Metric quantity;
  std::string heading;
};

const SeriesSummary* find_shown(const CellSummary& cell, const Shown& shown) {
  return find_telemetry(cell, shown.target == target::engine ? engine_target(cell) : shown.target,
                        shown.quantity);
}

/// The quantities of the table in the page; the folded details of each configuration show all.
std::vector<Shown> shown_telemetry(const std::vector<CellSummary>& cells) {
  std::vector<Shown> wanted{
      {target::process, telemetry::cpu, "CPU of the process"},
      {target::engine, telemetry::cpu, "CPU of engine threads"},
      {target::loader, telemetry::cpu, "CPU of loader threads"},
      {target::process, telemetry::cpu_user, "CPU user"},
      {target::process, telemetry::cpu_system, "CPU system"},
      {target::machine, telemetry::cpu_iowait, "Waiting for disk"},
      {target::machine, telemetry::cpu_steal, "Steal"},
      {target::process, telemetry::memory_resident, "Memory"},
      {target::process, telemetry::memory_peak, "Memory peak"},
      {target::client, telemetry::cpu, "CPU of the client"},
      {target::server, telemetry::cpu, "CPU of the server"},
      {target::client, telemetry::memory_peak, "Memory peak of the client"},
      {target::server, telemetry::memory_peak, "Memory peak of the server"},
      {target::server_container, telemetry::memory_peak,
       "Memory peak of the container that the server runs in"},
      {target::host_container, telemetry::cpu, "CPU of the container, from the host"},
      {target::host_container, telemetry::memory_peak, "Memory peak of the container, from the host"}};
  for (std::size_t gpu = 0; gpu < target::gpus.size(); ++gpu)
    for (const auto& quantity : {telemetry::utilisation, telemetry::memory_used, telemetry::power})
      wanted.push_back({target::gpus[gpu], quantity, fmt::format("GPU {} {}", gpu, in_words(quantity.name))});
  std::erase_if(wanted, [&](const Shown& shown) {
    return std::none_of(cells.begin(), cells.end(), [&](const auto& cell) {
      const auto* series = find_shown(cell, shown);
      return series && series->mean;
    });
  });
  return wanted;
}

std::string telemetry_table(const Document& document) {
  const auto shown = shown_telemetry(document.cells);
  if (shown.empty()) return {};
  TableText table{.caption = "CPU (cores), memory and GPU during the measurement",
                  .headings = {"configuration"}};
  for (const auto& quantity_shown : shown) {
    table.groups.emplace_back(quantity_shown.heading, 3);
    table.headings.insert(table.headings.end(), {"mean", "max", "min"});
  }
  for (const auto* cell : by_speed(document)) {
    std::vector<std::string> row{escape_html(cell->cell.label)};
    for (const auto& quantity_shown : shown) {
      const auto* series = find_shown(*cell, quantity_shown);
      const bool only_rises =
          quantity_shown.quantity.name == telemetry::memory_peak.name;  // no mean was held
      for (const auto member : {&SeriesSummary::mean, &SeriesSummary::max, &SeriesSummary::min})
        row.push_back(series && (!only_rises || member == &SeriesSummary::max)
                          ? quantity(series->*member, series->unit)
                          : "–");
    }
    table.rows.push_back(std::move(row));
  }
  return table_html(table);
}

}  // namespace

std::string section(std::string_view id, std::string_view title, const std::string& content) {
  if (content.empty()) return {};
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
      id, escape_html(title), content);
}

std::string table_html(const TableText& table) {
  if (table.rows.empty()) return {};
  auto out = fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{0}\" "
      "tabindex=\"0\"><table{1}>\n<caption>{0}</caption>\n<thead>",
      escape_html(table.caption),
      table.is_numbered     ? " class=\"numbered\""
      : table.ends_in_words ? " class=\"worded\""
                            : "");
  if (!table.groups.empty()) {
    out += fmt::format("<tr><th rowspan=\"2\" scope=\"col\">{}</th>", table.headings[0]);
    for (const auto& [heading, columns] : table.groups)
      out += fmt::format("<th colspan=\"{}\" scope=\"colgroup\">{}</th>", columns, escape_html(heading));
    out += "</tr>";
  }
  out += "<tr>";
  for (std::size_t i = table.groups.empty() ? 0 : 1; i < table.headings.size(); ++i)
    out += fmt::format("<th scope=\"col\">{}</th>", table.headings[i]);
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", row[0]);
    for (std::size_t i = 1; i < row.size(); ++i) out += fmt::format("<td>{}</td>", row[i]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string probes_html(const Document& document) {
  return table_html("Each rate that the search tried, in that order", probe_headings,
                    probe_rows(document.cells));
}

std::string verdict_badge(const CellSummary& cell) {
  if (cell.runs_ok == 0) return "<span class=\"verdict invalid\">✕ no result</span>";
  const auto name = enum_name(cell.verdict);
  const auto sign = cell.verdict == Verdict::valid ? "✓" : cell.verdict == Verdict::doubtful ? "!" : "✕";
  return fmt::format("<span class=\"verdict {0}\">{1} {0}</span>", name, sign);
}

std::string figures_tables(const Document& document) {
  const auto& cells = document.cells;
  return speed_table(document) +
         estimates_table(document, "Phases of a run, seconds", phase_names(cells), &CellSummary::phases_s) +
         estimates_table(document, worded("Stages ({stage_time}), milliseconds", view_of(document)),
                         stage_names(cells), &CellSummary::stages_ms) +
         telemetry_table(document);
}

}  // namespace neph::report
