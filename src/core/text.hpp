// Text that goes to a terminal or a page: made harmless, measured and cut by what it shows, not by its bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace neph {

/// Valid UTF-8 without control characters (a line feed becomes a space, a carriage return "\r" in two
/// letters, since names differ by one unseen; others U+FFFD), so that a file's name cannot steer a terminal
/// or break a line.
std::string printable(std::string_view text);

bool is_utf8(std::string_view text);

/// Columns that the text takes on a terminal: combining marks 0, East Asian wide characters and emoji 2
/// (Unicode 15 EastAsianWidth W and F, by blocks).
std::size_t display_width(std::string_view text);
/// At most `width` columns, ended by "…" when something was cut.
std::string cut_to_width(std::string_view text, std::size_t width);

/// With small letters for A to Z; others stay.
std::string lowered(std::string_view text);
/// Whether two words differ in nothing but small and capital letters A to Z.
bool same_words(std::string_view one, std::string_view other);
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Without spaces, tabs and line ends at its ends; a view of the same text.
std::string_view trimmed(std::string_view text);

}  // namespace neph
