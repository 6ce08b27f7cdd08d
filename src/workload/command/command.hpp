// The workload "command": any command that trains something, measured from its start to its end, with phases
// and steps where something tells of them (docs/EVENTS.md). See Workload in workload.hpp for what each
// function is.
//
// What it does not do: understand the command. What nothing tells of is absent from the result, never
// guessed. Threads: run() hears everything in the thread that calls it; telemetry has its own. The process
// becomes the parent of what the command leaves behind (prctl(2), PR_SET_CHILD_SUBREAPER), and ends it. Cost:
// a wake-up for each piece that the command prints or tells; of the hooks docs/method/training.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workload/command/spec.hpp"
#include "workload/workload.hpp"

namespace neph::workload::command {

/// What is started: the command; before a script (NAME.py) that is not a program the Python that has a
/// framework, with the variables that it needs; for several processes torchrun.
struct Start {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> variables{};
};
/// Errors: of words_of() and words_of_processes(); unsupported: no PyTorch for a script.
Result<Start> start_of(const CommandSpec& spec);

Status check(const Json& spec);
PreparedCells prepare(std::span<const Json> specs, EventSink& events);
Status check_cores(const Json& spec);
std::vector<Result<std::optional<launch::Container>>> containers(std::span<const Json> specs);
Result<RunResult> run(const Json& spec, const Context& context);
/// `neph train --threads 2 -- python train.py`.
std::string line(const Json& spec);

}  // namespace neph::workload::command
