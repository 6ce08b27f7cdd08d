// What people see while they wait. stdout is data, stderr is talk: everything here goes to stderr.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace neph::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();
/// Columns of the terminal behind stdout; 100 where there is none.
std::size_t terminal_width();
/// Whether to colour: a terminal, NO_COLOR not set, TERM not dumb.
bool wants_colour();

/// Writes `text` to stderr. Where nobody can hear it (closed, full, its reader gone) it is lost: talk never
/// ends a measurement, as an exception of fmt::print would.
void talk(const std::string& text);
template <class... Args>
void talk(fmt::format_string<Args...> format, Args&&... args) {
  talk(fmt::format(format, std::forward<Args>(args)...));
}

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
