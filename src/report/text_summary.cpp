#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/findings.hpp"
#include "report/notices.hpp"
#include "report/readings.hpp"
#include "report/report.hpp"
#include "report/terminal_text.hpp"

namespace neph::report {
namespace {

constexpr std::ptrdiff_t most_lines = 6;  // of findings: who wants all of them reads the page
constexpr std::size_t indent = 2;
constexpr std::size_t least_message = 16;  // columns of a notice that still say what it is about

/// The most important ones, as many as fit into a few lines, without what the notices below say.
std::string findings_text(const Document& document, std::size_t width) {
  auto sentences = findings(document);
  for (const auto& caveat : caveats(document)) std::erase(sentences, caveat);
  std::string out;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto text = out + wrapped(printable(sentences[i]), width, indent);
    if (i > 0 && std::count(text.begin(), text.end(), '\n') > most_lines)
      return out +
             wrapped(fmt::format("({} on the page)",
                                 counted(static_cast<std::int64_t>(sentences.size() - i), "more finding")),
                     width, indent);
    out = text;
  }
  return out;
}

std::string_view prefix(const Notice& notice) {
  if (notice.weight == Weight::voids) return "invalid: ";
  return notice.weight == Weight::hint ? "note: " : "";
}

/// "! busy machine: other processes used 1.02 to 1.5 of 2 cores, all 9 configurations". What it concerns
/// stays in sight: the message is cut for it, and a name too long for the line is a count.
std::string notice_line(const Notice& notice, std::size_t cells, std::size_t width) {
  const auto message =
      printable(fmt::format("! {}{}: {}", prefix(notice), in_words(notice.code), notice.seen[0].message));
  const auto others = std::ssize(notice.seen) - 1;
  const auto more = others > 0 ? fmt::format(" (and {})", counted(others, "other message")) : "";
  auto concerned = printable(extent_of(notice, cells));
  if (concerned.starts_with('\'') && display_width(concerned) > width / 2)
    concerned = fmt::format("1 of {} configurations", cells);
  const auto end = concerned.empty() ? more : more + ", " + concerned;
  const auto used = display_width(end);
  if (used + least_message > width) return cut_to_width(message + end, width);
  return cut_to_width(message, width - used) + end;
}

/// Advice only where it leaves a notice whole and on its one line.
std::string notices_text(const std::vector<CellSummary>& cells, std::size_t width, Style style) {
  std::string out;
  bool left_out = false;
  for (const auto& notice : notices(cells)) {
    const auto whole = notice_line(notice, cells.size(), std::string::npos);
    const auto advised = whole + (notice.advice.empty() ? "" : "; " + printable(notice.advice));
    const bool fits = display_width(advised) <= width;
    left_out |= !fits;
    out += style.paint("33", fits ? advised : notice_line(notice, cells.size(), width)) + "\n";
  }
  return left_out ? out + wrapped("(in full, and what to do about them: on the page)", width, indent) : out;
}

}  // namespace

std::string text_summary(const Document& document, const TableOptions& options) {
  if (document.cells.empty()) return {};
  const auto width = std::max(options.width, narrowest_terminal);
  auto out = text_table(document, options) + "\n" + findings_text(document, width);
  if (const auto notices = notices_text(document.cells, width, {options.colour}); !notices.empty())
    out += "\n" + notices;
  return out;
}

}  // namespace neph::report
