#include "report/history_words.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "report/comparison_words.hpp"

namespace neph::report {
namespace {

double geometric_mean(const HistoryLine& line, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (auto i = begin; i < end; ++i) sum += std::log(line.points[i].value.value);
  return std::exp(sum / static_cast<double>(end - begin));
}

/// The change with which a segment begins.
const ChangePoint& change_of(const Segment& segment, const HistoryLine& line) {
  return *std::ranges::find(line.changes, static_cast<std::int64_t>(segment.begin), &ChangePoint::point);
}

struct LatestChange {
  const HistoryLine* line;
  Segment before, after;
};

std::optional<LatestChange> latest_change(const History& history) {
  std::optional<LatestChange> latest;
  const auto moment = [](const LatestChange& change) -> const std::string& {
    return change.line->points[change.after.begin].created;
  };
  for (const auto& line : history.lines) {
    const auto segments = segments_of(line);
    if (segments.size() < 2) continue;
    const LatestChange last{&line, segments[segments.size() - 2], segments.back()};
    if (!latest || moment(last) > moment(*latest)) latest = last;
  }
  return latest;
}

std::string said_of(const LatestChange& change, const History& history) {
  const auto& point = change.line->points[change.after.begin];
  const auto with = with_of(change.after, *change.line);
  return fmt::format("{} has been {} since experiment {} ({}){}.", name_of(*change.line, history),
                     change_in_words(change.before, change.after, history), point.experiment,
                     day_of(point.created), with.empty() ? "" : "; what else changed there: " + with);
}

}  // namespace

std::string day_of(const std::string& moment) { return moment.substr(0, moment.find_first_of("T ")); }

std::string with_of(const Segment& segment, const HistoryLine& line) { return change_of(segment, line).with; }

std::vector<Segment> segments_of(const HistoryLine& line) {
  std::vector<Segment> segments;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    if (end <= begin || end > line.points.size()) return;
    segments.push_back({begin, end, geometric_mean(line, begin, end)});
    begin = end;
  };
  for (const auto& change : line.changes)
    if (change.point < std::ssize(line.points)) add(static_cast<std::size_t>(change.point));
  add(line.points.size());
  return segments;
}

std::string name_of(const HistoryLine& line, const History& history) {
  const bool has_several = std::ranges::any_of(
      history.lines, [&](const auto& other) { return other.machine != history.lines.front().machine; });
  return has_several && !line.machine.empty() ? fmt::format("{} on {}", line.configuration, line.machine)
                                              : line.configuration;
}

std::string change_in_words(const Segment& before, const Segment& after, const History& history) {
  return change_in_words(ComparedMetric{.metric = history.metric,
                                        .higher_is_better = history.higher_is_better,
                                        .ratio = {.value = after.mean / before.mean}});
}

std::vector<std::string> sentences(const History& history) {
  std::int64_t changes = 0, experiments = 0;
  for (const auto& line : history.lines) {
    changes += std::ssize(line.changes);
    experiments = std::max(experiments, std::ssize(line.points));
  }
  const auto label = label_of(history.metric);
  if (experiments == 0) return {fmt::format("No experiment has measured {}.", label)};
  const auto latest = latest_change(history);
  const auto lines = counted(std::ssize(history.lines), "line");
  if (!latest && experiments < static_cast<std::int64_t>(fewest_for_changes))
    return {fmt::format("Too few experiments to look for changes of {}: {} in {}, and it takes {}.", label,
                        experiments, lines, fewest_for_changes)};
  if (!latest)
    return {fmt::format("No change of {} was found in {} of up to {}.", label, lines,
                        counted(experiments, "experiment"))};
  std::vector<std::string> said{said_of(*latest, history)};
  if (changes > 1)
    said.push_back(fmt::format("It is the latest of {} in {}.", counted(changes, "change"), lines));
  if (const auto segments = segments_of(*latest->line); segments.size() > 2)
    said.push_back(fmt::format("In all, {} is {} than in its first {}.", name_of(*latest->line, history),
                               change_in_words(segments.front(), segments.back(), history),
                               counted(static_cast<std::int64_t>(segments.front().end), "experiment")));
  return said;
}

PlainTable changes_table(const HistoryLine& line, const History& history) {
  PlainTable table{.caption = "Where values begin to lie elsewhere",
                   .headings = {"since", "experiment", "from", "to", "change", "p", "what else changed"}};
  const auto segments = segments_of(line);
  for (std::size_t i = 1; i < segments.size(); ++i) {
    const auto &before = segments[i - 1], &after = segments[i];
    const auto& point = line.points[after.begin];
    const auto with = with_of(after, line);
    table.rows.push_back(
        {day_of(point.created), std::to_string(point.experiment), value_text(history.metric, before.mean),
         value_text(history.metric, after.mean), change_in_words(before, after, history),
         format_number(change_of(after, line).p_value, 2), with.empty() ? "nothing that is known" : with});
  }
  return table;
}

PlainTable changes_table(const History& history) {
  PlainTable all;
  for (const auto& line : history.lines) {
    auto table = changes_table(line, history);
    for (auto& row : table.rows) {
      row.insert(row.begin(), name_of(line, history));
      all.rows.push_back(std::move(row));
    }
    table.headings.insert(table.headings.begin(), "configuration");
    all.headings = std::move(table.headings);
    all.caption = std::move(table.caption);
  }
  return all;
}

std::string value_with_interval(const std::string& metric, const Estimate& value) {
  auto text = quantity_text(metric, value.value);
  if (value.low && value.high)
    text +=
        fmt::format(" (95 % CI {} to {})", value_text(metric, *value.low), value_text(metric, *value.high));
  return text;
}

}  // namespace neph::report
