// What a run puts before its command: a folder with the pipe NEPH_EVENTS and the hooks for Python.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "os/process.hpp"

namespace neph::workload::command {

/// Removed with all in it at its end.
class Scratch {
 public:
  /// In $TMPDIR, or /tmp. Errors: those of making it, with what to do.
  static Result<Scratch> make(bool with_hooks);

  Scratch(Scratch&& other) noexcept
      : pipe(std::move(other.pipe)),
        folder_(std::exchange(other.folder_, {})),
        with_hooks_(other.with_hooks_) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  /// The command's environment has these, beside what it has anyway.
  std::vector<std::pair<std::string, std::string>> variables() const;

  /// Its reading end, which never blocks and has no end: others open it when they like.
  Descriptor pipe;

 private:
  explicit Scratch(std::filesystem::path folder, bool with_hooks)
      : folder_(std::move(folder)), with_hooks_(with_hooks) {}
  std::filesystem::path folder_;
  bool with_hooks_;
};

}  // namespace neph::workload::command
