// Quantities with their units as people read them, and text brought safely into HTML, Markdown and a
// terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/estimate.hpp"

namespace neph::report {

/// "1.5 GiB", "0.31 %", "12.3 W", "2.4 GHz", "1.94"; "–" for nothing. `unit` as in core/run.hpp's Series.
std::string quantity(std::optional<double> value, std::string_view unit);
/// The heading's unit: "cores", "per second", "%".
std::string unit_in_words(std::string_view unit);
/// "123 ± 4", or "–" without a value.
std::string estimate_text(const Estimate& estimate);

/// Valid UTF-8 without control characters (a line feed becomes a space, others U+FFFD), so that a file's name
/// cannot steer a terminal or break a line.
std::string printable(std::string_view text);
/// printable() with & < > " ' as entities; no line is broken before a percent sign.
std::string escape_html(std::string_view text);
/// printable() with what Markdown and its HTML would read as markup escaped.
std::string escape_markdown(std::string_view text);

/// The text with a full stop, unless it ends with a sign of its own.
std::string sentence(std::string_view text);

/// Columns that the text takes on a terminal: combining marks 0, East Asian wide characters and emoji 2
/// (Unicode 15 EastAsianWidth W and F, by blocks).
std::size_t display_width(std::string_view text);
/// At most `width` columns, ended by "…" when something was cut.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace neph::report
