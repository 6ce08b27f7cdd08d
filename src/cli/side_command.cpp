#include "cli/side_command.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/lists.hpp"
#include "core/values.hpp"
#include "launch/launch.hpp"

namespace neph::cli {
namespace {

constexpr std::array measuring_verbs{"infer", "load", "train", "run"};
constexpr double grace_s = 2;
constexpr std::size_t most_output = std::size_t{256} << 20;

using Words = std::vector<std::string_view>;

/// Without the empty ones between several blanks.
Words words_of(std::string_view line) {
  auto words = split_at(line, ' ');
  std::erase(words, std::string_view());
  return words;
}

/// The words before "--", behind which those of another program follow.
Words own_words(Words words) {
  words.erase(std::ranges::find(words, "--"), words.end());
  return words;
}

bool has(const Words& words, std::string_view option) {
  return std::ranges::any_of(words, [&](const auto word) {
    return word == option || (word.starts_with(option) && word.substr(option.size()).starts_with('='));
  });
}

/// The program's place among them: behind NAME=VALUE.
std::size_t program_of(const Words& words) {
  std::size_t place = 0;
  while (place < words.size() && words[place].find('=') != std::string_view::npos &&
         words[place].find('/') > words[place].find('='))
    ++place;
  return place;
}

/// One command of sh, and of neph, whose options may be added to.
bool is_measurement(const Words& words) {
  const auto program = program_of(words);
  constexpr std::string_view joints = "|;&<>#`$()\n";
  const bool is_one = std::ranges::none_of(
      words, [&](auto word) { return word.find_first_of(joints) != std::string_view::npos; });
  return is_one && words.size() > program + 1 && std::filesystem::path(words[program]).filename() == "neph" &&
         std::ranges::find(measuring_verbs, words[program + 1]) != measuring_verbs.end();
}

/// Whether it is what one of the tools writes that are known.
bool may_be_results(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

/// Of a process the kernel tells no less memory than this one had when it started it (execve(2) keeps the
/// mark).
std::int64_t least_memory_told() {
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  return std::int64_t{own.ru_maxrss} * 1024;
}

compare::Source of_command(const std::string& command, const Exit& exit, double time_s) {
  compare::Configuration all{.label = "all", .question = command};
  auto& run = all.runs.emplace_back();
  run.metrics = {{"time_s", time_s}, {"cpu_s", exit.cpu_s}};
  if (exit.peak_memory_bytes > least_memory_told())
    run.metrics["peak_memory_bytes"] = static_cast<double>(exit.peak_memory_bytes);
  return {.name = command, .kind = "command", .configurations = {std::move(all)}};
}

}  // namespace

std::string side_command(const std::string& line, const std::filesystem::path& store) {
  const auto words = own_words(words_of(line));
  if (!is_measurement(words)) return line;
  std::string more;
  if (!has(words, "--json")) more += " --json";
  const bool is_file = words[program_of(words) + 1] == "run";
  if (!has(words, "--repeat") && !is_file) more += " --repeat 1";  // a file says its own
  if (!has(words, "--fail-on")) more += " --fail-on nothing";      // a failed run is a result of its side
  if (!has(words, "--store")) more += " --store " + shell_quoted(store.string());
  const auto behind = line.find(" -- ");
  return behind == std::string::npos ? line + more : std::string(line).insert(behind, more);
}

Result<compare::Source> run_side(const std::string& command, const Clock& clock,
                                 experiment::Interrupt& interrupt) {
  const auto shell = launch::here({"/bin/sh", "-c", "exec </dev/null; " + command});
  const auto begin = clock.now();
  NEPH_TRY(const auto child, shell->start({}));
  std::string output;
  child->on_line = [&](std::string_view line) {
    if (output.size() < most_output && (output.empty() || may_be_results(output)))
      output.append(line).append("\n");
  };
  while (!child->exit()) {
    launch::Child* const children[]{child.get()};
    launch::Child::wait(children, {}, interrupt.descriptor());
    interrupt.clear();
    if (interrupt.level() > 1) child->end(grace_s);
  }
  const double time_s = seconds(clock.now() - begin);
  if (interrupt.level() > 1) return fail(ErrorCode::unavailable, "stopped in the middle of a pair");
  const auto& exit = *child->exit();
  if (exit.code != 0 || exit.signal != 0)
    return fail(ErrorCode::unavailable, "{} {}{}{}", command, child->how_it_ended(),
                child->stderr_tail().empty() ? "" : ": ", child->stderr_tail());
  if (!may_be_results(output)) return of_command(command, exit, time_s);
  auto results = compare::parse_source(output, command);
  const bool is_its_own = !results && results.error().code == ErrorCode::unsupported;
  return is_its_own ? of_command(command, exit, time_s) : std::move(results);
}

}  // namespace neph::cli
