// `neph serve` as a child process, alone or in a Docker container, on free ports of the loopback address.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "core/result.hpp"
#include "launch/launch.hpp"
#include "workload/infer/spec.hpp"

namespace neph::workload {

/// Of the line that `neph serve --json` prints once it is ready: its addresses, and its first model's facts.
/// Errors: corrupt (not a JSON object), invalid_argument (a field of another type).
Status read_announcement(std::string_view line, std::string& http, std::string& grpc, Facts& facts);

/// Threads: has one of its own, which hears what the server says.
class ServerProcess {
 public:
  /// Whether it can be started where `spec` says; a container's image is pulled. Errors: unavailable.
  static Status check(const InferSpec& spec);
  /// Ready to answer when it returns. `model_file` is what it serves, under the name `model`. Errors: what
  /// the server said before it ended; timeout; unavailable: `stop` was requested before it was ready.
  static Result<std::unique_ptr<ServerProcess>> start(const InferSpec& spec, const std::string& model_file,
                                                      const std::string& model, const std::stop_token& stop);
  /// stop(): a run that fails leaves no server behind.
  ~ServerProcess() { stop(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Of the server itself, also in a container.
  int id() const { return id_; }
  /// "http://127.0.0.1:41745" or "grpc://...".
  const std::string& address(wire::Protocol protocol) const;
  /// What its engine really uses.
  const Facts& facts() const { return facts_; }
  /// Asks it to end and waits; after a while it is killed. Nothing where it has ended.
  void stop();

 private:
  explicit ServerProcess(std::unique_ptr<launch::Child> child) : child_(std::move(child)) {}
  Status hear_announcement(const std::stop_token& stop);
  std::string why_it_ended();

  std::unique_ptr<launch::Child> child_;
  int id_ = 0;
  std::string http_, grpc_;
  Facts facts_;
  std::jthread hearing_;
};

}  // namespace neph::workload
