// What one run of a command is told: every field is an option of `neph train -- COMMAND`, a key of a TOML
// file's [command] table, and, given a list of values, a factor.
#pragma once

#include <cstdint>
#include <string>

#include "core/describe.hpp"
#include "workload/place.hpp"

namespace neph::workload {

struct CommandSpec {
  std::string command;
  std::string folder;
  std::int64_t threads = 0;
  std::int64_t processes = 1;
  std::string env;
  In in = In::process;
  std::string image;
  bool hooks = true;
  bool show = true;
  double telemetry_hz = 10;
};

template <class Visit, Describes<CommandSpec> Self>
void describe(Visit&& v, Self& s) {
  v("command", s.command, "what is run, as one text; on the command line it stands behind --",
    changes_answers());
  v("folder", s.folder, "the folder that it starts in; empty: this one");
  v("threads", s.threads,
    "cores that it is bound to, and threads that libraries are told; 0: all, as they like", between(0, 4096));
  v("processes", s.processes,
    "processes of a Python script that learn together, started by torchrun; each has its part of the threads",
    between(1, 1024));
  v("env", s.env, "variables of its environment: NAME=VALUE, several with ';'", changes_answers());
  v("in", s.in, "where it runs: a process of this system, or a Docker container of its own");
  v("image", s.image, "Docker image that has what the command needs, as python:3.12",
    only_where("in", "docker") | changes_answers());
  v("hooks", s.hooks, "hear of steps from PyTorch and Keras themselves, where it runs Python");
  v("show", s.show, "show what it prints, line by line, while it runs");
  v("telemetry_hz", s.telemetry_hz, "readings of the machine's counters per second", between(0.1, 100));
}

}  // namespace neph::workload
