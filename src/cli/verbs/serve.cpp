#include "serve/serve.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "cli/version.hpp"
#include "core/units.hpp"
#include "engine/engine.hpp"
#include "framework/framework.hpp"
#include "net/net.hpp"
#include "os/descriptors.hpp"
#include "os/memory.hpp"
#include "record/facts.hpp"

namespace neph::cli {
namespace {

struct ServeOptions {
  std::string model;
  std::string name;
  serve::ModelOptions model_options;
  serve::ServerOptions server_options;
  bool json = false;
  bool end_with_stdin = false;
  std::string engine_path;
};

/// What ends a server, taken by wait() instead of ending the process: SIGINT, SIGTERM, and where that is
/// asked for the end of standard input: whoever holds the other end has gone. Made before any other thread,
/// because threads inherit which signals are blocked.
class EndSignals {
 public:
  explicit EndSignals(bool with_stdin) : input_(with_stdin ? STDIN_FILENO : -1) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    descriptor_ = Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
  }

  /// True: such a thing came. False: there was something to read from `other` before.
  bool wait(int other = -1) {
    for (;;) {
      std::array<pollfd, 3> all{pollfd{descriptor_.get(), POLLIN, 0}, pollfd{other, POLLIN, 0},
                                pollfd{input_, POLLIN, 0}};
      if (::poll(all.data(), all.size(), -1) < 0) continue;
      signalfd_siginfo taken;
      if (all[0].revents != 0 && ::read(descriptor_.get(), &taken, sizeof taken) > 0) return true;
      if (all[1].revents != 0) return false;
      if (all[2].revents != 0 && has_input_ended()) return true;
    }
  }

 private:
  /// Told once: it is no second signal, which would end the server at once.
  bool has_input_ended() {
    std::array<char, 256> unread;
    const auto got = ::read(input_, unread.data(), unread.size());
    if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) return false;
    input_ = -1;
    return true;
  }

  int input_;
  Descriptor descriptor_;
};

/// A repository folder and a file as they are; a network's name as the file made of it.
Result<serve::Source> source_of(const ServeOptions& options) {
  if (options.model.empty())
    return fail(ErrorCode::invalid_argument, "no model given; neph serve MODEL.onnx, or a repository folder");
  std::error_code ignored;
  if (std::filesystem::exists(options.model, ignored) && !std::filesystem::is_other(options.model, ignored))
    return serve::Source{.path = options.model, .name = options.name};
  NEPH_TRY(auto file, net::model_file(options.model, {}, 1));
  NEPH_TRY(file, framework::file_for_engine(std::move(file), options.model_options.runtime,
                                            [](const std::string& text) { talk("{}\n", text); }));
  return serve::Source{.path = std::move(file), .name = options.name.empty() ? options.model : options.name};
}

std::string url(const char* scheme, const serve::ServerOptions& options, std::uint16_t port) {
  const auto& address = options.listen;
  const bool v6 = address.find(':') != address.npos;
  return fmt::format("{}{}://{}{}{}:{}", scheme, options.tls.certificate.empty() ? "" : "s", v6 ? "[" : "",
                     address, v6 ? "]" : "", port);
}

void warn_of_open_ports(const serve::ServerOptions& options) {
  const bool loopback = options.listen.starts_with("127.") || options.listen == "::1";
  if (loopback || !options.token_file.empty() || !options.tls.client_ca.empty()) return;
  talk(
      "warning: {} is open to other machines and no token is needed (--token-file): all that connect may "
      "use, load "
      "and unload models\n",
      options.listen);
}

/// Where it listens, once it is ready: for programs that started it.
Json announcement(const serve::Server& server, const serve::ServerOptions& options) {
  const auto ports = server.ports();
  Json line = Json::object();
  if (ports.http != 0) line["http"] = url("http", options, ports.http);
  if (ports.grpc != 0) line["grpc"] = url("grpc", options, ports.grpc);
  if (ports.metrics != 0) line["metrics"] = url("http", options, ports.metrics) + "/metrics";
  line["models"] = to_json(server.facts());
  if (const auto notes = server.notes(); !notes.empty()) line["notes"] = to_json(notes);
  if (const auto failures = server.failures(); !failures.empty()) line["failed"] = to_json(failures);
  return line;
}

void tell_notes(const std::vector<std::string>& notes) {
  for (const auto& note : notes) talk("  {}\n", note);
}

void announce(const serve::Server& server, const ServeOptions& options, double start_s) {
  const auto line = announcement(server, options.server_options);
  if (options.json) {
    fmt::print("{}\n", dump_json(line));
    std::fflush(stdout);
  }
  const auto notes = server.notes();
  for (const auto& [model, facts] : server.facts()) {
    const auto device = get(facts, fact::device).value_or("?");
    talk("model {} on {}, {}, ready after {}\n", model, get(facts, fact::device_name).value_or(device),
         get(facts, fact::engine).value_or("?"), format_seconds(start_s));
    const auto batching = get(facts, fact::batching).value_or("on");
    const bool joins = get(facts, fact::max_batch) != 1;
    if (!joins && options.model_options.max_wait.value > 0)
      talk("  --max-wait has no effect: --max-batch 1 joins no requests\n");
    if (joins && batching != "on") talk("  not batched, {}\n", batching.substr(5));
    if (const auto noted = notes.find(model); noted != notes.end()) tell_notes(noted->second);
  }
  for (const auto& [model, reason] : server.failures()) talk("model {} was not loaded: {}\n", model, reason);
  for (const char* what : {"http", "grpc", "metrics"})
    if (line.contains(what)) talk("  {:<8} {}\n", what, line[what].get<std::string>());
  talk("Ctrl-C answers what was accepted and ends\n");
}

/// Wakes who waits for it when it goes, however what it stands in ends.
class Bell {
 public:
  explicit Bell(int descriptor) : descriptor_(descriptor) {}
  ~Bell() { ::eventfd_write(descriptor_, 1); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

 private:
  int descriptor_;
};

/// What `work` returns. What ends a server before that ends the process at once, with these words: what is
/// under way cannot be called back.
template <class Work>
auto unless_ended(EndSignals& signals, const char* ended, Work work) {
  const Descriptor done(::eventfd(0, EFD_CLOEXEC));
  auto result = std::async([&] {  // on this thread, at get(), where no other can be started
    const Bell over(done.get());
    return work();
  });
  if (result.wait_for(std::chrono::seconds(0)) != std::future_status::deferred && signals.wait(done.get())) {
    talk("{}\n", ended);
    std::_Exit(exit_code(ErrorCode::unavailable));
  }
  return result.get();
}

Status stop(serve::Server& server, EndSignals& signals, double limit_s) {
  talk("stopping: nothing new is accepted; once more to end at once\n");
  if (unless_ended(signals, "ended at once; requests may have gone without an answer",
                   [&] { return server.stop(); }))
    return {};
  return fail(ErrorCode::timeout,
              "not all that was accepted could be answered within {}; more time: --stop-limit",
              format_seconds(limit_s));
}

Status run_server(const ServeOptions& options) {
  keep_heap();
  allow_descriptors();
  EndSignals signals(options.end_with_stdin);
  const SteadyClock clock;
  const auto begin = clock.now();
  const auto start = [&]() -> Result<std::unique_ptr<serve::Server>> {
    NEPH_TRY(auto source, source_of(options));
    source.trial = {"/proc/self/exe", "try-model", "--"};
    return serve::Server::start(source, options.model_options, options.server_options, version, clock);
  };
  NEPH_TRY(const auto server, unless_ended(signals, "ended while models were being loaded", start));
  warn_of_open_ports(options.server_options);
  announce(*server, options, seconds(clock.now() - begin));
  signals.wait();
  return stop(*server, signals, options.server_options.stop_limit.value);
}

/// serve::try_model() in a process of its own: what a server starts to see whether a model ends its engine.
/// Words: the path that is served, the model's name, the server's options for it.
Status try_model(const std::vector<std::string>& words) {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  NEPH_TRY(const auto json, parse_json(words[2], "the options"));
  NEPH_TRY(const auto options, from_json<serve::ModelOptions>(json, "the options"));
  auto tried = serve::try_model(words[0], words[1], options);
  if (tried) return tried;
  fmt::print("{}\n", dump_json(Json(tried.error().text())));
  return tl::unexpected(Error{tried.error().code, std::string(already_reported)});
}

}  // namespace

void declare_serve(Command& command) {
  auto options = std::make_shared<ServeOptions>();
  command.positional("model", options->model,
                     "model file, SavedModel folder, network's name (see neph net), or repository folder "
                     "NAME/VERSION/model.onnx",
                     false);
  command.option("name", options->name, "name of a single model, for clients; else the file's own");
  command.fields(options->model_options);
  command.fields(options->server_options);
  command.option("engine-path", options->engine_path, engine::engine_path_help);
  command.flag("json", options->json, "where it listens as one line of JSON on stdout, when it is ready");
  command.flag("end-with-stdin", options->end_with_stdin,
               "end, as on Ctrl-C, when standard input is closed: when the program that started it has gone");
  command.footer(
      "Of a repository folder every model is loaded, each in its newest --versions; NAME/config.toml sets "
      "these "
      "options for one model (max_batch = 8), and Triton's NAME/config.pbtxt is read too. The ports answer "
      "from "
      "the start; ready (neph ready) when all are.\n"
      "  neph serve resnet50.onnx --max-batch 8 --max-wait 2ms\n"
      "  neph serve resnet50 --payload jpeg --listen 0.0.0.0\n"
      "  neph serve repository/ --http-port 0 --json");
  command.action([options] {
    engine::look_also_in(options->engine_path);
    return run_server(*options);
  });
}

void declare_try_model(Command& command) {
  auto words = std::make_shared<std::vector<std::string>>(3);
  constexpr std::array names{"path", "name", "options"};
  for (std::size_t i = 0; i < names.size(); ++i) command.positional(names[i], (*words)[i], "", false);
  command.action([words] { return try_model(*words); });
}

}  // namespace neph::cli
