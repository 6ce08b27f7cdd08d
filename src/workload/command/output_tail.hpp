// The last lines that a command printed, for when it fails.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace neph::workload::command {

class OutputTail {
 public:
  void add(std::string_view line);
  /// The last line that says something; empty: there was none.
  std::string last() const;
  /// All that are kept, one below the other.
  std::string text() const;
  bool is_empty() const { return lines_.empty(); }

 private:
  std::deque<std::string> lines_;
};

}  // namespace neph::workload::command
