// Which requests of a deployment run together, when, and what becomes of an execution.
#include <algorithm>
#include <cmath>
#include <utility>

#include "serve/deployment.hpp"

namespace neph::serve {
namespace {

/// A cost follows its measurements down at once and up slowly: a late one is mostly the machine's doing, and
/// says little about the next.
double learned_cost(double known_s, double measured_s) {
  if (measured_s <= known_s) return measured_s;
  return known_s + 0.05 * (std::min(measured_s, 4 * known_s) - known_s);
}

}  // namespace

/// An instance that holds the job already, if it is best run at once and on this thread; else the job is in
/// the queue.
Instance* Deployment::instance_for_now(Job& job) {
  const bool first = queue_.empty() && !idle_instances_.empty();
  queue_.push(job);
  if (!first || signature_.has_open_inputs()) return nullptr;  // of open shapes no two cost the same
  if (cost_of(job.rows) > worth_handing_over_s) return nullptr;
  return next_batch(job.queued);
}

/// Of all executions that so many rows take, in seconds. Under the lock.
double Deployment::cost_of(std::int64_t rows) const {
  const auto& largest = costs_.back();
  if (rows <= largest.rows) return costs_[smallest_holding(costs_, rows)].seconds;
  return largest.seconds * std::ceil(static_cast<double>(rows) / static_cast<double>(largest.rows));
}

void Deployment::run_here(Instance& instance) {
  auto status = instance.infer();
  while (status && instance.has_more())
    status = contained([&] {
      instance.next();
      return instance.infer();
    });
  complete(instance, status);
}

/// Starts what can be started. The lock is free while it does.
void Deployment::dispatch(Lock& lock) {
  while (Instance* instance = queue_.empty() ? nullptr : next_batch(clock_.now())) {
    ++starting_;
    lock.unlock();
    const bool runs = start(*instance);
    lock.lock();
    --starting_;
    if (!runs) release(*instance);
  }
  answered_.notify_all();
}

/// A free instance with the jobs of the next execution; null when there is nothing to run now.
Instance* Deployment::next_batch(Moment now) {
  if (queue_.empty() || idle_instances_.empty()) return nullptr;
  const auto next = plan(now);
  if (next.requests == 0) return nullptr;
  Instance& instance = *idle_instances_.back();
  idle_instances_.pop_back();
  instance.clear(next.size, now);
  for (std::size_t i = 0; i < next.requests; ++i) {
    Job& job = queue_.pop();
    begin(job);
    instance.add(job);
  }
  return &instance;
}

/// Whoever is at the front waits for others until it has waited long enough, or would come too late.
BatchPlan Deployment::plan(Moment now) {
  const auto max_wait = from_seconds(options_.max_wait.value);
  const auto longest = from_seconds(costs_.back().seconds);
  Moment must_run = Moment::max();
  std::int64_t rows = 0;
  bool alone = false;
  front_.clear();
  queue_.look([&](const Job& job) {
    alone = job.alone || job.rows > costs_.back().rows;
    if (alone && !front_.empty()) return false;
    front_.push_back(std::min(job.rows, costs_.back().rows));
    must_run = std::min(must_run, job.queued + max_wait);
    if (job.exchange->deadline) must_run = std::min(must_run, *job.exchange->deadline - longest);
    rows += job.rows;
    return !alone && rows < costs_.back().rows;
  });
  const auto planned = plan_batch(front_, costs_, !alone && now < must_run);
  if (planned.requests == 0) wake_by(must_run);
  return planned;
}

/// False: nothing was left to run, or it could not be started; everybody has been told, the instance is free.
bool Deployment::start(Instance& instance) {
  drop_unwanted(instance);
  if (instance.jobs().empty()) return false;
  auto status = instance.start();
  if (!status) answer(instance, status);
  return status.has_value();
}

void Deployment::drop_unwanted(Instance& instance) {
  const auto now = clock_.now();
  std::int64_t rows = 0;
  const auto dropped = std::erase_if(instance.jobs(), [&](Job* job) {
    auto reason = unwanted(*job, now);
    if (reason)
      finish(*job, tl::unexpected(std::move(*reason)));
    else
      rows += job->rows;
    return reason.has_value();
  });
  if (dropped == 0 || rows == 0) return;
  std::size_t size = 0;
  while (sessions_[size].rows < rows) ++size;
  instance.resize(size);
}

/// Why nobody wants it run any more.
std::optional<Error> Deployment::unwanted(const Job& job, Moment now) const noexcept {
  auto wanted = contained([&]() -> Status {
    if (aborted_)
      return fail(ErrorCode::unavailable, "model '{}' is stopping, and there is no time left", name_.name);
    if (job.exchange->abandoned())
      return fail(ErrorCode::unavailable, "the client has gone, or has given the request up");
    if (job.exchange->deadline && *job.exchange->deadline <= now)
      return fail(ErrorCode::timeout, "the request timed out before it could be run");
    return {};
  });
  return wanted ? std::nullopt : std::optional(std::move(wanted).error());
}

void Deployment::complete(Instance& instance, const Status& status) {
  if (!status && instance.jobs().size() > 1) return run_apart(instance);
  if (status && instance.has_more()) return go_on(instance);
  const auto size = instance.size();
  const auto time = instance.infer_time();
  answer(instance, status);
  Lock lock = locked();
  if (status) costs_[size].seconds = learned_cost(costs_[size].seconds, seconds(time));
  release(instance);
  dispatch(lock);
}

/// The next of the executions that its one request takes, as long as somebody wants it.
void Deployment::go_on(Instance& instance) {
  const auto status = contained([&]() -> Status {
    instance.next();
    if (auto reason = unwanted(*instance.jobs().front(), clock_.now()))
      return tl::unexpected(std::move(*reason));
    return instance.start();
  });
  if (!status) complete(instance, status);
}

/// One of its requests may have failed all of them: each is run once more, by itself.
void Deployment::run_apart(Instance& instance) {
  instance.end();
  Lock lock = locked();
  for (auto* job : instance.jobs()) {
    job->alone = true;
    queue_.push(*job);
    if (job->exchange->deadline) wake_by(*job->exchange->deadline);
  }
  instance.jobs().clear();
  release(instance);
  dispatch(lock);
}

/// Its jobs' clients are told; the jobs are still in it. An engine's error may have the server's paths in it.
void Deployment::answer(Instance& instance, const Status& status) {
  const auto now = status ? instance.take_outputs() : clock_.now();
  const auto shown =
      status ? status
             : contained([&]() -> Status { return tl::unexpected(without_folders(status.error(), root_)); });
  for (auto* job : instance.jobs()) reply(*job, shown, now, instance.statistics());
  instance.end();
}

/// The instance and what was in it are free. Under the lock.
void Deployment::release(Instance& instance) {
  for (auto* job : instance.jobs()) put_back(*job);
  idle_instances_.push_back(&instance);
}

}  // namespace neph::serve
