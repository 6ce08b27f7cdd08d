#include "load/drive.hpp"

#include <algorithm>
#include <ctime>
#include <latch>

#include "os/descriptors.hpp"
#include "os/thread.hpp"
#include "stats/stats.hpp"

namespace neph::load {
namespace {

constexpr Nanoseconds head_start = std::chrono::milliseconds(20);
constexpr Nanoseconds attention = std::chrono::milliseconds(100);
/// Looks at all samples so far cost a sort: one a second, and no more than a tenth of the time.
constexpr Nanoseconds between_looks = std::chrono::seconds(1);
constexpr int looks_apart = 10;
/// A schedule that cannot be sent is given up so long after its end; what the machine delays is sent until
/// then.
constexpr double least_overtime_s = 1, overtime_share = 0.1;

Nanoseconds process_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + Nanoseconds(used.tv_nsec);
}

std::int64_t share_of(std::int64_t all, std::int64_t index, std::int64_t count) {
  return all / count + (index < all % count ? 1 : 0);
}

/// What one thread has: its client, its part of the schedule, its log.
struct Worker {
  SampleLog log;
  Status status;
  WorkerUse use;
  std::int64_t most_in_flight = 0;
  std::int64_t held_back = 0;
  std::int64_t stray_replies = 0;
  std::string first_failure;
  std::atomic<bool> over{false};
};

class Driver {
 public:
  Driver(const DrivePlan& plan, const std::vector<wire::InferRequest>& requests, const Clock& clock,
         const std::stop_token& stop)
      : plan_(plan), requests_(requests), clock_(clock), stop_(stop), workers_(threads()) {}

  Result<Measurement> run(const std::function<void(std::int64_t, std::int64_t)>& progress) {
    Status watched;
    {
      NEPH_TRY(const auto running,
               start_threads("load", std::ssize(workers_), [this](std::int64_t i, const std::stop_token&) {
                 work(static_cast<std::size_t>(i));
               }));
      ready_.wait();
      start_ = clock_.now() + head_start;
      go_.count_down();
      watched = guarded([&] { watch(progress); });
      if (!watched) enough_ = true;
    }
    NEPH_CHECK(watched);
    for (const auto& worker : workers_) NEPH_CHECK(worker.status);
    return collect();
  }

 private:
  /// None without a part of the work.
  std::size_t threads() const {
    auto most = plan_.schedule.empty() ? plan_.clients : std::ssize(plan_.schedule);
    if (plan_.schedule.empty() && plan_.course.count > 0) most = std::min(most, plan_.course.count);
    if (plan_.in_flight > 0) most = std::min(most, plan_.in_flight);
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(plan_.threads, 1, std::max<std::int64_t>(1, most)));
  }

  // ---- In the workers' threads

  void work(std::size_t index) {
    auto& worker = workers_[index];
    Sender* sender = nullptr;
    std::unique_ptr<wire::Client> client;
    std::vector<std::unique_ptr<wire::Outgoing>> encoded;
    std::optional<Sender> made;
    worker.status = guarded([&]() -> Status {
      NEPH_TRY(client, wire::Client::connect(plan_.endpoint, plan_.client, clock_,
                                             [&sender](wire::Call& call) { sender->ended(call); }));
      NEPH_CHECK(encode(*client, encoded));
      sender = &made.emplace(task_of(index, encoded), clock_, worker.log, enough_);
      return {};
    });
    if (!worker.status) failed_ = true;
    ready_.count_down();
    go_.wait();
    if (sender != nullptr && !failed_) {
      worker.status = guarded([&] { sender->run(*client, start_, stop_); });
      worker.use = {sender->thread_use(), sender->measured()};
      worker.most_in_flight = sender->most_in_flight();
      worker.held_back = sender->held_back();
      worker.stray_replies = sender->stray_replies();
      worker.first_failure = sender->first_failure();
    }
    if (!worker.status) enough_ = true;  // the others' figures mean nothing without it
    worker.over = true;
  }

  Status encode(const wire::Client& client, std::vector<std::unique_ptr<wire::Outgoing>>& encoded) const {
    for (const auto& request : requests_) {
      NEPH_TRY(auto outgoing, client.encode(request));
      encoded.push_back(std::move(outgoing));
    }
    return {};
  }

  Task task_of(std::size_t index, const std::vector<std::unique_ptr<wire::Outgoing>>& encoded) const {
    const auto i = static_cast<std::int64_t>(index);
    const auto count = std::ssize(workers_);
    Task task{.first_request = index * encoded.size() / workers_.size(),
              .schedule = slice(plan_.schedule, index, workers_.size()),
              .clients = share_of(plan_.clients, i, count),
              .count = share_of(plan_.course.count, i, count),
              .in_flight = share_of(plan_.in_flight, i, count),
              .begin_measure = from_seconds(plan_.course.warmup_s),
              .end = from_seconds(plan_.course.warmup_s + plan_.course.duration_s),
              .deadline = from_seconds(plan_.deadline_s),
              .drain_timeout = from_seconds(plan_.drain_timeout_s),
              .outputs = plan_.outputs};
    if (plan_.course.count == 0)
      task.give_up =
          task.end + from_seconds(std::max(least_overtime_s, overtime_share * plan_.course.duration_s));
    for (const auto& request : encoded) task.requests.push_back(request.get());
    return task;
  }

  // ---- In the caller's thread

  bool all_over() const {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker.over.load(); });
  }
  std::int64_t ended() const {
    std::int64_t count = 0;
    for (const auto& worker : workers_) count += static_cast<std::int64_t>(worker.log.size());
    return count;
  }
  /// Samples of which `wanted`, by their scheduled times.
  template <class Wanted>
  std::vector<Sample> samples(Wanted wanted) const {
    std::vector<Sample> chosen;
    for (const auto& worker : workers_)
      for (std::size_t i = 0, size = worker.log.size(); i < size; ++i)
        if (wanted(worker.log[i])) chosen.push_back(worker.log[i]);
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const Sample& a, const Sample& b) { return a.scheduled < b.scheduled; });
    return chosen;
  }
  std::int64_t begin() const { return from_seconds(plan_.course.warmup_s).count(); }
  std::vector<Sample> measured() const {
    return samples([from = begin()](const Sample& s) { return s.scheduled >= from; });
  }

  void watch(const std::function<void(std::int64_t, std::int64_t)>& progress) {
    const auto measured_from = start_ + Nanoseconds(begin());
    const auto expected =
        static_cast<std::int64_t>(plan_.schedule.empty() ? plan_.course.count : std::ssize(plan_.schedule));
    bool measuring = false;
    while (!all_over()) {
      const auto next = clock_.now() + attention;
      clock_.sleep_until(measuring ? next : std::min(next, std::max(measured_from, clock_.now())));
      if (!measuring && clock_.now() >= measured_from) {
        measuring = true;
        cpu_ = process_cpu_time();
        ended_before_ = ended();
      }
      progress(ended(), expected);
      if (measuring && !enough_ && clock_.now() >= next_look_) look_for_an_end();
      cpu_used_ = process_cpu_time() - cpu_;
      ended_meanwhile_ = ended() - ended_before_;
    }
  }

  void look_for_an_end() {
    const auto from = clock_.now();
    narrow_enough_ = plan_.narrow.width > 0 && is_narrow();
    if (narrow_enough_ || (plan_.settled && plan_.settled(measured()))) enough_ = true;
    const auto took = clock_.now() - from;
    next_look_ = from + std::max(between_looks, looks_apart * took);
  }

  bool is_narrow() const {
    std::vector<double> response_s;
    for (const auto& sample : measured())
      if (sample.outcome == Outcome::answered) response_s.push_back(sample.response_s());
    const auto quantile = stats::quantile_in_sequence(response_s, plan_.narrow.q);
    return quantile.low && quantile.high &&
           std::max(*quantile.high - quantile.value, quantile.value - *quantile.low) <=
               plan_.narrow.width * quantile.value;
  }

  static void leave_out_cut_off(Measurement& all) {
    const auto is_cut_off = [](const Sample& sample) { return sample.outcome == Outcome::abandoned; };
    for (const auto& sample : all.samples)
      if (is_cut_off(sample)) all.cut_off_after_s = std::max(all.cut_off_after_s, sample.response_s());
    all.cut_off = static_cast<std::int64_t>(std::erase_if(all.samples, is_cut_off));
    std::erase_if(all.carried_over, is_cut_off);
  }

  Measurement collect() const {
    Measurement all{.start = start_, .begin = begin()};
    all.samples = measured();
    all.carried_over =
        samples([from = begin()](const Sample& s) { return s.scheduled < from && s.done >= from; });
    all.process_cpu = cpu_used_;
    all.ended_meanwhile = ended_meanwhile_;
    all.narrow_enough = narrow_enough_;
    all.ended_early = enough_;
    all.stopped = stop_.stop_requested();
    for (const auto& worker : workers_) {
      all.workers.push_back(worker.use);
      all.most_in_flight += worker.most_in_flight;
      all.held_back += worker.held_back;
      all.stray_replies += worker.stray_replies;
      if (all.first_failure.empty()) all.first_failure = worker.first_failure;
      all.end = std::max(all.end, all.begin + worker.use.measured.count());
    }
    if (plan_.course.count == 0 && !all.stopped && !enough_) {  // the last gap counts
      all.end = std::max(all.end, all.begin + from_seconds(plan_.course.duration_s).count());
      all.offered_s = plan_.course.duration_s;
    }
    if (all.stopped) leave_out_cut_off(all);
    all.scheduled =
        plan_.schedule.empty() || all.ended_early || all.stopped
            ? std::ssize(all.samples)
            : plan_.schedule.end() -
                  std::lower_bound(plan_.schedule.begin(), plan_.schedule.end(), Nanoseconds(all.begin));
    return all;
  }

  const DrivePlan& plan_;
  const std::vector<wire::InferRequest>& requests_;
  const Clock& clock_;
  const std::stop_token stop_;
  std::vector<Worker> workers_;
  std::latch ready_{static_cast<std::ptrdiff_t>(threads())};
  std::latch go_{1};
  std::atomic<bool> failed_{false};
  std::atomic<bool> enough_{false};
  Moment start_, next_look_;
  Nanoseconds cpu_{}, cpu_used_{};
  std::int64_t ended_before_ = 0, ended_meanwhile_ = 0;
  bool narrow_enough_ = false;
};

}  // namespace

Result<Measurement> drive(const DrivePlan& plan, const std::vector<wire::InferRequest>& requests,
                          const Clock& clock, const std::stop_token& stop,
                          const std::function<void(std::int64_t, std::int64_t)>& progress) {
  allow_descriptors();  // an open loop over HTTP has a connection for each request in flight
  return Driver(plan, requests, clock, stop).run(progress);
}

}  // namespace neph::load
