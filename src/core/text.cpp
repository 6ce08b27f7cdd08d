#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace neph {
namespace {

constexpr char32_t replacement = 0xFFFD;

char small(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/// The code point that begins at `at`, which moves behind it. A byte that begins no valid sequence (overlong,
/// surrogate, beyond U+10FFFF, cut short) is U+FFFD (Unicode 15, section 3.9).
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC2 ? 1 : 0;
  if (more == 0 || lead > 0xF4) return replacement;
  char32_t value = lead & (0x3F >> more);
  for (int i = 0; i < more; ++i) {
    if (at + static_cast<std::size_t>(i) >= text.size()) return replacement;
    const unsigned char next = byte(at + static_cast<std::size_t>(i));
    if ((next & 0xC0) != 0x80) return replacement;
    value = value << 6 | (next & 0x3F);
  }
  constexpr std::array<char32_t, 4> smallest{0, 0x80, 0x800, 0x10000};
  if (value < smallest[static_cast<std::size_t>(more)] || value > 0x10FFFF ||
      (value >= 0xD800 && value < 0xE000))
    return replacement;
  at += static_cast<std::size_t>(more);
  return value;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  const auto put_rest = [&](int shift) { put(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put_rest(0);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put_rest(6), put_rest(0);
  } else {
    put(0xF0 | c >> 18), put_rest(12), put_rest(6), put_rest(0);
  }
}

/// Control characters, and those that turn the direction of the text around them.
bool steers(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

struct Block {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool in_blocks(char32_t c, const std::array<Block, N>& blocks) {
  return std::any_of(blocks.begin(), blocks.end(), [&](Block b) { return c >= b.first && c <= b.last; });
}

constexpr std::array<Block, 10> combining{{{0x0300, 0x036F},
                                           {0x0483, 0x0489},
                                           {0x0591, 0x05BD},
                                           {0x064B, 0x065F},
                                           {0x1AB0, 0x1AFF},
                                           {0x1DC0, 0x1DFF},
                                           {0x200B, 0x200F},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F},
                                           {0xFE20, 0xFE2F}}};
constexpr std::array<Block, 12> wide{{{0x1100, 0x115F},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0x33FF},
                                      {0x3400, 0x4DBF},
                                      {0x4E00, 0x9FFF},
                                      {0xA000, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0x1F300, 0x1FAFF},
                                      {0x20000, 0x3FFFD}}};

std::size_t width_of(char32_t c) { return in_blocks(c, combining) ? 0 : in_blocks(c, wide) ? 2 : 1; }

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c == '\n' || c == '\t') {
      out += ' ';
    } else if (c == '\r') {
      out += "\\r";
    } else {
      append_utf8(out, steers(c) ? replacement : c);
    }
  }
  return out;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = at;
    if (next_code_point(text, at) == replacement && at == begin + 1) return false;
  }
  return true;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size() && width > 0;) {
    const char32_t c = next_code_point(text, at);
    if (used + width_of(c) > width - 1) break;
    used += width_of(c);
    append_utf8(out, c);
  }
  return width > 0 ? out + "…" : out;
}

std::string lowered(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), small);
  return all;
}

bool same_words(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, small, small);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace neph
