#include "cli/terminal.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.hpp"

namespace neph::cli {
namespace {

std::size_t columns_of(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

}  // namespace

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }
bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) != 0; }
std::size_t terminal_width() { return columns_of(STDOUT_FILENO); }

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return stdout_is_terminal() && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

void talk(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void ProgressLine::show(const std::string& text) {
  if (!stderr_is_terminal()) return;
  talk("\r{}\033[K", cut_to_width(text, columns_of(STDERR_FILENO) - 1));
  drawn_ = true;
}

void ProgressLine::say(const std::string& text) {
  clear();
  talk(text + "\n");
}

void ProgressLine::clear() {
  if (!drawn_) return;
  talk("\r\033[K");
  drawn_ = false;
}

}  // namespace neph::cli
