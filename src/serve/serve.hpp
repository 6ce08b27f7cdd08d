// The inference service: models behind the Open Inference Protocol.
//
// What it is: admission (a queue bounded in requests and bytes, deadlines, priorities), dynamic batching (a
// pure function of who waits and what executions were measured to cost, batch_plan.hpp), executions side by
// side, picture files decoded on the server, statistics by stage, Prometheus metrics, a repository of models
// that are loaded and unloaded while others are served. What it does not do: encode or decode the protocol
// (wire), run networks (engine), print.
// Threads: those of the transports, "loader-N" where pictures are decoded, "queue" per model, and the
// engine's own. Ownership: a Server owns all of it. Cost: a request costs the transport's and below 1 µs
// (request_bench.cpp), and nothing is allocated for one like those before it; a tensor of 16 KB and more that
// fills a batch is used where it came in, without a copy; outputs below 64 KB are copied once, larger ones
// not at all.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "serve/options.hpp"

namespace neph::serve {

/// Where a server listens; 0: not there.
struct Ports {
  std::uint16_t http = 0;
  std::uint16_t grpc = 0;
  std::uint16_t metrics = 0;
};

/// What is served.
struct Source {
  std::filesystem::path path;  ///< a model file, a SavedModel folder, or a repository folder
  std::string name;            ///< of a single file's model; empty: the file's own
  /// The command that calls try_model() with the words that follow it; empty: models are not tried.
  std::vector<std::string> trial{};
};

/// Loads the model `name` of `path` (empty: each in turn, whatever becomes of the others) and runs it once. For a
/// process of its own, which it may end.
Status try_model(const std::filesystem::path& path, const std::string& name, const ModelOptions& options);

class Server {
 public:
  /// Listens, then loads the models; ready when it returns. `version` is the program's own, `clock` outlives
  /// it. Of several models those are served that can be loaded. Errors: unavailable (port), not_found, the
  /// engine's; where no model can be loaded, the first's.
  static Result<std::unique_ptr<Server>> start(const Source& source, const ModelOptions& model,
                                               const ServerOptions& options, const std::string& version,
                                               const Clock& clock);
  /// As stop(), with no time left.
  virtual ~Server() = default;

  virtual Ports ports() const = 0;
  /// By model that was not loaded: why.
  virtual std::map<std::string, std::string> failures() const = 0;
  /// By model: what its engine really uses (engine::Session::facts), and whether its requests are batched.
  virtual std::map<std::string, Facts> facts() const = 0;
  /// By model: what of its config.pbtxt has no effect, or another than there.
  virtual std::map<std::string, std::vector<std::string>> notes() const = 0;
  /// Takes nothing new, answers what was accepted, at the longest for ServerOptions::stop_limit, and returns
  /// when nothing listens any more. False: not all could be answered.
  virtual bool stop() = 0;
};

}  // namespace neph::serve
