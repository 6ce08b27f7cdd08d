// A profile for the terminal.
#include "core/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text_table.hpp"
#include "core/units.hpp"
#include "report/profile/figures.hpp"
#include "report/profile/one_line_rows.hpp"
#include "report/profile/profile.hpp"
#include "report/terminal_text.hpp"

namespace neph::report {
namespace {

std::string text_of(const PlainTable& table) {
  using Side = TextTable::Side;
  std::vector<Side> sides;
  for (const auto& heading : table.headings) {
    const bool is_text = heading == "layer" || heading == "kind" || heading == "kernel" || heading == "fused";
    sides.push_back(is_text ? Side::left : Side::right);
  }
  TextTable text(table.headings, sides);
  for (const auto& row : table.rows) text.add(row);
  return text.text();
}

PlainTable made_printable(PlainTable table) {
  for (auto& row : table.rows)
    for (auto& field : row) field = printable(field);
  return table;
}

std::string kinds_text(const Profile& profile, std::size_t width) {
  auto table = made_printable(kinds_table(profile));
  narrow_to(width, {.dropped_first = {}, .cut = "kind"}, table);
  return text_of(table);
}

std::string layers_text(const Profile& profile, std::size_t limit, std::size_t width) {
  auto table = made_printable(layers_table(profile, limit));
  const auto dropped =
      narrow_to(width, {.dropped_first = {"so far", "fused", "kernel"}, .cut = "layer"}, table);
  auto text = text_of(table);
  if (!dropped.empty())
    text +=
        wrapped(fmt::format("a wider terminal, --html or --json: {}", fmt::join(dropped, ", ")), width, 2);
  return text;
}

std::string title(const Profile& profile) {
  return printable(fmt::format("{} on {}, {}, {}, {}: {}", profile.model, profile.engine, profile.device,
                               profile.precision, counted(profile.threads, "thread"),
                               fmt::join(profile.inputs, ", ")));
}

std::string more(const Profile& profile, std::size_t limit) {
  if (limit == 0 || profile.layers.size() <= limit) return {};
  return fmt::format("and {}: --all shows them\n",
                     counted(std::ssize(profile.layers) - static_cast<std::int64_t>(limit), "more layer"));
}

}  // namespace

std::string text_summary(const Profile& profile, const ProfileOptions& options) {
  const auto width = std::max(options.width, narrowest_terminal);
  auto text = wrapped(title(profile), width, 2);
  for (const auto& said : sentences(profile)) text += wrapped(printable(said), width, 2);
  text += "\n" + kinds_text(profile, width) + "\n";
  text += layers_text(profile, options.limit, width) + more(profile, options.limit);
  if (!profile.removed.empty())
    text += wrapped(fmt::format("{} of the file {} in none of these: computed beforehand, removed, or not "
                                "recognised (--json lists them)",
                                counted(std::ssize(profile.removed), "layer"),
                                profile.removed.size() == 1 ? "is" : "are"),
                    width, 2);
  for (const auto& note : profile.notes) text += wrapped("note: " + printable(note), width, 2);
  return text;
}

}  // namespace neph::report
