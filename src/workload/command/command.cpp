#include "workload/command/command.hpp"

#include <filesystem>
#include <new>

#include "framework/framework.hpp"
#include "os/process.hpp"
#include "workload/command/run.hpp"
#include "workload/command/spec.hpp"
#include "workload/command/words.hpp"
#include "workload/command_line.hpp"

namespace neph::workload::command {
namespace {

/// As the shell finds it, before any run stumbles over it.
Status check_program(const std::string& name, const std::filesystem::path& folder) {
  if (name.find('/') != name.npos) {
    if (is_program(folder / name)) return {};
    return fail(ErrorCode::not_found, "{} is no program that can be run", name);
  }
  if (!program_in_path(name).empty()) return {};
  return fail(ErrorCode::not_found, "no program '{}' in PATH", name);
}

/// The Python that runs a script: several processes are started by PyTorch's torchrun; for one any framework
/// will do, or none.
Result<framework::Installed> python_of_scripts(std::int64_t processes) {
  using enum framework::Framework;
  auto found = framework::find(pytorch);
  for (const auto other : {keras_tensorflow, keras_jax})
    if (!found && processes == 1) found = framework::find(other);
  if (!found && processes == 1 && !program_in_path("python3").empty())
    return framework::Installed{.python = "python3"};
  return found;
}

/// A GPU, and the toolkit without which Docker refuses to give any.
bool has_gpus_for_containers() {
  std::error_code absent;
  return std::filesystem::exists("/dev/nvidiactl", absent) && check_program("nvidia-ctk", ".").has_value();
}

Result<launch::Files> prepare_one(const Json& json) {
  NEPH_TRY(const auto spec, from_json<CommandSpec>(json, ""));
  const std::filesystem::path folder = spec.folder.empty() ? "." : spec.folder;
  if (!std::filesystem::is_directory(folder))
    return fail(ErrorCode::not_found, "--folder {}: there is no such folder", spec.folder);
  if (spec.in == In::docker)
    return launch::Files{};  // it is mounted where it is, and the image has the program
  NEPH_TRY(const auto start, start_of(spec));
  NEPH_CHECK(check_program(start.words.front(), folder));
  return launch::Files{{.field = "folder", .path = std::filesystem::absolute(folder)}};
}

Result<std::optional<launch::Container>> container(const Json& json) {
  NEPH_TRY(const auto spec, from_json<CommandSpec>(json, ""));
  if (spec.in == In::process) return std::nullopt;
  NEPH_TRY(auto container, container_of_run(spec.image));
  container.writable.push_back(container.folder);
  if (!spec.folder.empty()) container.writable.push_back(spec.folder);
  container.gpus = has_gpus_for_containers();
  return container;
}

}  // namespace

Result<Start> start_of(const CommandSpec& spec) {
  NEPH_TRY(auto words, words_of(spec.command));
  const bool needs_python =
      is_script(words) && (spec.processes > 1 || words.front().find('/') == std::string::npos ||
                           !is_program(std::filesystem::path(spec.folder) / words.front()));
  if (!needs_python && spec.processes == 1) return Start{std::move(words)};
  if (const auto script = std::filesystem::path(spec.folder) / words.front();
      needs_python && spec.in == In::process && !std::filesystem::exists(script))
    return fail(ErrorCode::not_found, "there is no script {}", script.string());
  framework::Installed found{.python = "python3"};
  if (needs_python && spec.in == In::process) {
    NEPH_TRY(found, python_of_scripts(spec.processes));
  }
  NEPH_TRY(words, words_of_processes(std::move(words), spec.processes, found.python.string()));
  return Start{std::move(words), std::move(found.variables)};
}

Status check(const Json& json) {
  NEPH_TRY(const auto spec, from_json<CommandSpec>(json, ""));
  NEPH_TRY(auto words, words_of(spec.command));
  NEPH_CHECK(words_of_processes(std::move(words), spec.processes, "python3"));
  NEPH_CHECK(variables_of(spec.env));
  if (spec.in == In::docker && spec.image.empty())
    return fail(ErrorCode::invalid_argument,
                "--in docker: in which image? Give one that has what the command needs: --image python:3.12");
  return {};
}

PreparedCells prepare(std::span<const Json> specs, EventSink&) {
  PreparedCells all;
  for (const auto& json : specs) all.push_back(prepare_one(json));
  return all;
}

Status check_cores(const Json& json) {
  NEPH_TRY(const auto spec, from_json<CommandSpec>(json, ""));
  return check_threads(spec.threads);
}

std::vector<Result<std::optional<launch::Container>>> containers(std::span<const Json> specs) {
  std::vector<Result<std::optional<launch::Container>>> all;
  for (const auto& json : specs) all.push_back(container(json));
  return all;
}

Result<RunResult> run(const Json& json, const Context& context) {
  NEPH_CHECK(check(json));
  NEPH_TRY(const auto spec, from_json<CommandSpec>(json, ""));
  return CommandRun(spec, context).run();
}

std::string line(const Json& json) {
  const auto spec = from_json<CommandSpec>(json, "");
  if (!spec) return {};
  std::string options;
  const auto given = to_json(*spec);
  const auto defaults = to_json(CommandSpec{});
  for (const auto& [name, value] : given.items())
    if (name != "command" && value != defaults[name])
      options += fmt::format(" {} {}", option_name(name), shell_quoted(value_as_text(value)));
  return fmt::format("neph train{} -- {}", options, spec->command);
}

}  // namespace neph::workload::command
