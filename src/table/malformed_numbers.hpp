// Columns of text that would be numbers if they were written otherwise, and what to write.
#pragma once

#include <optional>

#include "table/table.hpp"

namespace neph::table {

struct Malformed {
  std::string code;     ///< "mixed_units", "decimal_comma", "text_among_numbers"
  std::string message;  ///< what makes the column text, and how it would be one of numbers
};

/// Of a column of text that has
/// - numbers in several units ("1GB", "512MB"),
/// - numbers with a comma for the point ("0,5"),
/// - numbers but for a few other texts ("n/a"): see below.
/// Nothing: its texts are no numbers.
std::optional<Malformed> nearly_numbers(const Column& text);

/// Why a column of text can be no target, and what to do: "is no number in row 3 ('OOM'): ...".
std::string why_no_number(const Column& text);

}  // namespace neph::table
