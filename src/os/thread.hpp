// Threads with names, started so that no failure is lost: one that cannot be started is an error, and so is
// what its body throws. The name is what `top -H` shows and what telemetry reads a thread's role from: the
// part before the first '-' ("loader-3" → loader). Linux gives a new thread the name of the one that made it,
// so the workers that an engine's runtime starts from a thread named "engine" count as engine without knowing
// of us.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <pthread.h>

#include "core/result.hpp"

namespace neph {

inline constexpr const char* loader_role = "loader";
inline constexpr const char* engine_role = "engine";

/// At most 15 bytes are kept by the kernel.
inline void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

/// What is thrown right now, for handlers of exceptions: `unavailable` where memory cannot be had or the
/// system refuses something, else `internal`.
Error thrown_error();

/// What `work` returns, a Status, a Result or nothing; what it throws is an error.
template <class Work>
auto guarded(Work&& work) {
  using Made = std::invoke_result_t<Work>;
  using Answer = std::conditional_t<std::is_void_v<Made>, Status, Made>;
  try {
    if constexpr (std::is_void_v<Made>)
      return work(), Answer();
    else
      return Answer(work());
  } catch (...) {
    return Answer(tl::unexpected(thrown_error()));
  }
}

/// Ends the process at once, with the reason on standard error and its exit code: for a thread that cannot go
/// on while others wait for it.
[[noreturn]] void end_process(const Error& reason);

/// Has uncaught exceptions, of threads of libraries too, end the process so, and not by a signal.
void end_by_uncaught();

using OnError = std::function<void(const Error&)>;

/// `count` threads NAME-0, NAME-1, ... that run body(index, stop_token): all of them or none, as no body
/// begins before the last thread stands. Destruction requests their stop and joins them. `on_error` is
/// called, last of all in its thread, with what a body threw. Errors: unavailable.
Result<std::vector<std::jthread>> start_threads(
    const std::string& name, std::int64_t count,
    std::function<void(std::int64_t, const std::stop_token&)> body, OnError on_error = end_process);

/// One thread, NAME.
Result<std::jthread> start_thread(const std::string& name, std::function<void(const std::stop_token&)> body,
                                  OnError on_error);

/// Calls work(index) on as many threads, and waits. Errors: as above, and the first that was thrown.
Status on_threads(const std::string& name, std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace neph
