#include "serve/serve.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "cli/version.hpp"
#include "core/units.hpp"
#include "net/net.hpp"

namespace neph::cli {
namespace {

struct ServeOptions {
  std::string model;
  std::string name;
  serve::ModelOptions model_options;
  serve::ServerOptions server_options;
  bool json = false;
};

/// SIGINT and SIGTERM, taken by wait() instead of ending the process. Made before any other thread, because
/// threads inherit which signals are blocked.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void wait() const {
    int signal = 0;
    ::sigwait(&signals_, &signal);
  }
  /// True: a signal came within 5 ms.
  bool came() const {
    constexpr timespec tick{.tv_sec = 0, .tv_nsec = 5'000'000};
    return ::sigtimedwait(&signals_, nullptr, &tick) > 0;
  }

 private:
  sigset_t signals_{};
};

/// A repository folder and a file as they are; a network's name as the file made of it.
Result<serve::Source> source_of(const ServeOptions& options) {
  if (options.model.empty())
    return fail(ErrorCode::invalid_argument, "no model given; neph serve MODEL.onnx, or a repository folder");
  std::error_code ignored;
  if (std::filesystem::exists(options.model, ignored))
    return serve::Source{.path = options.model, .name = options.name};
  NEPH_TRY(auto file, net::model_file(options.model, {}, 1));
  return serve::Source{.path = std::move(file), .name = options.name.empty() ? options.model : options.name};
}

std::string url(const char* scheme, const std::string& address, std::uint16_t port) {
  const bool v6 = address.find(':') != address.npos;
  return fmt::format("{}://{}{}{}:{}", scheme, v6 ? "[" : "", address, v6 ? "]" : "", port);
}

/// Where it listens, once it is ready: for programs that started it.
Json announcement(const serve::Server& server, const std::string& address) {
  const auto ports = server.ports();
  Json line = Json::object();
  if (ports.http != 0) line["http"] = url("http", address, ports.http);
  if (ports.grpc != 0) line["grpc"] = url("grpc", address, ports.grpc);
  if (ports.metrics != 0) line["metrics"] = url("http", address, ports.metrics) + "/metrics";
  line["models"] = to_json(server.facts());
  return line;
}

void announce(const serve::Server& server, const ServeOptions& options, double start_s) {
  const auto line = announcement(server, options.server_options.listen);
  if (options.json) {
    fmt::print("{}\n", dump_json(line));
    std::fflush(stdout);
  }
  for (const auto& [model, facts] : line["models"].items())
    talk("model {} on {}, ready after {}\n", model, facts.value("device_name", facts.value("device", "?")),
         format_seconds(start_s));
  for (const char* what : {"http", "grpc", "metrics"})
    if (line.contains(what)) talk("  {:<8} {}\n", what, line[what].get<std::string>());
  talk("Ctrl-C answers what was accepted and ends\n");
}

/// Waits for what goes on in another thread. False: a signal came first.
template <class T>
bool ends_before(const std::future<T>& work, const EndSignals& signals) {
  while (work.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    if (signals.came()) return false;
  return true;
}

/// What is under way cannot be called back, and is left as it is.
[[noreturn]] void end_at_once(const char* why) {
  talk("{}\n", why);
  std::_Exit(exit_code(ErrorCode::unavailable));
}

Status stop(serve::Server& server, const EndSignals& signals, double limit_s) {
  talk("stopping: nothing new is accepted; once more to end at once\n");
  auto stopped = std::async(std::launch::async, [&server] { return server.stop(); });
  if (!ends_before(stopped, signals)) end_at_once("ended at once; requests may have gone without an answer");
  if (stopped.get()) return {};
  return fail(ErrorCode::timeout,
              "not all that was accepted could be answered within {}; more time: --stop-s",
              format_seconds(limit_s));
}

Status run_server(const ServeOptions& options) {
  const EndSignals signals;
  const SteadyClock clock;
  const auto begin = clock.now();
  NEPH_TRY(const auto source, source_of(options));
  auto starting = std::async(std::launch::async, [&] {
    return serve::Server::start(source, options.model_options, options.server_options, version, clock);
  });
  if (!ends_before(starting, signals)) end_at_once("ended while models were being loaded");
  NEPH_TRY(const auto server, starting.get());
  announce(*server, options, seconds(clock.now() - begin));
  signals.wait();
  return stop(*server, signals, options.server_options.stop_s);
}

}  // namespace

void declare_serve(Command& command) {
  auto options = std::make_shared<ServeOptions>();
  command.positional(
      "model", options->model,
      "model file, network's name (see neph net), or repository folder NAME/VERSION/model.onnx", false);
  command.option("name", options->name, "what clients call a single model; else the file's own name");
  command.fields(options->model_options);
  command.fields(options->server_options);
  command.flag("json", options->json, "where it listens as one line of JSON on stdout, when it is ready");
  command.footer(
      "  neph serve resnet50.onnx --max-batch 8 --max-wait-s 0.002\n"
      "  neph serve resnet50 --payload jpeg --listen 0.0.0.0\n"
      "  neph serve repository/ --http-port 0 --json");
  command.action([options] { return run_server(*options); });
}

}  // namespace neph::cli
