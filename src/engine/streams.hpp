// The threads that serve what was started: first come, first served, each one inference at a time.
//
// Threads: any may start. Ownership: a Job belongs to its caller, who waits for its calls before it goes.
// Cost: two short locks an inference; nothing is allocated (jobs are their own queue).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/result.hpp"

namespace neph::engine {

class Streams;

/// What a stream does, again and again.
class Job {
 public:
  virtual ~Job() = default;
  virtual Status work() = 0;
  bool in_flight() const { return in_flight_.load(); }

 private:
  friend class Streams;
  std::function<void(Status)> done_;
  std::atomic<bool> in_flight_ = false;
  Job* next_ = nullptr;
  int calls_ = 0;  ///< starts whose `done` has not returned
};

class Streams {
 public:
  explicit Streams(std::int64_t count) : count_(count) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// Starts `count` threads of the engine's role; before the first job. Errors: unavailable.
  Status begin();
  /// Has job.work() done and `done`, which does not throw, called with what it returned or threw. False: it
  /// is in flight already.
  bool start(Job& job, std::function<void(Status)> done);
  /// Returns when nothing that was started for `job` goes on, its last `done` included.
  void wait_for(const Job& job);
  std::int64_t count() const { return count_; }

 private:
  void serve(const std::stop_token& stop);
  Job* take(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  std::mutex mutex_;  ///< guards the queue and every job's `next_` and `calls_`
  std::condition_variable_any waiting_;
  std::condition_variable ended_;
  const std::int64_t count_;
  Job* first_ = nullptr;
  Job* last_ = nullptr;
  std::vector<std::jthread> threads_;  ///< last: they end before what they use
};

}  // namespace neph::engine
