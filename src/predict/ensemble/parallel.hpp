// Jobs that threads take one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "os/thread.hpp"

namespace neph::predict {

/// Calls work(job) for each of `jobs`, on this thread and `threads` - 1 others, and waits for all. Jobs begin
/// in their order; each must touch only what is its own. After a job that throws, no other begins, and what
/// it threw is thrown here. Where no others can be started, this thread does all.
template <class Work>
void share_out(std::size_t jobs, std::size_t threads, const std::string& name, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr first;
  std::mutex failing;
  const auto take = [&] {
    try {
      for (auto job = next++; job < jobs; job = next++) work(job);
    } catch (...) {
      next = jobs;
      const std::lock_guard lock(failing);
      if (!first) first = std::current_exception();
    }
  };
  {
    const auto wanted = std::max<std::size_t>(1, std::min(threads, jobs)) - 1;
    const auto others = start_threads(name, static_cast<std::int64_t>(wanted),
                                      [&](std::int64_t, const std::stop_token&) { take(); });
    take();
  }
  if (first) std::rethrow_exception(first);
}

/// So many rows, in their order, that a thread is busy for a while and no thread waits long for the last.
inline std::vector<std::vector<std::size_t>> in_jobs(const std::vector<std::size_t>& rows) {
  constexpr std::size_t rows_of_a_job = 4096;
  std::vector<std::vector<std::size_t>> jobs;
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_of_a_job)
    jobs.emplace_back(
        rows.begin() + static_cast<std::ptrdiff_t>(begin),
        rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), begin + rows_of_a_job)));
  return jobs;
}

}  // namespace neph::predict
