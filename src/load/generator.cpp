// Whether the generator itself was what was measured.
#include <algorithm>

#include <fmt/format.h>

#include "core/units.hpp"
#include "load/findings.hpp"

namespace neph::load {
namespace {

/// A thread that runs, or could run but has no core, for more than this share of the time sets the pace
/// itself.
constexpr double saturated = 0.9;

/// More than one request in a hundred was sent later than this: its slip is in the percentiles that people
/// ask for. Below a millisecond slip is what a thread's waking up costs.
constexpr double late_requests = 0.01;
constexpr double slip_s = 1e-3;
constexpr double slip_of_response = 0.1;

double median_response_s(const std::vector<Sample>& samples) {
  std::vector<double> response_s;
  for (const auto& sample : samples)
    if (sample.outcome == Outcome::answered) response_s.push_back(sample.response_s());
  if (response_s.empty()) return 0;
  const auto middle = response_s.begin() + std::ssize(response_s) / 2;
  std::nth_element(response_s.begin(), middle, response_s.end());
  return *middle;
}

void doubt_schedule(const Measurement& measured, std::vector<Warning>& doubts) {
  const double allowed_s = std::max(slip_s, slip_of_response * median_response_s(measured.samples));
  const auto late = std::count_if(measured.samples.begin(), measured.samples.end(),
                                  [&](const Sample& s) { return s.issue_delay_s() > allowed_s; });
  const auto sent = std::ssize(measured.samples);
  if (sent < measured.scheduled && !measured.stopped && !measured.narrow_enough)
    doubts.push_back({"schedule_missed",
                      fmt::format("{} of {} requests of the schedule were never sent",
                                  measured.scheduled - sent, measured.scheduled),
                      "lower the rate, or take more --threads", Weight::voids});
  else if (static_cast<double>(late) > late_requests * static_cast<double>(sent))
    doubts.push_back({"schedule_missed",
                      fmt::format("INVALID: the generator did not keep its schedule: {} of {} requests were "
                                  "sent more than {} late",
                                  late, sent, format_seconds(allowed_s)),
                      "more --threads, a lower rate, or a machine of its own for the generator",
                      Weight::voids});
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
    doubts.push_back({"generator_saturated",
                      fmt::format("INVALID: the generator was the bottleneck: a worker was on a core for "
                                  "{:.0f} % of the time and waited for one for {:.0f} %",
                                  100 * ran, 100 * waited),
                      waited > ran ? "give the generator cores of its own" : "more --threads",
                      Weight::voids});
  if (judging.closed || judging.all_at_once) return doubts;
  if (measured.held_back > 0)
    doubts.push_back({"in_flight_reached",
                      fmt::format("{} of {} requests waited because {} were in flight, the most allowed: so "
                                  "far the loop was closed",
                                  measured.held_back, measured.scheduled, judging.in_flight),
                      "a higher --in-flight, or 0 for no limit"});
  else
    doubt_schedule(measured, doubts);
  return doubts;
}

}  // namespace neph::load
