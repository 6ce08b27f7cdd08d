// What people see while they wait. stdout is data, stderr is talk: everything here goes to stderr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace neph::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();
/// Columns of the terminal behind stdout; 100 where there is none.
std::size_t terminal_width();
/// Whether to colour: a terminal, NO_COLOR not set, TERM not dumb.
bool wants_colour();

/// printable() line by line, so that no text of others in it steers a terminal.
std::string printable_lines(std::string_view text);

/// To stdout: for people, printable_lines(). Errors of writing: see run_command_line().
template <class... Args>
void print_lines(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print("{}", printable_lines(fmt::format(format, std::forward<Args>(args)...)));
}
/// For programs: as it is, but on a terminal.
inline void print_data(const std::string& text) {
  fmt::print("{}", stdout_is_terminal() ? printable_lines(text) : text);
}

/// Writes printable_lines() of `text` to stderr. Where nobody can hear it (closed, full, its reader gone) it
/// is lost: talk never ends a measurement, as an exception of fmt::print would.
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

/// Shows "what 12/300 · 3.4 s left" on the line, at most ten times a second. The line must outlive what is
/// given back.
std::function<void(std::int64_t done, std::int64_t total)> progress_on(ProgressLine& line, std::string what);

}  // namespace neph::cli
