#include "workload/server_process.hpp"

#include <array>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "core/json.hpp"
#include "core/text.hpp"
#include "core/values.hpp"

namespace neph::workload {
namespace {

constexpr int longest_start_ms = 600'000;  // a large model compiles for minutes
constexpr int longest_stop_ms = 10'000;

using Words = std::vector<std::string>;

std::string file_in_container(const std::string& file) {
  return "/models/" + std::filesystem::path(file).filename().string();
}

std::string number(double value) { return fmt::format("{}", value); }

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
  const auto runtime = to_json(spec.runtime);
  for (const auto& [field, value] : runtime.items())
    words.insert(words.end(), {option_name(field), value_as_text(value)});
  return words;
}

/// The model file, and what belongs to it: files beside it whose names begin with its own (weights of an .xml
/// lie in a .bin, large ones of an .onnx in files that it names).
std::vector<std::filesystem::path> files_of_model(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> files{file};
  const auto stem = file.stem().string() + ".";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), ignored))
    if (entry.path() != file && entry.is_regular_file(ignored) &&
        entry.path().filename().string().starts_with(stem))
      files.push_back(entry.path());
  return files;
}

/// In the machine's own network, so that what is measured is the container and not a proxy of its ports.
Words docker_command(const InferSpec& spec, const std::string& container, const std::string& file) {
  Words words{"docker", "run", "--rm", "-i", "--network", "host", "--name", container, "--read-only"};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  for (const auto& each : files_of_model(std::filesystem::absolute(file)))
    add({"--volume", each.string() + ":" + file_in_container(each) + ":ro"});
  if (spec.server_cpus > 0) add({"--cpus", number(spec.server_cpus)});
  if (spec.server_memory_bytes > 0) add({"--memory", std::to_string(spec.server_memory_bytes)});
  add({spec.image});
  return words;
}

Words command_of(const InferSpec& spec, const std::string& container, const std::string& file,
                 const std::string& model) {
  const bool docker = spec.server_in == ServerIn::docker;
  auto words = docker ? docker_command(spec, container, file) : Words{"/proc/self/exe"};
  const auto arguments = serve_arguments(spec, docker ? file_in_container(file) : file, model);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

/// What stands in the pipe now.
std::string read_all(const Descriptor& pipe) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const auto got = ::read(pipe.get(), piece.data(), piece.size());
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

bool wait_readable(int descriptor, int ms) {
  pollfd watched{descriptor, POLLIN, 0};
  return ::poll(&watched, 1, ms) > 0;
}

/// The number, in this machine's own count, of the container's first process.
Result<int> process_in(const std::string& container) {
  NEPH_TRY(auto docker, Process::start({"docker", "inspect", "--format", "{{.State.Pid}}", container}));
  wait_readable(docker.ended_descriptor(), longest_stop_ms);
  const auto id = std::atoi(read_all(docker.output).c_str());
  if (id > 0) return id;
  return fail(ErrorCode::unavailable, "docker does not tell the process of container {}: {}", container,
              printable(trimmed(read_all(docker.errors))));
}

}  // namespace

Result<ServerProcess> ServerProcess::start(const InferSpec& spec, const std::string& model_file,
                                           const std::string& model) {
  const auto container = fmt::format("neph-{}", ::getpid());
  NEPH_TRY(auto process, Process::start(command_of(spec, container, model_file, model)));
  ServerProcess server(std::move(process));
  NEPH_CHECK(server.hear_announcement());
  if (spec.server_in == ServerIn::docker) {
    NEPH_TRY(server.id_, process_in(container));
  }
  return server;
}

/// The line that `neph serve --json` prints when it is ready.
Status ServerProcess::hear_announcement() {
  NEPH_TRY(const auto line, first_line());
  NEPH_TRY(const Json said, parse_json(line, "the server's announcement"));
  http_ = said.value("http", "");
  grpc_ = said.value("grpc", "");
  const Json models = said.value("models", Json::object());
  for (const auto& [model, facts] : models.items()) return from_json(facts, facts_, "the server's facts");
  return {};
}

Result<std::string> ServerProcess::first_line() {
  std::string text;
  while (text.find('\n') == text.npos) {
    if (!wait_readable(process_.output.get(), longest_start_ms))
      return fail(ErrorCode::timeout, "the server was not ready after {} s", longest_start_ms / 1000);
    const auto more = read_all(process_.output);
    if (more.empty()) return fail(ErrorCode::unavailable, "the server did not start: {}", last_words());
    text += more;
  }
  return text.substr(0, text.find('\n'));
}

/// Why it ended: what it wrote last to its standard error, else how.
std::string ServerProcess::last_words() {
  wait_readable(process_.ended_descriptor(), longest_stop_ms);
  const auto line = words_->line();
  if (!line.empty()) return printable(line.starts_with("neph: ") ? line.substr(6) : line);
  const auto exit = process_.exit();
  const bool killed = exit && (exit->signal == SIGKILL || exit->code == 128 + SIGKILL);  // Docker tells so
  return killed ? "it was killed, as the kernel does where memory runs out or a container reaches its limit"
                : "it ended without a word";
}

const std::string& ServerProcess::address(wire::Protocol protocol) const {
  return protocol == wire::Protocol::http ? http_ : grpc_;
}

void ServerProcess::stop() {
  process_.signal_group(SIGTERM);
  wait_readable(process_.ended_descriptor(), longest_stop_ms);
  static_cast<void>(process_.exit());
}

}  // namespace neph::workload
