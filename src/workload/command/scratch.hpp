// What a run puts before its command: a folder with the pipe NEPH_EVENTS and the hooks for Python.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "os/process.hpp"
#include "os/temporary_folder.hpp"

namespace neph::workload::command {

class Scratch {
 public:
  /// Errors: those of making it, with what to do.
  static Result<Scratch> make(bool with_hooks);

  /// The command's environment has these, beside what it has anyway.
  std::vector<std::pair<std::string, std::string>> variables() const;

  /// Its reading end, which never blocks and has no end: others open it when they like.
  Descriptor pipe;

 private:
  Scratch(TemporaryFolder folder, bool with_hooks) : folder_(std::move(folder)), with_hooks_(with_hooks) {}
  TemporaryFolder folder_;
  bool with_hooks_;
};

}  // namespace neph::workload::command
