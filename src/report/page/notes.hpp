// Sentences of a page, and the list of what is to be known beside its answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neph::report {

/// Text in which no line ends within a short word at a hyphen: "--accept", "2026-11-12".
std::string prose_html(std::string_view text);

/// Text; the first with the mark of a doubt. Nothing where there is none of either.
std::string notes_html(const std::vector<std::string>& doubts, const std::vector<std::string>& notes);

}  // namespace neph::report
