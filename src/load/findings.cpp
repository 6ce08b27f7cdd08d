#include "load/findings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/units.hpp"
#include "record/metrics.hpp"
#include "record/samples.hpp"
#include "record/stages.hpp"
#include "stats/stats.hpp"

namespace neph::load {
namespace {

/// Stretches of equal time whose counts give the interval of a rate (batch means: Law, section 9.5.3).
constexpr std::size_t stretches = 10;
/// Stretches whose medians show a trend, and what is one.
constexpr std::size_t stretches_of_trend = 20;
constexpr double drift_tolerance = 0.1;
/// Requests that had not ended when the sending did, of all: more is a queue that grows.
constexpr double left_behind = 0.05;
constexpr std::int64_t few_left_behind = 10;
/// A queue has grown if it is longer at the end than in the middle by so many deviations of what random
/// arrivals make of either.
constexpr double deviations_of_growth = 3;
/// More rows of raw samples are thinned evenly.
constexpr std::size_t most_rows = 500'000;

class Summing {
 public:
  Summing(const Measurement& measured, const Judging& judging, RunResult& result)
      : measured_(measured),
        judging_(judging),
        result_(result),
        generator_doubts_(load::generator_doubts(measured, judging)) {
    for (const auto& sample : measured.samples)
      if (sample.outcome == Outcome::answered) answered_.push_back(sample);
    end_ = measured.end;
    if (judging.by_count) {
      if (has_gaps()) end_ = std::max(end_, measured.begin + sending());
      for (const auto& sample : measured.samples) end_ = std::max(end_, sample.done);
    }
    length_s_ = std::max(1e-9, static_cast<double>(end_ - measured.begin) * 1e-9);
  }

  void rates() {
    const auto answered = rate([](const Sample& s) { return s.outcome == Outcome::answered; });
    add(metric::requests_per_s, answered);
    if (!judging_.closed)
      add(metric::offered_per_s,
          {.value = static_cast<double>(measured_.scheduled) / offering_s(), .n = measured_.scheduled});
    add(metric::inferences_per_s, scaled(answered, static_cast<double>(judging_.batch)));
    if (judging_.promise.limit_s > 0)
      add(metric::goodput_per_s, rate([&](const Sample& s) {
            return s.outcome == Outcome::answered && s.response_s() <= judging_.promise.limit_s;
          }));
  }

  void times() {
    const bool issues_at_will = !judging_.closed && !judging_.all_at_once && judging_.in_flight == 0;
    time(
        metric::response, answered_, [](const Sample& s) { return s.response_s(); },
        [&](const Sample& s) { return s.receive_s() + (issues_at_will ? s.issue_delay_s() : 0); });
    time(
        metric::service, answered_, [](const Sample& s) { return s.service_s(); },
        [](const Sample& s) { return s.receive_s(); });
    std::vector<double> delays;
    for (const auto& sample : measured_.samples) delays.push_back(1e3 * sample.issue_delay_s());
    if (!judging_.closed && !delays.empty()) {
      add(metric::issue_delay_p99_ms, stats::quantile_in_sequence(delays, 0.99));
      add(metric::issue_delay_max_ms,
          {.value = *std::max_element(delays.begin(), delays.end()), .n = std::ssize(delays)});
    }
  }

  /// Requests by what became of them, and how long those took that were not answered.
  void outcomes() {
    for (const auto& kind : enum_names(Outcome{})) {
      std::vector<Sample> of_kind;
      for (const auto& sample : measured_.samples)
        if (sample.outcome == kind.value) of_kind.push_back(sample);
      add(outcome_figure(kind.value, {.value = static_cast<double>(of_kind.size()), .n = count()}));
      if (kind.value != Outcome::answered && !of_kind.empty())
        time(
            metric::not_answered(kind.value), of_kind, [](const Sample& s) { return s.response_s(); },
            [](const Sample&) { return 0.0; });
    }
    double in_flight_s = 0;
    for (const auto& sample : measured_.samples)
      in_flight_s += static_cast<double>(sample.done - sample.issued) * 1e-9;
    add(metric::in_flight_mean, {.value = in_flight_s / length_s_, .n = count()});
    add(metric::in_flight_max, {.value = static_cast<double>(measured_.most_in_flight), .n = count()});
  }

  void promise() {
    const auto& promise = judging_.promise;
    if (promise.limit_s <= 0 || measured_.samples.empty()) return;
    const auto seen = lateness_of(measured_.samples, promise.limit_s);
    auto share = stats::share_estimate(
        std::llround(static_cast<double>(seen.late) / seen.design_effect),
        std::max<std::int64_t>(1, std::llround(static_cast<double>(seen.n) / seen.design_effect)));
    share.value = static_cast<double>(seen.late) / static_cast<double>(seen.n);
    share.n = seen.n;
    add(metric::late_share, share);
    add(metric::requests_late, {.value = static_cast<double>(seen.late), .n = seen.n});
    if (is_broken(seen, share) && tells_of_the_server())
      warn(make_warning(WarningCode::promise_broken,
                        fmt::format("{} % of the requests were not answered within {}, {} % are allowed",
                                    format_number(100 * share.value), format_seconds(promise.limit_s),
                                    format_number(100 * (1 - promise.q)))));
  }

  void generator() {
    double busy = 0;
    for (const auto& worker : measured_.workers)
      if (worker.measured.count() > 0)
        busy = std::max(busy, seconds(worker.thread.ran) / seconds(worker.measured));
    add(metric::generator_busy, {.value = busy, .n = 1});
    if (measured_.ended_meanwhile > 0)
      add(metric::generator_cpu_us,
          {.value = 1e6 * seconds(measured_.process_cpu) / static_cast<double>(measured_.ended_meanwhile),
           .n = measured_.ended_meanwhile});
    for (const auto& doubt : generator_doubts_) warn(doubt);
  }

  void doubts() {
    doubt_outcomes();
    doubt_quantiles();
    if (measured_.stopped)
      warn(make_warning(WarningCode::stopped_early, stopped_words(),
                        "the metrics are of what was measured until then"));
    if (judging_.closed)
      warn(make_warning(WarningCode::closed_loop,
                        "while the server is slow it is asked less, so these are the times of clients that "
                        "wait for each reply"));
    else if (!judging_.all_at_once && tells_of_the_server())
      doubt_queue();
    doubt_steadiness();
  }

  void stages() {
    if (answered_.empty()) return;
    RequestStages requests;
    double response_s = 0;
    for (const auto& sample : answered_) {
      requests.add(sample.times());
      response_s += sample.response_s();
    }
    for (const auto& kind : requests.kinds())
      result_.stages.push_back({std::string(kind.name), requests.sum_s(kind), requests.requests()});
    if (requests.server_tells())
      add(metric::unexplained_share,
          {.value = requests.sum_s(stage::unexplained) / response_s, .n = requests.requests()});
  }

  void samples(double origin_s) {
    const auto step = (measured_.samples.size() + most_rows - 1) / most_rows;
    const auto column = [&](std::string_view name, auto value) {
      Column values{std::string(name), {}};
      for (std::size_t i = 0; i < measured_.samples.size(); i += step)
        values.values.push_back(value(measured_.samples[i]));
      result_.samples.push_back(std::move(values));
    };
    const auto at = [origin_s](std::int64_t ns) { return origin_s + static_cast<double>(ns) * 1e-9; };
    const auto nothing = std::numeric_limits<double>::quiet_NaN();
    column(samples::scheduled_s, [&](const Sample& s) { return at(s.scheduled); });
    column(samples::issued_s, [&](const Sample& s) { return at(s.issued); });
    column(samples::sent_s, [&](const Sample& s) { return at(s.sent); });
    column(samples::first_byte_s,
           [&](const Sample& s) { return s.first_byte < 0 ? nothing : at(s.first_byte); });
    column(samples::done_s,
           [&](const Sample& s) { return s.outcome == Outcome::answered ? at(s.done) : nothing; });
    column(samples::failed_s,
           [&](const Sample& s) { return s.outcome == Outcome::answered ? nothing : at(s.done); });
    column(samples::outcome, [](const Sample& s) { return static_cast<double>(s.outcome); });
    if (step > 1) set(result_.facts, fact::raw_samples, fmt::format("every {}th of {}", step, count()));
  }

 private:
  std::int64_t count() const { return std::ssize(measured_.samples); }

  /// A schedule whose arrivals do not all come together.
  bool has_gaps() const {
    return !judging_.closed && !judging_.all_at_once && !measured_.samples.empty() &&
           measured_.samples.back().scheduled > measured_.samples.front().scheduled;
  }
  /// Nanoseconds from the first arrival to the last and its gap, which is taken to be as long as the others.
  /// Those that come together, as bursts do, have one gap.
  std::int64_t sending() const {
    const auto& samples = measured_.samples;
    const auto first = samples.front().scheduled, last = samples.back().scheduled;
    const auto before_last = std::count_if(samples.begin(), samples.end(),
                                           [&](const Sample& sample) { return sample.scheduled < last; });
    return std::llround(static_cast<double>(last - first) * static_cast<double>(count()) /
                        static_cast<double>(before_last));
  }
  /// What counts on until the last reply would call a slow server's drain a lower offer.
  double offering_s() const {
    if (measured_.offered_s > 0) return measured_.offered_s;
    return judging_.by_count && has_gaps() ? static_cast<double>(sending()) * 1e-9 : length_s_;
  }

  /// A generator that was the bottleneck, or held requests back, makes any server look slow.
  bool tells_of_the_server() const { return not_of_the_server(generator_doubts_) == nullptr; }
  void add(Figure figure) { result_.figures.push_back(std::move(figure)); }
  void add(const Metric& metric, const Estimate& estimate) { add(figure(metric, estimate)); }
  void warn(Warning warning) { result_.warnings.push_back(std::move(warning)); }

  /// By the counts and by the interval, which alone knows how much neighbours resemble each other.
  bool is_broken(const Lateness& seen, const Estimate& share) const {
    const double allowed = 1 - judging_.promise.q;
    return share.low && *share.low > allowed &&
           stats::slo_of(static_cast<double>(seen.late), static_cast<double>(seen.n), allowed,
                         1 - kConfidence) == Slo::violated;
  }

  std::string stopped_words() const {
    auto words = fmt::format("stopped by the user after {} requests", count());
    if (measured_.cut_off > 0)
      words += fmt::format("; {} more were under way, for up to {}, and are in no metric", measured_.cut_off,
                           format_seconds(measured_.cut_off_after_s));
    return words;
  }

  /// Requests per second that ended in the measured time and count. Those carried over from the warm-up stand
  /// for measured ones that ended too late to be counted, and for no others: more would be answered than was
  /// asked.
  template <class Counts>
  Estimate rate(Counts counts) const {
    std::vector<double> per_s(stretches, 0.0);
    std::int64_t n = 0;
    const double stretch_s = length_s_ / stretches;
    const auto add = [&](const Sample& sample) {
      const auto place =
          static_cast<std::size_t>(static_cast<double>(sample.done - measured_.begin) * 1e-9 / stretch_s);
      per_s[std::min(place, stretches - 1)] += 1 / stretch_s;
      ++n;
    };
    const auto last_sent = judging_.by_count && has_gaps() ? measured_.begin + sending() : measured_.end;
    std::int64_t too_late = 0;
    for (const auto& sample : measured_.samples) {
      too_late += sample.done > last_sent;
      if (counts(sample) && sample.done <= end_) add(sample);
    }
    for (const auto& sample : measured_.carried_over)
      if (counts(sample) && sample.done <= end_ && --too_late >= 0) add(sample);
    auto estimate = n >= 5 * std::ssize(per_s) ? stats::mean_estimate(per_s) : Estimate{};
    estimate.value = static_cast<double>(n) / length_s_;
    if (estimate.low) *estimate.low = std::max(0.0, *estimate.low);
    estimate.n = n;
    return estimate;
  }

  /// `own(sample)`: seconds of its value that are the generator's. An interval reaches down to where its
  /// percentile would begin without them.
  template <class Value, class Own>
  void time(const Metric& metric, const std::vector<Sample>& samples, Value value, Own own) {
    if (samples.empty()) return;
    std::vector<double> ms, without_own;
    double sum = 0;
    for (const auto& sample : samples) {
      sum += ms.emplace_back(1e3 * value(sample));
      without_own.push_back(1e3 * (value(sample) - own(sample)));
    }
    for (const auto name : usual_percentiles) {
      const double q = *percentile_of(name);
      auto estimate = stats::quantile_in_sequence(ms, q);
      if (const auto least = stats::quantile_in_sequence(without_own, q).low)
        estimate.low = std::min(estimate.low.value_or(*least), *least);
      add(time_figure(metric, name, estimate));
    }
    const auto n = std::ssize(ms);
    add(time_figure(metric, statistic::mean, {.value = sum / static_cast<double>(n), .n = n}));
    const auto [least, most] = std::minmax_element(ms.begin(), ms.end());
    add(time_figure(metric, statistic::min, {.value = *least, .n = n}));
    add(time_figure(metric, statistic::max, {.value = *most, .n = n}));
  }

  void doubt_outcomes() {
    const auto bad = count() - std::ssize(answered_);
    if (bad == 0) return;
    auto warning = make_warning(WarningCode::requests_failed,
                                fmt::format("{} of {} requests were not answered: {}", bad, count(),
                                            failures_in_words(measured_.samples)));
    if (!measured_.first_failure.empty())
      warning.message += fmt::format("; the first that failed: {}", measured_.first_failure);
    warning.weight = answered_.empty() ? Weight::voids : Weight::doubt;
    warn(std::move(warning));
  }

  void doubt_quantiles() {
    std::string wanting;
    for (const auto name : usual_percentiles)
      if (const auto needed = stats::samples_needed(*percentile_of(name)); std::ssize(answered_) < needed)
        wanting += fmt::format("{}{} needs {}", wanting.empty() ? "" : ", ", name, format_grouped(needed));
    if (!wanting.empty())
      warn(
          make_warning(WarningCode::few_samples,
                       fmt::format("{} answered requests are too few for an interval of every percentile: {}",
                                   answered_.size(), wanting)));
  }

  /// Requests of those that were due at the moment and had no reply yet.
  static std::int64_t in_flight_at(std::int64_t moment, const std::vector<Sample>& samples) {
    return std::count_if(samples.begin(), samples.end(),
                         [&](const Sample& s) { return s.scheduled <= moment && s.done > moment; });
  }
  std::int64_t in_flight_at(std::int64_t moment) const {
    return in_flight_at(moment, measured_.carried_over) + in_flight_at(moment, measured_.samples);
  }

  /// A slow server has many in flight too, but no more at the end than in the middle.
  void doubt_queue() {
    const auto behind = in_flight_at(measured_.end);
    const auto many = std::max<std::int64_t>(
        few_left_behind, static_cast<std::int64_t>(left_behind * static_cast<double>(count())));
    const auto before = in_flight_at(std::midpoint(measured_.begin, measured_.end));
    const double by_chance = std::sqrt(static_cast<double>(behind + before));
    if (behind > many && static_cast<double>(behind - before) > deviations_of_growth * by_chance)
      warn(make_warning(
          WarningCode::overloaded,
          fmt::format("{} of {} requests had no reply yet when the last was sent: the queue grew as long "
                      "as the run lasted",
                      in_flight_at(measured_.end, measured_.samples), count())));
  }

  /// Of requests that come together each waits for those before it: that they take longer is no drift.
  void doubt_steadiness() {
    if (answered_.size() < 10 * stretches_of_trend) return;
    std::vector<double> medians;
    for (std::size_t i = 0; i < stretches_of_trend; ++i) {
      std::vector<double> response_s;
      for (auto k = answered_.size() * i / stretches_of_trend;
           k < answered_.size() * (i + 1) / stretches_of_trend; ++k)
        response_s.push_back(answered_[k].response_s());
      medians.push_back(stats::median(response_s));
    }
    const auto trend = stats::trend_of(medians);
    const bool is_the_line = (judging_.all_at_once || judging_.in_bursts) && trend.change > 0;
    if (stats::drifts(trend, drift_tolerance) && !is_the_line)
      warn(make_warning(WarningCode::unsteady,
                        fmt::format("the response time was {} times as long at the end as at the beginning",
                                    format_number(stats::end_over_beginning(medians), 3)),
                        "a longer --warmup, or look for what changed with it"));
  }

  const Measurement& measured_;
  const Judging& judging_;
  RunResult& result_;
  const std::vector<Warning> generator_doubts_;
  std::vector<Sample> answered_;
  std::int64_t end_ = 0;
  double length_s_ = 0;
};

}  // namespace

void sum_up(const Measurement& measured, const Judging& judging, double origin_s, RunResult& result) {
  Summing summing(measured, judging, result);
  if (judging.closed) summing.rates();
  summing.times();
  if (!judging.closed) summing.rates();  // an open loop's rate was chosen: its first figure is a time
  summing.outcomes();
  summing.promise();
  summing.generator();
  summing.doubts();
  summing.stages();
  summing.samples(origin_s);
}

}  // namespace neph::load
