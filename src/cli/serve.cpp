#include "serve/serve.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

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
  bool end_with_stdin = false;
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
  /// The same, and until whoever holds the other end of standard input has gone.
  void wait_or_stdin() const {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    std::array<char, 256> unread;
    while (!came())
      if (::poll(&input, 1, 0) > 0 && ::read(STDIN_FILENO, unread.data(), unread.size()) <= 0) return;
  }
  /// True: a signal came within 100 ms.
  bool came() const {
    constexpr timespec tick{.tv_sec = 0, .tv_nsec = 100'000'000};
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

/// A second signal while it stops ends the process at once.
Status stop(serve::Server& server, const EndSignals& signals, double limit_s) {
  talk("stopping: nothing new is accepted\n");
  auto stopped = std::async(std::launch::async, [&server] { return server.stop(); });
  while (stopped.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    if (signals.came()) std::_Exit(exit_code(ErrorCode::unavailable));
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
  NEPH_TRY(const auto server,
           serve::Server::start(source, options.model_options, options.server_options, version, clock));
  announce(*server, options, seconds(clock.now() - begin));
  options.end_with_stdin ? signals.wait_or_stdin() : signals.wait();
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
  command.flag("end-with-stdin", options->end_with_stdin,
               "end, as on Ctrl-C, when standard input is closed: when the program that started it has gone");
  command.footer(
      "  neph serve resnet50.onnx --max-batch 8 --max-wait-s 0.002\n"
      "  neph serve resnet50 --payload jpeg --listen 0.0.0.0\n"
      "  neph serve repository/ --http-port 0 --json");
  command.action([options] { return run_server(*options); });
}

}  // namespace neph::cli
