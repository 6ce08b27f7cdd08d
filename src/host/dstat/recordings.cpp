// Runs' telemetry, read some times a second, as rows of whole seconds of the machine's clock.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "host/dstat/columns.hpp"
#include "host/dstat/dstat.hpp"
#include "host/dstat/times.hpp"

namespace neph::host {
namespace {

using RunsOfMachine = std::vector<const Run*>;

/// Values by the second that ends there.
using BySecond = std::map<std::int64_t, double>;

/// Second 0 of each run as Unix time. A run's start is kept in whole seconds; the machine's own clock says
/// more of how the runs lie to each other, where it ran on between them.
std::map<const Run*, double> begins_of(const RunsOfMachine& runs) {
  std::map<const Run*, double> begins;
  double least = INFINITY, most = -INFINITY;
  for (const auto* run : runs) {
    const auto started = utc_seconds(run->started);
    if (!started) continue;
    begins[run] = static_cast<double>(*started);
    const double offset = run->host_begin_s ? begins[run] - *run->host_begin_s : NAN;
    least = std::fmin(least, offset);
    most = std::isnan(offset) || std::isnan(most) ? NAN : std::fmax(most, offset);
  }
  constexpr double most_drift_s = 2;  // a second from rounding; more: another start of the machine
  if (std::isfinite(most) && most - least < most_drift_s)
    for (auto& [run, begin] : begins) begin = *run->host_begin_s + most;
  return begins;
}

const Series* series_of(const Run& run, const Metric& quantity) {
  for (const auto& series : run.result.series)
    if (series.target == target::machine && series.name == quantity.name) return &series;
  return nullptr;
}

std::int64_t second_of(double at) { return static_cast<std::int64_t>(std::ceil(at)); }

/// Means over each second. A rate's point stands at the end of its interval; the first one's is as long as
/// the second's.
class Means {
 public:
  void add(const Series& series, double begin, double factor = 1) {
    const auto& at = series.at_s;
    const auto count = std::min(at.size(), series.values.size());
    for (std::size_t i = 0; i < count; ++i) {
      const double first = count > 1 ? at[1] - at[0] : 1;
      const double from = i > 0 ? at[i - 1] : std::max(0.0, at[0] - first);
      spread(begin + from, begin + at[i], series.values[i] * factor);
    }
  }
  BySecond take() const {
    BySecond means;
    for (const auto& [second, sum] : sums_)
      if (sum.seconds > 0) means[second] = sum.value / sum.seconds;
    return means;
  }

 private:
  void spread(double from, double to, double value) {
    constexpr double longest_s = 1e6;  // of an interval: a counter that is read at all is read more often
    if (!std::isfinite(value) || !(to - from < longest_s)) return;
    for (auto second = second_of(from); from < to; ++second) {
      const double until = std::min(static_cast<double>(second), to);
      sums_[second].seconds += until - from;
      sums_[second].value += value * (until - from);
      from = until;
    }
  }
  struct Sum {
    double value = 0, seconds = 0;
  };
  std::map<std::int64_t, Sum> sums_;
};

class MachineRecording {
 public:
  explicit MachineRecording(const RunsOfMachine& runs) : begins_(begins_of(runs)) {}

  Recording take() {
    std::map<std::string_view, BySecond> all;
    add_cpu(all);
    for (const auto& column : written_columns()) {
      if (column.quantity.unit == unit::percent) continue;
      all[column.quantity.name] =
          column.quantity.unit == unit::bytes ? states(column.quantity) : means(column.quantity);
    }
    return as_recording(all);
  }

 private:
  BySecond means(const Metric& quantity, double factor = 1) const {
    Means means;
    for (const auto& [run, begin] : begins_)
      if (const auto* series = series_of(*run, quantity)) means.add(*series, begin, factor);
    return means.take();
  }
  BySecond states(const Metric& quantity) const {
    std::map<std::int64_t, std::pair<double, double>> last;  // moment and value
    for (const auto& [run, begin] : begins_) {
      const auto* series = series_of(*run, quantity);
      for (std::size_t i = 0; series && i < std::min(series->at_s.size(), series->values.size()); ++i) {
        const double at = begin + series->at_s[i];
        if (!std::isfinite(at) || !std::isfinite(series->values[i])) continue;
        auto& known = last.try_emplace(second_of(at), at, series->values[i]).first->second;
        if (at >= known.first) known = {at, series->values[i]};
      }
    }
    BySecond states;
    for (const auto& [second, reading] : last) states[second] = reading.second;
    return states;
  }

  /// Shares of all processor time, as dstat has them: with interrupts in user.
  void add_cpu(std::map<std::string_view, BySecond>& all) const {
    auto user = means(telemetry::cpu_user);
    auto system = means(telemetry::cpu_system);
    const auto interrupts = means(telemetry::cpu_interrupts);
    for (const auto& [second, cores] : interrupts) {
      if (!user.contains(second) || !system.contains(second)) continue;
      user[second] += cores;
      system[second] = std::max(0.0, system[second] - cores);
    }
    const std::array parts{std::pair{telemetry::cpu_user.name, user},
                           std::pair{telemetry::cpu_system.name, system},
                           std::pair{telemetry::cpu_idle.name, means(telemetry::cpu_idle)},
                           std::pair{telemetry::cpu_iowait.name, means(telemetry::cpu_iowait)},
                           std::pair{telemetry::cpu_steal.name, means(telemetry::cpu_steal)}};
    for (const auto& entry : user) {
      const auto second = entry.first;
      double whole = 0;
      bool is_complete = true;
      for (const auto& [name, values] : parts) {
        const auto found = values.find(second);
        is_complete &= found != values.end();
        if (is_complete) whole += found->second;
      }
      if (!is_complete || whole <= 0) continue;
      for (const auto& [name, values] : parts) all[name][second] = 100 * values.at(second) / whole;
    }
  }

  static Recording as_recording(const std::map<std::string_view, BySecond>& all) {
    Recording recording{.program = "neph", .zone = "UTC"};
    std::map<std::int64_t, bool> seconds;
    for (const auto& [name, values] : all)
      for (const auto& value : values) seconds[value.first] = true;
    if (seconds.empty()) return recording;
    const auto begin = seconds.begin()->first;
    recording.begin_s = begin;
    recording.rows = std::ssize(seconds);
    recording.length_s = static_cast<double>(seconds.rbegin()->first - begin);
    for (const auto& column : written_columns()) {
      Series series{.target = std::string(target::machine),
                    .name = std::string(column.quantity.name),
                    .unit = std::string(column.quantity.unit)};
      const auto values = all.find(column.quantity.name);
      if (values == all.end()) continue;
      for (const auto& [second, value] : values->second) {
        series.at_s.push_back(static_cast<double>(second - begin));
        series.values.push_back(value);
      }
      if (!series.values.empty()) recording.series.push_back(std::move(series));
    }
    return recording;
  }

  std::map<const Run*, double> begins_;
};

std::string host_of(const Machine& machine) {
  const auto& found = machine.fingerprint;
  if (!found.is_object() || !found.contains("system") || !found["system"].is_object()) return {};
  const auto name = found["system"].find("name");
  return name != found["system"].end() && name->is_string() ? name->get<std::string>() : std::string();
}

}  // namespace

std::vector<Recording> recordings_of(const std::vector<Machine>& machines, const std::vector<Run>& runs,
                                     const std::string& command) {
  std::map<std::optional<std::int64_t>, RunsOfMachine> by_machine;
  for (const auto& run : runs) by_machine[run.machine_id].push_back(&run);
  std::vector<Recording> recordings;
  for (const auto& [id, its] : by_machine) {
    auto recording = MachineRecording(its).take();
    if (recording.rows == 0) continue;
    recording.command = command;
    for (const auto& machine : machines)
      if (machine.id == id) recording.host = host_of(machine);
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace neph::host
