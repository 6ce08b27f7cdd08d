// Files of text that cmake/EmbedFolder.cmake put into the program, and templates among them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neph {

using EmbeddedFiles = std::map<std::string, std::string, std::less<>>;

/// By their names without the ending. `text`: all files, each behind a line "#### NAME".
EmbeddedFiles embedded_files(std::string_view text);

/// What a line "#: NAME" of a template stands for.
using Filling = std::vector<std::pair<std::string_view, std::string>>;
/// The template with those lines replaced. Throws std::logic_error where a line has nothing that it stands
/// for.
std::string filled(std::string_view text, const Filling& filling);

/// Calls `use` with each line of the text, without its end.
template <class Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace neph
