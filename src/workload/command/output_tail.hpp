// What a command printed last, for when it fails.
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

/// The exception that ended a Python program, out of what it writes to its pipe of errors.
class PythonError {
 public:
  void add(std::string_view line);
  /// "ValueError: boom": of the last traceback that is no thread's and no finaliser's; empty: there was none.
  const std::string& text() const { return text_; }

 private:
  std::string before_, text_;  ///< the line before
  std::string earlier_;        ///< of the traceback before
  bool is_inside_ = false;     ///< of a traceback
  bool is_other_ = false;      ///< of one that is no reason
};

}  // namespace neph::workload::command
