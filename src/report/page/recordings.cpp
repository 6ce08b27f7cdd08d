#include "report/page/recordings.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.hpp"
#include "record/telemetry.hpp"
#include "report/machines.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

std::string moment_text(const Recording& recording) {
  if (!recording.begin_s) return {};
  const auto text =
      fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(*recording.begin_s)));
  return ", from " + text + (recording.zone.empty() ? "" : " " + recording.zone);
}

/// "old.csv: Dstat 0.8.0 on vm, from 2026-11-25 11:36:49 UTC: 3,600 rows, one every 1 s, over 1 h."
std::string coverage(const Recording& recording) {
  auto out = recording.source.empty() ? std::string("Recorded") : recording.source + ":";
  out += recording.program.empty() ? "" : " " + recording.program;
  out += recording.host.empty() ? "" : " on " + recording.host;
  out += moment_text(recording);
  out += fmt::format(": {} row{}", format_grouped(recording.rows), recording.rows == 1 ? "" : "s");
  if (recording.rows > 1)
    out += fmt::format(", one every {}, over {}", format_seconds(recording.interval_s),
                       format_seconds(recording.length_s));
  if (!recording.is_interval_told) out += " (the rows have no times: 1 s from row to row is assumed)";
  if (recording.gaps > 0)
    out += fmt::format("; nothing was recorded in {} of it, in {}", format_seconds(recording.gaps_s),
                       counted(recording.gaps, "gap"));
  return out + ".";
}

const Series* series_of(const Recording& recording, const Metric& quantity) {
  for (const auto& series : recording.series)
    if (series.name == quantity.name && !series.values.empty()) return &series;
  return nullptr;
}

double mean_of(const Series& series) {
  return std::accumulate(series.values.begin(), series.values.end(), 0.0) /
         static_cast<double>(series.values.size());
}

/// What the machine did, in words; empty: the file has none of it.
std::string did(const Recording& recording) {
  std::vector<std::string> means;
  const auto* user = series_of(recording, telemetry::cpu_user);
  const auto* system = series_of(recording, telemetry::cpu_system);
  if (user && system)
    means.push_back(fmt::format("the processors computed {} of the time",
                                format_quantity(mean_of(*user) + mean_of(*system), unit::percent)));
  const auto* read = series_of(recording, telemetry::disk_read);
  const auto* written = series_of(recording, telemetry::disk_write);
  if (read && written)
    means.push_back(fmt::format("disks read {} and wrote {} a second", format_bytes(mean_of(*read)),
                                format_bytes(mean_of(*written))));
  std::string out;
  if (!means.empty()) out = fmt::format("On average {}.", fmt::join(means, ", and "));
  if (const auto* used = series_of(recording, telemetry::memory_occupied))
    out += fmt::format("{}At most {} of memory was used.", out.empty() ? "" : " ",
                       format_bytes(*std::max_element(used->values.begin(), used->values.end())));
  return out;
}

std::string table_of(const Recording& recording) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& series : recording.series) {
    if (series.values.empty()) continue;
    const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
    rows.push_back({fact_name(series.name), quantity(mean_of(series), series.unit),
                    quantity(*most, series.unit), quantity(*least, series.unit),
                    format_grouped(std::ssize(series.values))});
  }
  return table_html(recording.source.empty() ? "Recorded telemetry" : recording.source,
                    std::vector<std::string>{"Quantity", "Mean", "Maximum", "Minimum", "Rows"},
                    std::move(rows));
}

std::string words_of(const Recording& recording) {
  auto out = fmt::format("<p>{} {}</p>\n", escape_html(coverage(recording)), escape_html(did(recording)));
  if (!recording.command.empty())
    out += fmt::format("<pre><code>{}</code></pre>\n", escape_html(recording.command));
  std::string notes;
  for (const auto& note : recording.notes) notes += fmt::format("<li>{}</li>\n", escape_html(sentence(note)));
  return notes.empty() ? out : out + "<ul class=\"notices\">\n" + notes + "</ul>\n";
}

}  // namespace

void add_recordings(Page& page, const std::vector<Recording>& recordings) {
  page.add_chart(recordings_chart.id, recordings_chart.title, recordings_chart.reading,
                 recordings_chart.draw(recordings));
  std::string content;
  for (const auto& recording : recordings) content += words_of(recording) + table_of(recording);
  page.add_section("recorded", "The recordings, in figures", content);
}

std::string html(const std::vector<Recording>& recordings) {
  std::vector<std::string> sentences;
  for (const auto& recording : recordings) sentences.push_back(coverage(recording) + " " + did(recording));
  if (sentences.empty()) sentences.emplace_back("Nothing was recorded.");
  Page page("Recorded telemetry", meta_html({counted(std::ssize(recordings), "recording")}),
            answer_html(sentences, ""));
  add_recordings(page, recordings);
  return page.html();
}

}  // namespace neph::report
