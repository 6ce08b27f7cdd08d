// How requests come into a deployment and leave it; what is run, and when: deployment_run.cpp.
#include "serve/deployment.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "serve/admission.hpp"

namespace neph::serve {
namespace {

/// Some microseconds: as long as falling asleep and being woken takes.
constexpr int tries_before_sleep = 50;

}  // namespace

Deployment::~Deployment() {
  close();
  drain(Moment::max());
}

// ---- In

void Deployment::run(Job& job) {
  if (const auto status = contained([&] { return check(job); }); !status) return finish(job, status);
  Lock lock = locked();
  if (const auto status = contained([&] { return make_room(job); }); !status) {
    lock.unlock();
    return finish(job, status);
  }
  if (!decoders_) return enqueue(job, lock);
  lock.unlock();
  decoders_->add(job);
}

/// What is done under the lock takes less than falling asleep for it and being woken.
Deployment::Lock Deployment::locked() const {
  for (int tries = 0; tries < tries_before_sleep; ++tries)
    if (Lock lock(mutex_, std::try_to_lock); lock) return lock;
  return Lock(mutex_);
}

Job& Deployment::accept(wire::Exchange& exchange) {
  const Lock lock = locked();
  if (free_jobs_.empty()) {
    auto& made = jobs_.emplace_back(std::make_unique<Job>());
    free_jobs_.reserve(jobs_.capacity());  // here: where one comes back there may be no memory
    free_jobs_.push_back(made.get());
  }
  Job& job = *free_jobs_.back();
  free_jobs_.pop_back();
  if (const auto kept = job.kept_bytes(); kept > 0) kept_bytes_ -= kept;
  job.exchange = &exchange;
  job.arrived = exchange.arrived;
  job.late = closed_;  // judged here: what was accepted in time is answered, however long its checks take
  ++accepted_;
  return job;
}

/// What can be said of a request without looking at the others.
Status Deployment::check(Job& job) {
  if (job.late)
    return fail(ErrorCode::unavailable, "model '{}' is being unloaded; it answers only what came before",
                name_.name);
  NEPH_CHECK(take_in(signature_, regions_, job));
  const bool is_bounded = !signature_.has_open_inputs() && job.rows <= signature_.execution_rows;
  if (!is_bounded && job.bytes > static_cast<std::uint64_t>(options_.queue_bytes))
    return fail(ErrorCode::invalid_argument,
                "a request that takes {} bytes, as it came, decoded and answered; this server takes up to {} "
                "(--queue-bytes)",
                job.bytes, options_.queue_bytes);
  stamp(job);
  if (auto reason = unwanted(job, job.queued)) return tl::unexpected(std::move(*reason));
  return {};
}

/// Counts it against the queue's bounds. Under the lock.
Status Deployment::make_room(Job& job) {
  if (waiting_ >= options_.queue_requests)
    return full(job, fmt::format("{} requests", waiting_), "--queue-requests");
  const auto bytes = waiting_bytes_ + job.bytes;
  if (waiting_ > 0 && bytes > static_cast<std::uint64_t>(options_.queue_bytes))
    return full(job, fmt::format("{} bytes", waiting_bytes_), "--queue-bytes");
  ++waiting_;
  waiting_bytes_ = bytes;
  job.waits = true;
  return {};
}

/// Refuses it until, as far as is known, what waits has been run. Under the lock.
tl::unexpected<Error> Deployment::full(Job& job, const std::string& holds, const char* option) const {
  const auto& largest = costs_.back();
  const double executions = static_cast<double>(waiting_) / static_cast<double>(largest.rows);
  job.exchange->retry_after = std::max<Nanoseconds>(
      std::chrono::milliseconds(1),
      from_seconds(executions * largest.seconds / static_cast<double>(instances_.size())));
  return fail(ErrorCode::unavailable,
              "the queue of model '{}' is full ({}); try again later, or give it more with {}", name_.name,
              holds, option);
}

/// The request leaves the queue's account. Under the lock.
void Deployment::begin(Job& job) {
  if (!std::exchange(job.waits, false)) return;
  --waiting_;
  waiting_bytes_ -= job.bytes;
}

void Deployment::decoded(Job& job) {
  if (job.broken) return finish(job, {});
  stamp(job);
  if (auto reason = unwanted(job, job.queued)) return finish(job, tl::unexpected(std::move(*reason)));
  Lock lock = locked();
  enqueue(job, lock);
}

/// Its inputs are tensors now, or pictures that will be.
void Deployment::stamp(Job& job) const {
  job.queued = clock_.now();
  job.exchange->stages.decode = job.queued - job.exchange->received;
}

/// Queues it, or runs it; the lock is free afterwards.
void Deployment::enqueue(Job& job, Lock& lock) {
  if (Instance* instance = instance_for_now(job)) {
    lock.unlock();
    return run_here(*instance);
  }
  if (job.exchange->deadline) wake_by(*job.exchange->deadline);
  dispatch(lock);
}

// ---- Out

void Deployment::finish(Job& job, const Status& status) {
  if (job.waits) {  // its place is free before its client hears of it, and may ask again
    const Lock lock = locked();
    begin(job);
  }
  reply(job, status, clock_.now(), statistics_);
  const Lock lock = locked();
  put_back(job);
}

/// The exchange may be gone from here on, and the job is as new. A broken job gets its own fault. Whatever is
/// thrown, the exchange is finished once.
void Deployment::reply(Job& job, const Status& status, Moment now, Statistics& statistics) {
  auto& exchange = *job.exchange;
  const auto total = now - exchange.received;
  auto outcome = contained([&]() -> Status {
    if (job.broken) return tl::unexpected(std::move(job.fault));
    if (!status) return status;
    exchange.reply.model = name_.name;
    exchange.reply.version = name_.version;
    return {};
  });
  if (outcome)
    statistics.add_success(job.rows, exchange.stages, total);
  else
    statistics.add_failure(total);
  std::ignore = contained([&] { exchange.finish(std::move(outcome)); });
  job.clear();
  const auto kept = job.kept_bytes();
  if (kept > 0 && kept_bytes_.fetch_add(kept) + kept > most_kept_bytes_) {
    kept_bytes_ -= kept;
    job.let_go_memory();
  }
}

/// For the next request. Under the lock.
void Deployment::put_back(Job& job) {
  free_jobs_.push_back(&job);
  --accepted_;
  answered_.notify_all();
}

void Deployment::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

bool Deployment::drain(Moment until) {
  Lock lock(mutex_);
  const auto done = [this] {
    return accepted_ == 0 && starting_ == 0 && idle_instances_.size() == instances_.size();
  };
  if (until == Moment::max()) {
    answered_.wait(lock, done);
    return true;
  }
  return answered_.wait_for(lock, std::max(Nanoseconds(0), until - clock_.now()), done);
}

void Deployment::abort() {
  aborted_ = true;
  Lock lock(mutex_);
  expire(lock, clock_.now());
}

// ---- The clock

void Deployment::wake_by(Moment moment) {
  if (moment >= wake_) return;
  wake_ = moment;
  woken_.notify_all();
}

/// Answers those of the queue that are unwanted. The lock is free while it does.
void Deployment::expire(Lock& lock, Moment now) {
  Job* taken = nullptr;
  queue_.remove([&](const Job& job) { return unwanted(job, now).has_value(); },
                [&](Job& job) { job.next = std::exchange(taken, &job); });
  lock.unlock();
  while (taken != nullptr) {
    Job& job = *std::exchange(taken, taken->next);
    finish(job, tl::unexpected(*unwanted(job, now)));
  }
  lock.lock();
}

void Deployment::watch_clock(const std::stop_token& stop) {
  Lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto now = clock_.now();
    if (now < wake_) {
      const auto known = wake_;
      const auto earlier = [&] { return wake_ < known; };
      if (known == Moment::max())
        woken_.wait(lock, stop, earlier);
      else
        woken_.wait_for(lock, stop, known - now, earlier);
      continue;
    }
    wake_ = Moment::max();
    expire(lock, now);
    queue_.look([&](const Job& job) {
      if (job.exchange->deadline) wake_by(*job.exchange->deadline);
      return true;
    });
    dispatch(lock);
  }
}

}  // namespace neph::serve
