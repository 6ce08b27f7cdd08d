// `neph serve` as a child process, alone or in a Docker container, on free ports of the loopback address.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "os/process.hpp"
#include "workload/infer/spec.hpp"
#include "workload/last_words.hpp"

namespace neph::workload {

class ServerProcess {
 public:
  /// Ready to answer when it returns. `model_file` is what it serves, under the name `model`. Errors: what
  /// the server said before it ended; timeout.
  static Result<ServerProcess> start(const InferSpec& spec, const std::string& model_file,
                                     const std::string& model);

  /// Of the server itself, also in a container.
  int id() const { return id_; }
  /// "http://127.0.0.1:41745" or "grpc://...".
  const std::string& address(wire::Protocol protocol) const;
  /// What its engine really uses.
  const Facts& facts() const { return facts_; }
  /// Asks it to end and waits; after a while it is killed.
  void stop();

 private:
  explicit ServerProcess(Process process)
      : words_(std::make_unique<LastWords>(std::move(process.errors))),
        process_(std::move(process)),
        id_(process_.id()) {}
  Status hear_announcement();
  Result<std::string> first_line();
  std::string last_words();

  std::unique_ptr<LastWords> words_;  ///< goes after the process, which writes to it
  Process process_;
  int id_;
  std::string http_, grpc_;
  Facts facts_;
};

}  // namespace neph::workload
