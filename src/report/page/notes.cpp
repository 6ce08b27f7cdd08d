#include "report/page/notes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/quantity.hpp"

namespace neph::report {
namespace {

constexpr std::size_t longest_unbroken = 24;  ///< a longer word could be wider than a phone

}  // namespace

std::string prose_html(std::string_view text) {
  const auto escaped = escape_html(text);
  const std::string_view whole(escaped);
  std::string out;
  for (std::size_t begin = 0; begin < whole.size();) {
    const auto end = std::min(whole.find(' ', begin), whole.size());
    const auto word = whole.substr(begin, end - begin);
    const bool could_break = word.find('-') != word.npos && word.size() <= longest_unbroken;
    out += could_break ? fmt::format("<span class=\"unbroken\">{}</span>", word) : std::string(word);
    if (end < whole.size()) out += ' ';
    begin = end + 1;
  }
  return out;
}

std::string notes_html(const std::vector<std::string>& doubts, const std::vector<std::string>& notes) {
  std::string out;
  for (const auto& text : doubts)
    out += fmt::format("<li class=\"doubtful\">{}</li>\n", prose_html(sentence(text)));
  for (const auto& text : notes)
    out += fmt::format("<li class=\"hint\">{}</li>\n", prose_html(sentence(text)));
  return out.empty() ? out : "<ul class=\"notices\">\n" + out + "</ul>\n";
}

}  // namespace neph::report
