// Whether the generator itself was what was measured.
#include <algorithm>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/units.hpp"
#include "load/findings.hpp"
#include "stats/stats.hpp"

namespace neph::load {
namespace {

/// A thread that runs, or could run but has no core, for more than this share of the time sets the pace
/// itself.
constexpr double saturated = 0.9;

/// More of a percentile than this must not be the generator's own delay; below the second figure it is what
/// a thread's waking up costs.
constexpr double slip_of_quantile = 0.05;
constexpr double slip_s = 1e-4;

/// How much shorter the q-quantile would be if every request had been sent when it was due.
double slip_in_quantile(const std::vector<Sample>& samples, double q, double& quantile_s) {
  std::vector<double> response_s, without_s;
  for (const auto& sample : samples) {
    if (sample.outcome != Outcome::answered) continue;
    response_s.push_back(sample.response_s());
    without_s.push_back(sample.response_s() - sample.issue_delay_s());
  }
  if (std::ssize(response_s) < stats::samples_needed(q)) return 0;
  quantile_s = stats::quantile(response_s, q);
  return quantile_s - stats::quantile(without_s, q);
}

void doubt_schedule(const Measurement& measured, std::vector<Warning>& doubts) {
  const auto sent = std::ssize(measured.samples);
  if (sent < measured.scheduled && !measured.stopped && !measured.ended_early)
    doubts.push_back(make_warning(WarningCode::schedule_missed,
                                  fmt::format("INVALID: {} of {} requests of the schedule were never sent",
                                              measured.scheduled - sent, measured.scheduled),
                                  "lower the rate, or take more --threads"));
  for (const auto name : {statistic::p50, statistic::p90, statistic::p99}) {
    const double q = *percentile_of(name);
    double quantile_s = 0;
    const double slip = slip_in_quantile(measured.samples, q, quantile_s);
    if (slip <= std::max(slip_s, slip_of_quantile * quantile_s)) continue;
    doubts.push_back(make_warning(
        WarningCode::schedule_missed,
        fmt::format("INVALID: the generator did not keep its schedule: of the {} of {}, {} are its own delay",
                    name, format_seconds(quantile_s), format_seconds(slip)),
        "more --threads, a lower rate, or cores of its own for the generator"));
    return;
  }
}

}  // namespace

std::vector<Warning> generator_doubts(const Measurement& measured, const Judging& judging) {
  std::vector<Warning> doubts;
  double ran = 0, waited = 0;
  for (const auto& worker : measured.workers) {
    if (worker.measured.count() <= 0) continue;
    const double length_s = seconds(worker.measured);
    if (seconds(worker.thread.ran + worker.thread.waited) / length_s > ran + waited) {
      ran = seconds(worker.thread.ran) / length_s;
      waited = seconds(worker.thread.waited) / length_s;
    }
  }
  if (ran + waited > saturated)
    doubts.push_back(
        make_warning(WarningCode::generator_saturated,
                     fmt::format("INVALID: the generator was the bottleneck: a worker was on a core for "
                                 "{:.0f} % of the time and waited for one for {:.0f} %",
                                 100 * ran, 100 * waited),
                     waited > ran ? "give the generator cores of its own" : "more --threads"));
  if (judging.closed || judging.all_at_once) return doubts;
  if (measured.held_back > 0)
    doubts.push_back(
        make_warning(WarningCode::in_flight_reached,
                     fmt::format("{} of {} requests waited because {} were in flight, the most allowed: so "
                                 "far the loop was closed",
                                 measured.held_back, measured.scheduled, judging.in_flight)));
  else
    doubt_schedule(measured, doubts);
  return doubts;
}

}  // namespace neph::load
