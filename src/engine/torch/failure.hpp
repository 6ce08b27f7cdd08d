// Why a call of libtorch, or of a package, failed: its C functions give a code, and write the reason to
// std::cerr.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "engine/torch/abi.hpp"

namespace neph::engine::torch_plugin {

/// What is written to std::cerr on this thread while this lives. Threads: each has its own; what others write
/// goes where it went.
class Messages {
 public:
  Messages();
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Of a call that gave `code`. Errors: unavailable where memory ran out, else unsupported: "WHAT: REASON",
  /// in one line.
  Status check(Code code, std::string_view what) const;

 private:
  std::string reason() const;

  std::ostringstream text_;
  std::ostringstream* before_;  ///< of the Messages around this one
};

}  // namespace neph::engine::torch_plugin
