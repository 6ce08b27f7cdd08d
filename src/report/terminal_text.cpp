#include "report/terminal_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"

namespace neph::report {
namespace {

/// A number and its percent sign are one.
std::size_t end_of_word(const std::string& text, std::size_t begin) {
  auto end = text.find(' ', begin);
  if (end != std::string::npos && text.compare(end, 2, " %") == 0) end = text.find(' ', end + 1);
  return std::min(end, text.size());
}

}  // namespace

std::string Style::paint(std::string_view sgr, const std::string& text) const {
  return colour && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", sgr, text) : text;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = end_of_word(text, at);
    const auto word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    at = end + 1;
  }
  return out + line + "\n";
}

}  // namespace neph::report
