// Telemetry over time: for each configuration the run with the median speed, its phases as a strip on top,
// the measurement shaded. One panel per group of quantities that share a unit; groups are the lines of the
// table below.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/over_time.hpp"
#include "report/charts/thin.hpp"
#include "report/charts/vega.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_points = 75000;  // of all panels and configurations together
constexpr std::size_t fewest_per_series = 40;
constexpr std::size_t most_per_series = 2000;

enum class Runs { all, in_process, behind_server };

struct Quantity {
  std::string_view target;
  std::string_view name;  ///< of the telemetry quantity
  std::string_view label;
  Runs of = Runs::all;  ///< those in which it is what the label says
};

struct Group {
  std::string_view title;
  std::string_view axis;  ///< the unit, in words
  double scale;           ///< from the series' unit to the axis'
  bool stacked;           ///< the quantities are parts of a whole
  std::array<Quantity, 9> quantities;
};

constexpr double to_mib = 1.0 / (1 << 20);
constexpr std::string_view time_axis = "seconds from the start of the process";

/// Behind a server the run's own thread "engine" makes requests, and its "rest" has the whole server in it:
/// the server's threads stand for themselves then.
constexpr std::array<Quantity, 9> by_kind_of_thread(std::string_view name) {
  return {{{target::engine, name, "engine", Runs::in_process},
           {target::server_engine, name, "engine", Runs::behind_server},
           {target::loader, name, "loaders", Runs::in_process},
           {target::client_loader, name, "loaders", Runs::behind_server},
           {target::server_loader, name, "server, loaders", Runs::behind_server},
           {target::server_rest, name, "server, requests", Runs::behind_server},
           {target::client_engine, name, "client, requests", Runs::behind_server},
           {target::rest, name, "rest", Runs::in_process},
           {target::client_rest, name, "rest", Runs::behind_server}}};
}

constexpr std::array<Quantity, 9> of_gpus(std::string_view name) {
  return {{{target::gpus[0], name, "GPU 0"}, {target::gpus[1], name, "GPU 1"}}};
}

constexpr std::array groups{
    Group{"CPU, by kind of thread", "cores", 1, true, by_kind_of_thread(telemetry::cpu.name)},
    Group{"Memory of the process",
          "MiB",
          to_mib,
          false,
          {{{target::process, telemetry::memory_resident.name, "resident"},
            {target::container, telemetry::memory_current.name, "container"},
            {target::host_container, telemetry::memory_current.name, "container, from the host"},
            {target::client, telemetry::memory_resident.name, "client"},
            {target::server, telemetry::memory_resident.name, "server"}}}},
    Group{"Whole machine",
          "cores",
          1,
          true,
          {{{target::machine, telemetry::cpu_user.name, "user"},
            {target::machine, telemetry::cpu_system.name, "system"},
            {target::machine, telemetry::cpu_iowait.name, "waiting for disk"},
            {target::machine, telemetry::cpu_steal.name, "steal"}}}},
    Group{"GPU in use", "%", 1, false, of_gpus(telemetry::utilisation.name)},
    Group{"GPU memory", "MiB", to_mib, false, of_gpus(telemetry::memory_used.name)},
    Group{"GPU power", "W", 1, false, of_gpus(telemetry::power.name)},
    Group{"GPU clock", "MHz", 1e-6, false, of_gpus(telemetry::clock_sm.name)},
    Group{"Run-queue wait", "threads", 1, true, by_kind_of_thread(telemetry::cpu_wait.name)},
    Group{"Disk",
          "MiB per second",
          to_mib,
          false,
          {{{target::process, telemetry::disk_read.name, "read"},
            {target::process, telemetry::disk_write.name, "written"}}}},
    Group{"Page faults",
          "per second",
          1,
          false,
          {{{target::process, telemetry::page_faults_minor.name, "minor"},
            {target::process, telemetry::page_faults_major.name, "major"}}}},
    Group{"Context switches",
          "per second",
          1,
          false,
          {{{target::process, telemetry::context_switches_voluntary.name, "voluntary"},
            {target::process, telemetry::context_switches_involuntary.name, "involuntary"}}}},
    Group{"PSI (some)",
          "%",
          1,
          false,
          {{{target::machine, telemetry::pressure_cpu_some.name, "CPU"},
            {target::machine, telemetry::pressure_memory_some.name, "memory"},
            {target::machine, telemetry::pressure_io_some.name, "disk"}}}},
    Group{"CPU frequency",
          "MHz",
          1e-6,
          false,
          {{{target::machine, telemetry::cpu_frequency.name, "mean of all"}}}},
    Group{"CPU throttled",
          "cores",
          1,
          false,
          {{{target::container, telemetry::cpu_throttled.name, "throttled"}}}},
};

struct Representative {
  const CellSummary* cell;
  const Run* run;
};

std::vector<Representative> representatives(const Document& document) {
  std::vector<Representative> found;
  for (const auto& cell : document.cells)
    if (const auto* run = median_run(document, cell.cell.index)) found.push_back({&cell, run});
  return found;
}

Runs kind_of(const Run& run) {
  const auto& all = run.result.series;
  const bool served =
      std::any_of(all.begin(), all.end(), [](const auto& s) { return s.target == target::client; });
  return served ? Runs::behind_server : Runs::in_process;
}

const Series* series_of(const Run& run, const Quantity& quantity) {
  if (quantity.of != Runs::all && quantity.of != kind_of(run)) return nullptr;
  for (const auto& series : run.result.series)
    if (series.target == quantity.target && series.name == quantity.name && !series.values.empty())
      return &series;
  return nullptr;
}

bool moves(const Series& series) {
  return std::any_of(series.values.begin(), series.values.end(),
                     [](double value) { return std::isfinite(value) && value != 0; });
}

Json series_row(const Representative& from, const Quantity& quantity, const Series& series, double scale,
                std::size_t points) {
  const auto thin = bucket_means(series.at_s, series.values, points);
  Json row{{"cell", from.cell->cell.index},
           {"series", quantity.label},
           {"t", Json::array()},
           {"v", Json::array()}};
  for (std::size_t i = 0; i < thin.x.size(); ++i) {
    row["t"].push_back(rounded(thin.x[i]));
    row["v"].push_back(rounded(thin.y[i] * scale));
  }
  return row;
}

Json phase_rows(const std::vector<Representative>& all) {
  Json rows = Json::array();
  for (const auto& from : all)
    for (const auto& phase : from.run->result.phases)
      rows.push_back({{"cell", from.cell->cell.index},
                      {"phase", in_words(phase.name)},
                      {"begin", rounded(phase.begin_s)},
                      {"end", rounded(phase.end_s)}});
  return rows;
}

/// The preparing ones first, so that they have the colours of their chart.
std::vector<std::string> phases_in_words(const Document& document) {
  std::vector<std::string> names;
  for (const auto& name : phase_names(document.cells))
    if (name != phase::measure.name && name != phase::learn.name) names.push_back(in_words(name));
  return names;
}

class TelemetryPanels {
 public:
  explicit TelemetryPanels(const Document& document)
      : all_(representatives(document)), phases_(phase_rows(all_)), phase_names_(phases_in_words(document)) {
    std::size_t series = 0;
    for (const auto& group : groups)
      for (const auto& quantity : group.quantities)
        for (const auto& from : all_) series += series_of(*from.run, quantity) != nullptr;
    points_ = std::clamp(most_points / std::max<std::size_t>(series, 1), fewest_per_series, most_per_series);
    const auto order = ranked(document);
    for (const auto* cell : order)  // the fastest that can be shown
      if (median_run(document, cell->cell.index)) {
        selected_ = cell->cell.index;
        break;
      }
  }

  Drawing draw() {
    Drawing drawing;
    for (const auto& group : groups) add(group, drawing);
    if (drawing.panels.empty()) return {};
    for (const auto& from : all_) drawing.choices.emplace_back(from.cell->cell.index, from.cell->cell.label);
    std::stable_partition(drawing.choices.begin(), drawing.choices.end(),
                          [&](const auto& choice) { return choice.first == selected_; });
    if (most_averaged_ > 1)
      drawing.note = fmt::format("Thinned: a point is the mean of up to {} readings.", most_averaged_);
    if (!still_.empty())
      drawing.note += fmt::format("{}Always 0 and not drawn: {}.", drawing.note.empty() ? "" : " ", still_);
    return drawing;
  }

 private:
  void add(const Group& group, Drawing& drawing) {
    Json rows = Json::array();
    std::vector<std::string> labels;
    bool any_moves = false;
    for (const auto& quantity : group.quantities)
      for (const auto& from : all_) {
        const auto* series = series_of(*from.run, quantity);
        if (!series) continue;
        if (labels.empty() || labels.back() != quantity.label) labels.emplace_back(quantity.label);
        any_moves |= moves(*series);
        most_averaged_ = std::max(most_averaged_, (series->values.size() + points_ - 1) / points_);
        rows.push_back(series_row(from, quantity, *series, group.scale, points_));
      }
    if (rows.empty()) return;
    if (!any_moves) {
      still_ += fmt::format("{}{}", still_.empty() ? "" : ", ", group.title);
      return;
    }
    for (const auto& phase : phases_) rows.push_back(phase);
    const auto description =
        fmt::format("{} in {} over the time of one run, with the phases of the run marked: {}.", group.title,
                    group.axis, fmt::join(labels, ", "));
    drawing.panels.push_back({.caption = fmt::format("{}, {}", group.title, group.axis),
                              .description = description,
                              .spec = spec_of(group, labels, description, std::move(rows))});
  }

  Json spec_of(const Group& group, const std::vector<std::string>& labels, const std::string& description,
               Json rows) const {
    Json spec = over_time({.axis = group.axis, .time = time_axis, .is_stacked = group.stacked}, labels,
                          description, std::move(rows));
    spec["params"][0]["value"] = selected_;
    spec["layer"].back()["encoding"]["color"]["scale"] = colour_scale(phase_names_);
    return spec;
  }

  std::vector<Representative> all_;
  Json phases_;
  std::vector<std::string> phase_names_;
  std::size_t points_ = most_per_series;
  std::size_t most_averaged_ = 1;
  std::int64_t selected_ = 0;
  std::string still_;
};

Drawing draw_telemetry(const Document& document) {
  auto drawing = TelemetryPanels(document).draw();
  drawing.reading = report_view(document).threads;
  return drawing;
}

}  // namespace

const Chart telemetry_chart{
    "telemetry", "What the machine did meanwhile",
    "One run stands for each configuration: the one with the median speed. The strip on top shows "
    "the phases of the run, in the colours of the chart “Before the measurement begins”; the "
    "shaded stretch is the measurement.",
    draw_telemetry};

}  // namespace neph::report
