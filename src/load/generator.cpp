// Whether the generator itself was what was measured.
#include <algorithm>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/units.hpp"
#include "load/findings.hpp"
#include "record/metrics.hpp"
#include "stats/stats.hpp"

namespace neph::load {
namespace {

/// A thread that runs, or could run but has no core, for more than this share of the time sets the pace
/// itself.
constexpr double saturated = 0.9;

/// More of what is judged, a promise's limit or else the percentile, must not be the generator's own delay;
/// of a percentile, less than the second figure is what a thread's waking up costs.
constexpr double slip_share = 0.05;
constexpr double slip_s = 1e-4;
/// A thread that sleeps for most of the time, and is no later than this, was woken up late by the machine.
constexpr double busy = 0.5;
constexpr double timer_s = 1e-3;

/// Of its time, what the busiest worker's thread ran and what it waited for a core.
struct Use {
  double ran = 0, waited = 0;
  double all() const { return ran + waited; }
};

Use busiest(const Measurement& measured) {
  Use most;
  for (const auto& worker : measured.workers) {
    if (worker.measured.count() <= 0) continue;
    const double length_s = seconds(worker.measured);
    const Use use{seconds(worker.thread.ran) / length_s, seconds(worker.thread.waited) / length_s};
    if (use.all() > most.all()) most = use;
  }
  return most;
}

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

Warning slip_warning(std::string_view name, double quantile_s, double slip, bool is_busy) {
  const auto share =
      fmt::format("of the {} of {}, {}", name, format_seconds(quantile_s), format_seconds(slip));
  if (!is_busy && slip < timer_s)
    return make_warning(WarningCode::late_wakeups,
                        fmt::format("{} are how late the machine woke the generator up", share));
  return make_warning(WarningCode::schedule_missed,
                      fmt::format("the generator did not keep its schedule: {} are its own delay", share),
                      is_busy ? "more --threads, a lower rate, or cores of its own for the generator"
                              : "cores of its own for the generator, which had little to do and was held up");
}

void doubt_unsent(const Measurement& measured, std::vector<Warning>& doubts) {
  const auto sent = std::ssize(measured.samples);
  if (sent < measured.scheduled && !measured.stopped && !measured.ended_early)
    doubts.push_back(make_warning(WarningCode::schedule_missed,
                                  fmt::format("{} of {} requests of the schedule were never sent",
                                              measured.scheduled - sent, measured.scheduled),
                                  measured.held_back > 0 ? "lower the rate, or allow more --in-flight"
                                                         : "lower the rate, or take more --threads"));
}

void doubt_schedule(const Measurement& measured, double limit_s, bool is_busy, std::vector<Warning>& doubts) {
  std::optional<Warning> told;  // the gravest, of the lowest percentile
  for (const auto name : {statistic::p50, statistic::p90, statistic::p99}) {
    double quantile_s = 0;
    const double slip = slip_in_quantile(measured.samples, *percentile_of(name), quantile_s);
    const double allowed_s = limit_s > 0 ? slip_share * limit_s : std::max(slip_s, slip_share * quantile_s);
    if (slip <= allowed_s) continue;
    auto warning = slip_warning(name, quantile_s, slip, is_busy);
    if (!told || warning.weight > told->weight) told = std::move(warning);
  }
  if (told) doubts.push_back(*std::move(told));
}

}  // namespace

std::vector<Warning> generator_doubts(const Measurement& measured, const Judging& judging) {
  std::vector<Warning> doubts;
  const auto use = busiest(measured);
  if (use.all() > saturated)
    doubts.push_back(
        make_warning(WarningCode::generator_saturated,
                     fmt::format("the generator was the bottleneck: a worker was on a core for "
                                 "{:.0f} % of the time and waited for one for {:.0f} %",
                                 100 * use.ran, 100 * use.waited),
                     use.waited > use.ran ? "give the generator cores of its own" : "more --threads"));
  if (measured.stray_replies > 0)
    doubts.push_back(make_warning(
        WarningCode::stray_replies,
        fmt::format("{} repl{} came though no request was out: others may have been taken for answers to "
                    "requests that had none",
                    measured.stray_replies, measured.stray_replies == 1 ? "y" : "ies")));
  if (judging.closed || judging.all_at_once) return doubts;
  doubt_unsent(measured, doubts);
  if (measured.held_back > 0)
    doubts.push_back(make_warning(
        WarningCode::in_flight_reached,
        fmt::format("{} of {} requests waited because {} were in flight, the most allowed: so "
                    "far the loop was closed, and its times are not the server's",
                    measured.held_back, measured.scheduled + measured.cut_off, judging.in_flight)));
  else
    doubt_schedule(measured, judging.promise.limit_s, use.all() > busy, doubts);
  return doubts;
}

const Warning* not_of_the_server(const std::vector<Warning>& doubts) {
  for (const auto& doubt : doubts)
    if (doubt.weight == Weight::voids || doubt.code == WarningCode::in_flight_reached) return &doubt;
  return nullptr;
}

std::string failures_in_words(const std::vector<Sample>& samples) {
  std::string words;
  for (const auto& kind : enum_names(Outcome{})) {
    const auto n = std::count_if(samples.begin(), samples.end(),
                                 [&](const Sample& s) { return s.outcome == kind.value; });
    if (kind.value != Outcome::answered && n > 0)
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", n, kind.name);
  }
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// The design effect is the larger of that of the late ones and that of the slower half: where none or all
/// are late, only the second tells how much neighbours resemble each other.
Lateness lateness_of(const std::vector<Sample>& samples, double limit_s) {
  std::vector<double> responses;
  for (const auto& sample : samples) responses.push_back(sample.response_s());
  const double usual = stats::quantile(responses, 0.5);
  std::vector<std::uint8_t> late, slow;
  Lateness seen{.n = std::ssize(samples)};
  for (const auto& sample : samples) {
    late.push_back(sample.outcome != Outcome::answered || sample.response_s() > limit_s);
    slow.push_back(sample.response_s() > usual);
    seen.late += late.back();
  }
  seen.design_effect = std::max(stats::design_effect(late), stats::design_effect(slow));
  return seen;
}

}  // namespace neph::load
