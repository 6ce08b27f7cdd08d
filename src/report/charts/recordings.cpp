// Recorded telemetry of a machine over time: a panel per group of quantities that share a unit.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/telemetry.hpp"
#include "report/charts/chart.hpp"
#include "report/charts/over_time.hpp"
#include "report/charts/thin.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_points = 60000;  // of all panels and recordings together
constexpr std::size_t fewest_per_series = 40;
constexpr std::size_t most_per_series = 2000;

struct Quantity {
  std::string_view name, label;
};

struct Group {
  std::string_view title, axis;
  double scale;
  bool is_stacked;
  std::array<Quantity, 5> quantities;
};

constexpr double to_gib = 1.0 / (1 << 30);
constexpr double to_mib = 1.0 / (1 << 20);

constexpr std::array groups{
    Group{"CPU",
          "% of all processors",
          1,
          true,
          {{{telemetry::cpu_user.name, "user"},
            {telemetry::cpu_system.name, "system"},
            {telemetry::cpu_iowait.name, "waiting for disk"},
            {telemetry::cpu_steal.name, "steal"}}}},
    Group{"Memory",
          "GiB",
          to_gib,
          false,
          {{{telemetry::memory_occupied.name, "used"},
            {telemetry::memory_cached.name, "cached"},
            {telemetry::memory_buffers.name, "buffers"},
            {telemetry::memory_free.name, "free"},
            {telemetry::memory_available.name, "available"}}}},
    Group{"Disk",
          "MiB per second",
          to_mib,
          false,
          {{{telemetry::disk_read.name, "read"}, {telemetry::disk_write.name, "written"}}}},
    Group{"Disk requests",
          "per second",
          1,
          false,
          {{{telemetry::disk_read_requests.name, "read"}, {telemetry::disk_write_requests.name, "written"}}}},
    Group{"Network",
          "MiB per second",
          to_mib,
          false,
          {{{telemetry::network_received.name, "received"}, {telemetry::network_sent.name, "sent"}}}},
    Group{"Swapping",
          "MiB per second",
          to_mib,
          false,
          {{{telemetry::swap_in.name, "in"}, {telemetry::swap_out.name, "out"}}}},
    Group{"Context switches", "per second", 1, false, {{{telemetry::context_switches.name, "all"}}}}};

struct TimeUnit {
  double seconds;
  std::string_view title;
};

/// As long recordings are read: a training of a day in hours.
TimeUnit time_unit(const std::vector<Recording>& recordings) {
  double longest_s = 0;
  for (const auto& recording : recordings) longest_s = std::max(longest_s, recording.length_s);
  if (longest_s < 600) return {1, "seconds from the first row"};
  if (longest_s < 7200) return {60, "minutes from the first row"};
  return {3600, "hours from the first row"};
}

const Series* series_of(const Recording& recording, std::string_view name) {
  for (const auto& series : recording.series)
    if (series.name == name && !series.values.empty()) return &series;
  return nullptr;
}

struct Thinned {
  Json t = Json::array(), v = Json::array();
};

/// Each stretch without a gap by itself, so that no line is drawn over what nobody recorded.
Thinned thinned(const Series& series, double gap_s, std::size_t points, double scale, double unit_s) {
  Thinned thin;
  const auto count = series.values.size();
  for (std::size_t begin = 0; begin < count;) {
    auto end = begin + 1;
    while (end < count && series.at_s[end] - series.at_s[end - 1] <= gap_s) ++end;
    if (begin > 0) {
      thin.t.push_back(rounded(series.at_s[begin] / unit_s));
      thin.v.push_back(nullptr);
    }
    const std::vector<double> at(series.at_s.begin() + std::ptrdiff_t(begin),
                                 series.at_s.begin() + std::ptrdiff_t(end));
    const std::vector<double> values(series.values.begin() + std::ptrdiff_t(begin),
                                     series.values.begin() + std::ptrdiff_t(end));
    const auto means = bucket_means(at, values, std::max<std::size_t>(points * (end - begin) / count, 1));
    for (std::size_t i = 0; i < means.x.size(); ++i) {
      thin.t.push_back(rounded(means.x[i] / unit_s));
      thin.v.push_back(rounded(means.y[i] * scale));
    }
    begin = end;
  }
  return thin;
}

std::string choice_text(const Recording& recording, std::size_t place) {
  const auto name = recording.source.empty() ? std::string("recording") : recording.source;
  return fmt::format("{}: {}{}{}", place + 1, name, recording.host.empty() ? "" : ", ", recording.host);
}

class Panels {
 public:
  explicit Panels(const std::vector<Recording>& recordings) : all_(recordings), time_(time_unit(recordings)) {
    std::size_t series = 1;
    for (const auto& recording : all_) series += recording.series.size();
    points_ = std::clamp(most_points / series, fewest_per_series, most_per_series);
  }

  Drawing draw() {
    Drawing drawing{.chosen = "Recording"};
    for (const auto& group : groups) add(group, drawing);
    if (drawing.panels.empty()) return {};
    for (std::size_t i = 0; i < all_.size(); ++i)
      drawing.choices.emplace_back(static_cast<std::int64_t>(i), choice_text(all_[i], i));
    if (most_averaged_ > 1)
      drawing.note = fmt::format("Thinned: a point is the mean of up to {} rows.", most_averaged_);
    if (!still_.empty())
      drawing.note += fmt::format("{}Always 0 and not drawn: {}.", drawing.note.empty() ? "" : " ",
                                  fmt::join(still_, ", "));
    return drawing;
  }

 private:
  void add(const Group& group, Drawing& drawing) {
    Json rows = Json::array();
    std::vector<std::string> labels;
    bool moves = false;
    for (const auto& quantity : group.quantities)
      for (std::size_t i = 0; i < all_.size(); ++i) {
        const auto* series = quantity.name.empty() ? nullptr : series_of(all_[i], quantity.name);
        if (!series) continue;
        if (labels.empty() || labels.back() != quantity.label) labels.emplace_back(quantity.label);
        moves |= std::any_of(series->values.begin(), series->values.end(), [](double v) { return v != 0; });
        most_averaged_ = std::max(most_averaged_, (series->values.size() + points_ - 1) / points_);
        auto thin = thinned(*series, 3 * all_[i].interval_s, points_, group.scale, time_.seconds);
        rows.push_back(
            {{"cell", i}, {"series", quantity.label}, {"t", std::move(thin.t)}, {"v", std::move(thin.v)}});
      }
    if (rows.empty()) return;
    if (!moves) return still_.emplace_back(group.title), void();
    const auto description = fmt::format("{} in {} over the time of a recording: {}.", group.title,
                                         group.axis, fmt::join(labels, ", "));
    drawing.panels.push_back(
        {.caption = fmt::format("{}, {}", group.title, group.axis),
         .description = description,
         .spec = over_time(
             {.axis = group.axis, .time = time_.title, .is_stacked = group.is_stacked, .has_phases = false},
             labels, description, std::move(rows))});
  }

  const std::vector<Recording>& all_;
  TimeUnit time_;
  std::size_t points_ = most_per_series;
  std::size_t most_averaged_ = 1;
  std::vector<std::string> still_;
};

Drawing draw_recordings(const std::vector<Recording>& recordings) { return Panels(recordings).draw(); }

}  // namespace

const RecordingsChart recordings_chart{
    "recordings", "What machines did, as recorded by others",
    "Of the whole machine, from files of dstat or dool. A line breaks where no row was recorded.",
    draw_recordings};

}  // namespace neph::report
