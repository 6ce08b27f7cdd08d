// Named threads. The name is what `top -H` shows and what telemetry reads a thread's role from: the part
// before the first '-' ("loader-3" → loader). Linux gives a new thread the name of the one that made it, so
// the workers that an engine's runtime starts from a thread named "engine" count as engine without knowing of
// us.
#pragma once

#include <string>
#include <thread>
#include <utility>

#include <pthread.h>

namespace neph {

inline constexpr const char* loader_role = "loader";
inline constexpr const char* engine_role = "engine";

/// At most 15 bytes are kept by the kernel.
inline void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

/// Starts a thread that runs body(stop_token). The owner's destructor asks it to stop and joins it.
template <class Body>
std::jthread start_thread(std::string name, Body body) {
  return std::jthread([name = std::move(name), body = std::move(body)](std::stop_token stop) mutable {
    name_this_thread(name);
    body(std::move(stop));
  });
}

}  // namespace neph
