#include "compare/history.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "compare/rows.hpp"
#include "core/units.hpp"
#include "stats/stats.hpp"

namespace neph::compare {
namespace {

constexpr std::size_t least_segment = 2;
constexpr std::uint64_t permutations_seed = 1;

std::string fact(const Configuration& configuration, const std::string& name) {
  const auto found = configuration.facts.find(name);
  return found == configuration.facts.end() ? std::string() : found->second;
}

/// A line and what tells it from others.
struct Line {
  std::string question;
  HistoryLine line;
  std::string name{};  ///< where the configuration's says too little
};

Line& line_for(const Configuration& configuration, std::vector<Line>& lines) {
  const auto machine = fact(configuration, "machine");
  for (auto& each : lines)
    if (each.question == configuration.question && each.line.machine == machine) return each;
  return lines.emplace_back(
      Line{configuration.question, {.configuration = configuration.label, .machine = machine}});
}

std::vector<double> logarithms(std::span<const HistoryPoint> points) {
  std::vector<double> logs;
  for (const auto& point : points) logs.push_back(std::log(point.value.value));
  return logs;
}

double mean_log(std::span<const HistoryPoint> points) {
  return stats::mean_of(logarithms(points)).estimate.value;
}

/// "neph 0.1.0 → 0.2.0, openvino 2025.1 → 2026.4"
std::string what_changed(const HistoryPoint& before, const HistoryPoint& after) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& from, const std::string& to) {
    if (from != to) text += fmt::format("{}{}{} → {}", text.empty() ? "" : ", ", name, from, to);
  };
  add("neph ", before.version, after.version);
  add("", before.engine, after.engine);
  add("model ", before.model, after.model);
  return text;
}

void add_changes(HistoryLine& line) {
  if (line.points.size() < fewest_for_changes) return;
  const auto found = stats::change_points(logarithms(line.points), least_segment, permutations_seed);
  const std::span<const HistoryPoint> points(line.points);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto begin = i == 0 ? 0 : found[i - 1].place, at = found[i].place;
    const auto end = i + 1 < found.size() ? found[i + 1].place : points.size();
    const double before = mean_log(points.subspan(begin, at - begin)),
                 after = mean_log(points.subspan(at, end - at));
    line.changes.push_back({.point = static_cast<std::int64_t>(at),
                            .ratio = std::exp(after - before),
                            .p_value = found[i].p_value,
                            .with = what_changed(points[at - 1], points[at])});
  }
}

/// What the experiment's own tables show, where they have it.
std::optional<Estimate> shown_of(const Configuration& configuration, const std::string& metric) {
  const auto found = configuration.figures.find(metric);
  return found == configuration.figures.end() ? mean_of(configuration, metric) : found->second;
}

/// The one that most configurations have for it: an objective may mean several.
std::optional<std::string> most_frequent(const std::vector<PastExperiment>& experiments,
                                         const std::string& asked) {
  std::map<std::string, int> found;
  for (const auto& experiment : experiments)
    for (const auto& configuration : experiment.source.configurations)
      if (const auto name = metric_named(asked, configuration, configuration)) ++found[*name];
  const auto most = std::ranges::max_element(found, {}, [](const auto& each) { return each.second; });
  return most == found.end() ? std::nullopt : std::optional(most->first);
}

std::vector<Line> lines_of(const std::vector<PastExperiment>& experiments, const std::string& metric) {
  std::vector<Line> lines;
  for (const auto& experiment : experiments)
    for (const auto& configuration : experiment.source.configurations)
      if (const auto value = shown_of(configuration, metric); value && value->value > 0)
        line_for(configuration, lines)
            .line.points.push_back({.experiment = experiment.id,
                                    .created = experiment.created,
                                    .version = experiment.version,
                                    .engine = fact(configuration, "engine"),
                                    .model = fact(configuration, "model"),
                                    .value = *value});
  return lines;
}

/// Lines of one name and machine asked different questions: these tell them apart.
void tell_apart(std::vector<Line>& lines) {
  std::map<std::pair<std::string, std::string>, int> alike;
  const auto name = [](const Line& each) { return std::pair(each.line.configuration, each.line.machine); };
  for (const auto& each : lines) ++alike[name(each)];
  for (auto& each : lines)
    if (alike[name(each)] > 1 && !each.question.empty()) each.name = each.question;
}

}  // namespace

Result<History> history_of(const std::vector<PastExperiment>& experiments, const std::string& metric) {
  const auto name = most_frequent(experiments, metric);
  if (!name) {
    std::vector<Match> each;
    for (const auto& experiment : experiments)
      for (const auto& configuration : experiment.source.configurations)
        each.push_back({configuration.label, &configuration, &configuration});
    return no_metric(metric, each, "in these experiments");
  }
  History history{.metric = *name, .higher_is_better = is_higher_better(*name)};
  auto lines = lines_of(experiments, *name);
  tell_apart(lines);
  for (auto& each : lines) {
    add_changes(each.line);
    if (!each.name.empty()) each.line.configuration = each.name;
    history.lines.push_back(std::move(each.line));
  }
  const auto few = std::ranges::count_if(
      history.lines, [](const auto& line) { return line.points.size() < fewest_for_changes; });
  if (few > 0)
    history.notes.push_back(
        fmt::format("{0} {1} fewer than {2} experiments; changes are looked for from {2} on",
                    counted(few, "line"), few == 1 ? "has" : "have", fewest_for_changes));
  return history;
}

}  // namespace neph::compare
