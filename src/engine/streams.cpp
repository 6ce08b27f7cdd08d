#include "engine/streams.hpp"

#include <utility>

#include "os/thread.hpp"

namespace neph::engine {

Status Streams::begin() {
  NEPH_TRY(threads_, start_threads(engine_role, count_,
                                   [this](std::int64_t, const std::stop_token& stop) { serve(stop); }));
  return {};
}

bool Streams::start(Job& job, std::function<void(Status)> done) {
  if (job.in_flight_.exchange(true)) return false;
  job.done_ = std::move(done);
  {
    const std::lock_guard lock(mutex_);
    ++job.calls_;
    job.next_ = nullptr;
    (first_ == nullptr ? first_ : last_->next_) = &job;
    last_ = &job;
  }
  waiting_.notify_one();
  return true;
}

void Streams::wait_for(const Job& job) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return job.calls_ == 0; });
}

/// Null when the streams end.
Job* Streams::take(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  if (!waiting_.wait(lock, stop, [this] { return first_ != nullptr; })) return nullptr;
  return std::exchange(first_, first_->next_);
}

void Streams::serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (Job* const job = take(lock, stop)) {
    lock.unlock();
    auto status = guarded([job] { return job->work(); });
    {
      const auto done = std::move(job->done_);
      job->in_flight_ = false;  // before the call, which may start this job again
      done(std::move(status));
    }
    lock.lock();
    if (--job->calls_ == 0) ended_.notify_all();
  }
}

}  // namespace neph::engine
