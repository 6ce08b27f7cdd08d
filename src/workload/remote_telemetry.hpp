// What a server on another machine tells of itself: its page of figures for Prometheus, read while the run
// goes on.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "record/run.hpp"
#include "wire/wire.hpp"

namespace neph::workload {

/// One number of a page in the Prometheus text format: the sum over the lines of `name` that carry all of
/// `label` (as `mode="user"`; empty: any).
std::optional<double> metric(std::string_view page, std::string_view name, std::string_view label = {});

/// "http://node2:8002", with or without the /metrics that is asked there. Errors: invalid_argument.
Result<wire::Endpoint> metrics_endpoint(std::string_view text);

/// Reads the page in a thread of its own, "telemetry". Series: target server: cpu (cores), memory_resident,
/// memory_peak (bytes), threads; server_loader, server_engine, server_rest: cpu; server_machine: cpu_user,
/// cpu_system, cpu_idle, cpu_steal (cores), memory_available; server_container: memory_current, memory_peak;
/// server_gpus: utilisation, memory_used, power, of all together.
/// What the page lacks, and all of it where there is none, is unavailable with the reason.
class RemoteTelemetry {
 public:
  /// Threads: the caller's, but for the readings.
  RemoteTelemetry(const wire::Endpoint& page, const wire::ClientOptions& options, double rate_hz,
                  const Clock& clock, Moment origin);
  ~RemoteTelemetry();

  /// Starts the thread; once. Errors: unavailable.
  Status begin();
  void mark();
  std::vector<Series> stop();

 private:
  struct Quantity;

  void run(const std::stop_token& stop);
  void read(wire::Client& client);
  void give_reason(const std::string& reason);

  const wire::Endpoint endpoint_;
  const wire::ClientOptions options_;
  const Nanoseconds period_;
  const Clock& clock_;
  const Moment origin_;
  std::vector<Quantity> quantities_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool marked_ = false;  ///< under mutex_
  std::jthread thread_;
};

}  // namespace neph::workload
