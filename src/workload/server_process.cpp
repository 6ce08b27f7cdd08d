#include "workload/server_process.hpp"

#include "core/json.hpp"
#include "core/values.hpp"
#include "os/thread.hpp"
#include "workload/files.hpp"
#include "workload/woken.hpp"

namespace neph::workload {
namespace {

constexpr auto longest_start = std::chrono::seconds(600);  // a large model compiles for minutes
constexpr double longest_stop_s = 10;

using Words = std::vector<std::string>;

/// A server with much to say never waits for a listener.
void hear(launch::Child& child, const std::stop_token& stop) {
  const Woken woken(stop);
  for (auto* const self = &child; !stop.stop_requested() && !child.exit();)
    launch::Child::wait({&self, 1}, {}, woken.descriptor());
}

/// The server's own arguments. It ends with this process, however that ends.
Words serve_arguments(const InferSpec& spec, const std::string& file, const std::string& model) {
  const auto instances = spec.instances >= 0 ? spec.instances : spec.mode == Mode::sync ? 1 : 0;
  const auto count = [](std::int64_t value) { return std::to_string(value); };
  const auto name = [](auto value) { return std::string(enum_name(value)); };
  // clang-format off
  Words words{"serve", file, "--name", model, "--json", "--end-with-stdin", "--listen", "127.0.0.1",
          "--http-port", spec.protocol == wire::Protocol::http ? "0" : "-1",
          "--grpc-port", spec.protocol == wire::Protocol::grpc ? "0" : "-1",
          "--metrics-port", "-1",
          "--instances", count(instances),
          "--max-batch", count(spec.batch), "--batch-sizes", count(spec.batch),
          "--batching", "on",  // every request fills an execution: rows of two clients never meet
          "--payload", name(spec.payload)};
  // clang-format on
  if (!spec.shape.empty()) words.insert(words.end(), {"--shape", spec.shape});  // compiled as in this process
  const auto runtime = to_json(spec.runtime);
  for (const auto& [field, value] : runtime.items())
    words.insert(words.end(), {option_name(field), value_as_text(value)});
  return words;
}

std::unique_ptr<launch::Launcher> launcher_of(const InferSpec& spec) {
  if (spec.server_in == In::process) return launch::here();
  return launch::in_docker({.image = spec.image,
                            .build = launch::build_hash(),
                            .cpus = spec.server_cpus,
                            .memory_bytes = spec.server_memory_bytes});
}

}  // namespace

Status read_announcement(std::string_view line, std::string& http, std::string& grpc, Facts& facts) {
  NEPH_TRY(const Json announced, parse_json(line, "the server's announcement"));
  if (!announced.is_object())
    return fail(ErrorCode::corrupt, "the server's announcement is not an object: {}", line);
  if (announced.contains("http")) NEPH_CHECK(from_json(announced["http"], http, "http"));
  if (announced.contains("grpc")) NEPH_CHECK(from_json(announced["grpc"], grpc, "grpc"));
  const auto models = announced.value("models", Json::object());
  return models.is_object() && !models.empty() ? from_json(models.front(), facts, "facts") : Status();
}

Status ServerProcess::check(const InferSpec& spec) { return launcher_of(spec)->check(); }

Result<std::unique_ptr<ServerProcess>> ServerProcess::start(const InferSpec& spec,
                                                            const std::string& model_file,
                                                            const std::string& model,
                                                            const std::stop_token& stop) {
  const auto launcher = launcher_of(spec);
  NEPH_TRY(auto child,
           launcher->start({.arguments = serve_arguments(spec, launcher->path_there(model_file), model),
                            .files = files_of_model(model_file)}));
  std::unique_ptr<ServerProcess> server(new ServerProcess(std::move(child)));
  NEPH_CHECK(server->hear_announcement(stop));
  NEPH_TRY(server->id_, server->child_->id());
  NEPH_TRY(server->hearing_,
           start_thread(
               "server", [&child = *server->child_](const std::stop_token& over) { hear(child, over); },
               end_process));
  return server;
}

/// The line that `neph serve --json` prints when it is ready.
Status ServerProcess::hear_announcement(const std::stop_token& stop) {
  std::string line;
  child_->on_line = [&](std::string_view said) {
    if (line.empty()) line = said;
  };
  const Woken woken(stop);
  const auto limit = SteadyClock().now() + longest_start;
  for (auto* const child = child_.get(); line.empty() && !child->has_fallen_silent();) {
    if (SteadyClock().now() >= limit)
      return fail(ErrorCode::timeout, "the server was not ready after {} s", longest_start.count());
    if (stop.stop_requested()) return fail(ErrorCode::unavailable, "stopped before the server was ready");
    launch::Child::wait({&child, 1}, limit, woken.descriptor());
  }
  child_->on_line = nullptr;
  if (line.empty()) return fail(ErrorCode::unavailable, "the server did not start: {}", why_it_ended());
  return read_announcement(line, http_, grpc_, facts_);
}

/// What it wrote last to its standard error, else how it ended.
std::string ServerProcess::why_it_ended() {
  child_->end(longest_stop_s);
  const auto& line = child_->stderr_tail();
  if (line.empty()) return "it " + child_->how_it_ended();
  return line.starts_with("neph: ") ? line.substr(6) : line;
}

const std::string& ServerProcess::address(wire::Protocol protocol) const {
  return protocol == wire::Protocol::http ? http_ : grpc_;
}

void ServerProcess::stop() {
  hearing_ = {};
  child_->on_line = nullptr;  // of an announcement that was not waited for
  child_->end(longest_stop_s);
}

}  // namespace neph::workload
