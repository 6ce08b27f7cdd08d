#include "host/telemetry.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "host/sampler.hpp"
#include "os/thread.hpp"

namespace neph::host {
namespace {

class ThreadedTelemetry final : public Telemetry {
 public:
  ThreadedTelemetry(const TelemetryOptions& options, const Clock& clock, Moment origin)
      : options_(options), clock_(&clock), period_(from_seconds(1 / options.rate_hz)), origin_(origin) {}

  Status begin() {
    NEPH_TRY(thread_, start_thread(
                          "telemetry", [this](const std::stop_token& stop) { run(stop); }, end_process));
    return {};
  }

  void also(int pid) override {
    const std::lock_guard lock(mutex_);
    joining_.push_back(pid);
  }

  void mark() override {
    {
      const std::lock_guard lock(mutex_);
      marked_ = true;
    }
    wake_.notify_one();
  }

  std::vector<Series> stop() override {
    if (thread_.joinable()) {
      thread_.request_stop();
      thread_.join();
    }
    return std::exchange(series_, {});
  }

  double cost_cpu_s() const override { return cost_cpu_s_; }

 private:
  void run(const std::stop_token& stop) {
    Sampler sampler(options_, *clock_, origin_);
    sampler.step(true);
    auto next = clock_->now() + period_;
    while (true) {
      const bool marked = wait_until(next, stop);
      if (stop.stop_requested()) break;
      for (const int pid : joined()) sampler.also(pid);
      sampler.step(marked);
      cost_cpu_s_ = seconds(thread_cpu_time());
      // After a mark the beat starts anew, and missed beats are not made up for.
      const auto now = clock_->now();
      next = marked || now - next > period_ ? now + period_ : next + period_;
    }
    sampler.step(true);
    series_ = sampler.take();
    cost_cpu_s_ = seconds(thread_cpu_time());
  }

  /// True: woken by mark().
  bool wait_until(Moment moment, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, std::max(Nanoseconds(0), moment - clock_->now()), [this] { return marked_; });
    return std::exchange(marked_, false);
  }

  std::vector<int> joined() {
    const std::lock_guard lock(mutex_);
    return std::exchange(joining_, {});
  }

  const TelemetryOptions options_;
  const Clock* clock_;
  const Nanoseconds period_;
  const Moment origin_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool marked_ = false;         ///< under mutex_
  std::vector<int> joining_;    ///< under mutex_
  std::vector<Series> series_;  ///< the thread's, until it is joined
  std::atomic<double> cost_cpu_s_ = 0;
  std::jthread thread_;  ///< last: it is joined before the rest goes
};

struct Span {
  double begin_s;
  double end_s;
  double length() const { return end_s - begin_s; }
};

// The time that point i stands for.
Span span_of(const Series& series, std::size_t i) {
  constexpr double ever = std::numeric_limits<double>::infinity();
  return {i == 0 ? -ever : series.at_s[i - 1], i + 1 == series.at_s.size() ? ever : series.at_s[i]};
}

double overlap(Span a, Span b) { return std::min(a.end_s, b.end_s) - std::max(a.begin_s, b.begin_s); }

// An endless span lies mostly outside of every window, but its finite neighbourhood is what was observed: it
// is taken to be as long as the distance to the next reading.
double observed_length(const Series& series, std::size_t i) {
  if (series.at_s.size() < 2) return 0;
  return i == 0 ? series.at_s[1] - series.at_s[0] : series.at_s[i] - series.at_s[i - 1];
}

void fill(const Series& series, Span window, SeriesSummary& summary) {
  double weighted = 0;
  double weight = 0;
  double covering_overlap = -std::numeric_limits<double>::infinity();
  double covering = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double value = series.values[i];
    const double inside = overlap(span_of(series, i), window);
    if (inside > covering_overlap) {
      covering_overlap = inside;
      covering = value;
    }
    if (inside <= 0 || inside < 0.5 * observed_length(series, i)) continue;
    weighted += value * inside;
    weight += inside;
    summary.max = std::max(summary.max.value_or(value), value);
    summary.min = std::min(summary.min.value_or(value), value);
  }
  if (weight > 0)
    summary.mean = std::clamp(weighted / weight, *summary.min, *summary.max);
  else
    summary.mean = summary.max = summary.min = covering;
}

}  // namespace

Result<std::unique_ptr<Telemetry>> Telemetry::start(const TelemetryOptions& options, const Clock& clock,
                                                    Moment origin) {
  if (!(options.rate_hz >= 0.1 && options.rate_hz <= 1000))
    return fail(ErrorCode::invalid_argument, "telemetry at {} readings a second: give 0.1 to 1000",
                options.rate_hz);
  auto complete = options;
  if (complete.pid == 0) complete.pid = ::getpid();
  const auto folder = complete.root / "proc" / fmt::format("{}", complete.pid);
  std::error_code error;
  if (!std::filesystem::exists(folder, error))
    return fail(ErrorCode::not_found, "{} does not exist: no such process to watch", folder.string());
  auto telemetry = std::make_unique<ThreadedTelemetry>(complete, clock, origin);
  NEPH_CHECK(telemetry->begin());
  return telemetry;
}

std::vector<SeriesSummary> summarise(const std::vector<Series>& series, double begin_s, double end_s) {
  std::vector<SeriesSummary> summaries;
  summaries.reserve(series.size());
  for (const auto& one : series) {
    auto& summary = summaries.emplace_back(SeriesSummary{
        .target = one.target, .name = one.name, .unit = one.unit, .unavailable = one.unavailable});
    if (!one.values.empty() && one.values.size() == one.at_s.size()) fill(one, {begin_s, end_s}, summary);
  }
  return summaries;
}

}  // namespace neph::host
