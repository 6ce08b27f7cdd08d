// The page of a history: the latest change, a chart of each line, all changes and values.
#include <fmt/format.h>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "report/charts/chart.hpp"
#include "report/history_words.hpp"
#include "report/page/frame.hpp"
#include "report/page/notes.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

std::string html_of(const PlainTable& table) {
  TableText text{.caption = table.caption, .ends_in_words = true};
  for (const auto& heading : table.headings) text.headings.push_back(escape_html(heading));
  for (const auto& row : table.rows) {
    auto& fields = text.rows.emplace_back();
    for (const auto& field : row) fields.push_back(escape_html(field));
  }
  return table_html(text);
}

PlainTable points_table(const HistoryLine& line, const History& history) {
  PlainTable table{.caption = fmt::format("{} of {}", label_of(history.metric), name_of(line, history)),
                   .headings = {"created", "experiment", "value", "n", "neph", "engine"}};
  for (const auto& point : line.points)
    table.rows.push_back({point.created, std::to_string(point.experiment),
                          value_with_interval(history.metric, point.value), std::to_string(point.value.n),
                          point.version, point.engine});
  return table;
}

/// Folded, line by line.
std::string points_html(const History& history) {
  std::string out;
  for (const auto& line : history.lines)
    if (!line.points.empty())
      out += fmt::format("<details><summary>{}: {}</summary>\n{}</details>\n",
                         escape_html(name_of(line, history)), counted(std::ssize(line.points), "experiment"),
                         html_of(points_table(line, history)));
  return out;
}

}  // namespace

std::string html(const History& history) {
  Page page(fmt::format("{} over time", label_of(history.metric)),
            meta_html({history.store, counted(std::ssize(history.lines), "line")}),
            answer_html(sentences(history), {}));
  page.add_chart(history_chart.id, history_chart.title, history_chart.reading, history_chart.draw(history));
  page.add_section("changes", "Changes", html_of(changes_table(history)));
  page.add_section("notes", "What could not be said", notes_html(history.notes, {}));
  page.add_section("details", "All values", points_html(history));
  return page.html();
}

}  // namespace neph::report
