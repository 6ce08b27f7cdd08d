#include "cli/terminal.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace neph::cli {
namespace {

std::size_t columns_of(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

void draw(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
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

std::string printable_lines(std::string_view text) {
  std::string lines;
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find('\n', begin);
    lines += (begin == 0 ? "" : "\n") + printable(text.substr(begin, end - begin));
  }
  return lines;
}

void talk(const std::string& text) { draw(printable_lines(text)); }

void ProgressLine::show(const std::string& text) {
  if (!stderr_is_terminal()) return;
  draw(fmt::format("\r{}\033[K", cut_to_width(printable(text), columns_of(STDERR_FILENO) - 1)));
  drawn_ = true;
}

void ProgressLine::say(const std::string& text) {
  clear();
  talk(text + "\n");
}

void ProgressLine::clear() {
  if (!drawn_) return;
  draw("\r\033[K");
  drawn_ = false;
}

std::function<void(std::int64_t, std::int64_t)> progress_on(ProgressLine& line, std::string what) {
  const SteadyClock clock;
  return [&line, what = std::move(what), clock, begin = clock.now(), next = Moment()](
             std::int64_t done, std::int64_t total) mutable {
    const auto now = clock.now();
    if (now < next && done != total) return;
    next = now + std::chrono::milliseconds(100);
    const double left_s =
        seconds(now - begin) / static_cast<double>(done) * static_cast<double>(total - done);
    line.show(fmt::format("{} {}/{} · {} left", what, done, total, format_seconds(left_s)));
  };
}

}  // namespace neph::cli
