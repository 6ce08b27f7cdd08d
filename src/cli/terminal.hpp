// What people see while they wait. stdout is data, stderr is talk: everything here goes to stderr.
#pragma once

#include <cstddef>
#include <string>

namespace neph::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();
/// Columns of the terminal behind stdout; 100 where there is none.
std::size_t terminal_width();
/// Whether to colour: a terminal, NO_COLOR not set, TERM not dumb.
bool wants_colour();

/// A line that is drawn over while work goes on, on a terminal; elsewhere nothing but whole lines. Threads:
/// one.
class ProgressLine {
 public:
  ProgressLine() = default;
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Draws `text` in place of the last one; ignored where there is no terminal.
  void show(const std::string& text);
  /// A whole line that stays.
  void say(const std::string& text);
  void clear();

 private:
  bool drawn_ = false;
};

}  // namespace neph::cli
