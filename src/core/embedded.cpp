#include "core/embedded.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace neph {

EmbeddedFiles embedded_files(std::string_view text) {
  constexpr std::string_view border = "#### ";
  EmbeddedFiles files;
  while (text.starts_with(border)) {
    const auto line = text.find('\n');
    const auto name = text.substr(border.size(), line - border.size());
    const auto end = std::min(text.find(fmt::format("\n{}", border)), text.size() - 1) + 1;
    files[std::string(name.substr(0, name.rfind('.')))] = text.substr(line + 1, end - line - 1);
    text.remove_prefix(end);
  }
  return files;
}

std::string filled(std::string_view text, const Filling& filling) {
  constexpr std::string_view mark = "#: ";
  std::string out;
  each_line(text, [&](std::string_view line) {
    if (!line.starts_with(mark)) {
      out.append(line).append("\n");
      return;
    }
    const auto found = std::ranges::find(filling, line.substr(mark.size()), &Filling::value_type::first);
    if (found == filling.end()) throw std::logic_error(fmt::format("nothing stands for '{}'", line));
    out += found->second;
  });
  return out;
}

}  // namespace neph
