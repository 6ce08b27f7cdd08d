// Threads beside those of the connections. Only for files of this module.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "os/thread.hpp"

namespace neph::wire {

/// Without Asio's own threads: where the second of them cannot be started, the pool waits for its first for
/// ever, and what throws in them ends the process. Here a handler that throws is lost, and no other.
class WorkPool : public boost::asio::thread_pool {
 public:
  WorkPool() : boost::asio::thread_pool(0) {}
  ~WorkPool() { stop(); }

  /// Starts the threads; once. Errors: unavailable.
  Status begin(const std::string& name, std::int64_t count) {
    NEPH_TRY(threads_, start_threads(name, count, [this](std::int64_t, const std::stop_token&) {
               while (!guarded([this] { attach(); })) {
               }
             }));
    return {};
  }
  /// Ends when all that is queued is done.
  void finish() {
    wait();
    threads_.clear();
  }
  /// What was cut off holds connections, and must go while their threads are there.
  void end() {
    stop();
    threads_.clear();
    shutdown();
  }

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace neph::wire
