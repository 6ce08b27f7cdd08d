#include "advise/job.hpp"

#include <algorithm>
#include <cmath>

namespace neph::advise {
namespace {

constexpr double least_known =
    0.5;  ///< share of the time whose interval must be known, to know that of the whole

/// Values add, and on each side intervals in quadrature. Stages without an interval count as exact, as long
/// as the others are most of it.
void add_up(const price::Work& work, Job& job) {
  double below = 0, above = 0, known = 0;
  for (const auto& [stage, seconds, how] : work.stages) {
    job.job_s += seconds.value;
    if (!seconds.low || !seconds.high) continue;
    known += seconds.value;
    below = std::hypot(below, seconds.value - *seconds.low);
    above = std::hypot(above, *seconds.high - seconds.value);
  }
  if (known <= 0 || known < least_known * job.job_s) return;
  job.low_s = std::max(0.0, job.job_s - below);
  job.high_s = job.job_s + above;
  // An interval may reach down to 0, which no logarithm does.
  job.sigma = *job.low_s > 0 ? std::log(*job.high_s / *job.low_s) / (2 * z95)
                             : std::log(*job.high_s / job.job_s) / z95;
}

Status check(const Configuration& configuration) {
  double sum = 0;
  for (const auto& [stage, seconds, how] : configuration.work.stages) {
    sum += seconds.value;
    const bool is_wrong_interval =
        (seconds.low && !(*seconds.low <= seconds.value)) ||
        (seconds.high && !(*seconds.high >= seconds.value && std::isfinite(*seconds.high)));
    if (!std::isfinite(seconds.value) || seconds.value < 0 || is_wrong_interval)
      return fail(ErrorCode::invalid_argument, "{}: {} takes {} s ({} to {}), which is no time",
                  configuration.work.name, enum_name(stage), seconds.value,
                  seconds.low.value_or(seconds.value), seconds.high.value_or(seconds.value));
  }
  if (sum > 0) return {};
  return fail(ErrorCode::invalid_argument, "{}: it takes no time at all", configuration.work.name);
}

}  // namespace

Job::Length Job::end(double end_s, double times) const {
  const double job_off = end_s - job_s, off = (times - 1) * fixed_s, whole = std::hypot(job_off, off);
  if (whole == 0) return {job_s, times};
  return {job_s + job_off * std::abs(job_off) / whole, 1 + (times - 1) * std::abs(off) / whole};
}

Estimate Job::done() const {
  Estimate done{.value = done_s(), .n = configuration->repeats};
  if (has_interval()) done.low = done_s(low()), done.high = done_s(high());
  return done;
}

double Job::spread_of_one_run() const {
  // Half of Student's interval of n runs is t·s/√n, that of where one more run will lie t·s·√(1 + 1/n).
  return configuration->repeats < 2 ? 1 : std::sqrt(static_cast<double>(configuration->repeats) + 1);
}

std::vector<price::Stretch> Job::stretches_at(const Length& length) const {
  auto all = stretches;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].length = from_seconds(segments[i].length(length.job_s, length.times));
  return all;
}

Result<Job> job_of(const Configuration& configuration, const std::vector<price::Stretch>& assumed) {
  NEPH_CHECK(check(configuration));
  Job job{.configuration = &configuration};
  add_up(configuration.work, job);
  for (const auto& entry : enum_names(BillStage{})) {
    const auto measured = std::ranges::find(configuration.work.stages, entry.value, &price::StageTime::stage);
    const auto guess = std::ranges::find(assumed, entry.value, &price::Stretch::stage);
    if (measured != configuration.work.stages.end()) {
      job.segments.push_back({.stage = entry.value, .share = measured->seconds.value / job.job_s});
      job.stretches.push_back(
          {.stage = entry.value, .length = from_seconds(measured->seconds.value), .known = measured->known});
    } else if (guess != assumed.end()) {
      job.segments.push_back({.stage = entry.value, .assumed_s = seconds(guess->length)});
      job.stretches.push_back(*guess);
      if (entry.value <= BillStage::save) job.fixed_s += seconds(guess->length);
    }
  }
  return job;
}

Job kept_ready(Job job, const price::Rule& rule) {
  const auto after = std::ranges::find_if(
      job.segments, [](const Segment& segment) { return segment.stage >= BillStage::idle; });
  if (rule.idle_s == 0 || (after != job.segments.end() && after->stage == BillStage::idle)) return job;
  const auto place = after - job.segments.begin();
  job.segments.insert(after, {.stage = BillStage::idle, .fixed_s = static_cast<double>(rule.idle_s)});
  job.stretches.insert(job.stretches.begin() + place, {.stage = BillStage::idle,
                                                       .length = std::chrono::seconds(rule.idle_s),
                                                       .known = price::Known::assumed});
  return job;
}

}  // namespace neph::advise
