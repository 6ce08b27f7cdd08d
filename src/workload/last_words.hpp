// What a process wrote last to its standard error. Only for files of this room.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "core/lines.hpp"
#include "os/process.hpp"

namespace neph::workload {

/// Reads as long as somebody writes, so that a process with much to say never waits for a listener. Threads:
/// makes one of its own; the functions may be called from any.
class LastWords {
 public:
  explicit LastWords(Descriptor errors);

  /// The last line that means something, once nobody can write any more, or after a second. Empty: none.
  std::string line();

 private:
  void listen(const std::stop_token& stop);
  void hear(std::string_view line);

  Descriptor errors_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::string line_;
  std::jthread thread_;
};

}  // namespace neph::workload
