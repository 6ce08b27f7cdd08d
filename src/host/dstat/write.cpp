#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "host/dstat/columns.hpp"
#include "host/dstat/dstat.hpp"
#include "host/dstat/times.hpp"

namespace neph::host {
namespace {

/// Programs tell the format by these two lines.
constexpr std::string_view first_lines =
    "\"Dstat 0.8.0 CSV output\"\n"
    "\"Author:\",\"Dag Wieers <dag@wieers.com>\",,,,\"URL:\",\"http://dag.wieers.com/home-made/dstat/\"\n";

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

std::string number(double value) {
  if (!std::isfinite(value)) return {};
  if (value == std::round(value)) return fmt::format("{:.0f}", value + 0.0);  // -0 is 0
  return fmt::format("{:.3f}", value);
}

std::string headings() {
  std::string groups = "\"system\"", columns = "\"time\"";
  for (const auto& column : written_columns()) {
    groups += ',' + (column.group.empty() ? "" : in_quotes(column.group));
    columns += ',' + in_quotes(column.column);
  }
  return groups + '\n' + columns + '\n';
}

using Row = std::vector<std::string>;

/// By second of the recording. Rows between two seconds are at the one that they are nearer to.
std::map<std::int64_t, Row> rows_of(const Recording& recording) {
  std::map<std::int64_t, Row> rows;
  const auto& columns = written_columns();
  for (const auto& series : recording.series)
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (series.target != target::machine || series.name != columns[column].quantity.name) continue;
      for (std::size_t i = 0; i < series.values.size(); ++i) {
        auto& row = rows[std::llround(series.at_s[i])];
        row.resize(columns.size());
        row[column] = number(series.values[i]);
      }
    }
  return rows;
}

std::string body_of(const Recording& recording) {
  const auto begin = recording.begin_s.value_or(0);
  auto out =
      fmt::format("\"Host:\",{},,,,\"User:\",\"\"\n\"Cmdline:\",{},,,,\"Date:\",{}\n",
                  in_quotes(recording.host), in_quotes(recording.command), in_quotes(heading_text(begin)));
  out += headings();
  for (const auto& [second, row] : rows_of(recording)) {
    out += row_time(begin + second);
    for (const auto& cell : row) out += ',' + cell;
    out += '\n';
  }
  return out;
}

}  // namespace

std::string write_dstat(const std::vector<Recording>& recordings) {
  std::string out(first_lines);
  if (recordings.empty()) return out + body_of({});
  for (std::size_t i = 0; i < recordings.size(); ++i) out += (i > 0 ? "\n\n" : "") + body_of(recordings[i]);
  return out;
}

}  // namespace neph::host
