// Quantities with their units as people read them, and text brought safely into HTML and Markdown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/estimate.hpp"
#include "core/text.hpp"

namespace neph::report {

/// "1.5 GiB", "0.31 %", "12.3 W", "2.4 GHz", "1.94"; "–" for nothing. `unit` as in core/run.hpp's Series.
std::string quantity(std::optional<double> value, std::string_view unit);
/// The heading's unit: "cores", "per second", "%".
std::string unit_in_words(std::string_view unit);
/// A number that was chosen, not measured: "8", "99.9".
std::string plain(double value);
/// A ratio of two measured numbers. Near 1 a digit more, or two ends of an interval look the same.
std::string ratio_text(double ratio);
/// "95 % CI 0.98 to 1.35", of an estimate that has its interval; of a ratio as ratio_text().
std::string ci_text(const Estimate& estimate);
std::string ratio_ci_text(const Estimate& ratio);
/// "123 ± 4", or "–" without a value.
std::string estimate_text(const Estimate& estimate);

/// printable() with & < > " ' as entities, of HTML and XML.
std::string escape_markup(std::string_view text);
/// The same for HTML; no line is broken before a percent sign.
std::string escape_html(std::string_view text);
/// printable() with what Markdown and its HTML would read as markup escaped.
std::string escape_markdown(std::string_view text);

/// The text with a full stop, unless it ends with a sign of its own.
std::string sentence(std::string_view text);

}  // namespace neph::report
