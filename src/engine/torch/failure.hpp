// How a call of libtorch fails inside of this plugin: as an exception, since nearly every line of a plan is
// such a call. The trainer turns it into an Error.
#pragma once

#include <cstdint>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "core/result.hpp"

namespace neph::engine::torch_plugin {

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `code`: what a function of libtorch's C interface returned.
inline void check(std::int32_t code, const char* what) {
  if (code != 0) throw Failure(what);
}

/// What libtorch writes to std::cerr on this thread while this lives, which is the only place where its C
/// interface says why a call failed. Threads: each has its own; what others write goes where it went.
class Messages {
 public:
  Messages();
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// The reason of a failed call, in one line.
  std::string reason() const;

 private:
  std::ostringstream text_;
  std::ostringstream* before_;  ///< of the Messages around this one
};

/// Runs `work` and turns what it throws into an error: unavailable where memory ran out, else unsupported,
/// with libtorch's own reason. `what` begins the message.
Status guarded(const char* what, const std::function<Status()>& work);

}  // namespace neph::engine::torch_plugin
