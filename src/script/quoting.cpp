#include "script/quoting.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/text.hpp"

namespace neph::script {
namespace {

/// Line separators, byte order mark and noncharacters, which can be printed.
constexpr std::array<std::string_view, 5> not_in_yaml{"\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf",
                                                      "\xef\xbf\xbe", "\xef\xbf\xbf"};

/// With quotes of sh, and characters that cannot be printed or that YAML does not hold, as `escaped` has
/// them. How many bytes are a character, its first one announces.
template <class Escaped>
std::string rewritten(std::string_view text, Escaped escaped) {
  std::string out;
  for (std::string_view character; !text.empty(); text.remove_prefix(character.size())) {
    const auto lead = static_cast<unsigned char>(text.front());
    character = text.substr(0, lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
    const bool is_plain = character != "'" && printable(character) == character &&
                          std::ranges::count(not_in_yaml, character) == 0;
    out += is_plain ? std::string(character) : escaped(character);
  }
  return out;
}

}  // namespace

std::string sh_word(std::string_view text) {
  return fmt::format("'{}'", rewritten(text, [](std::string_view character) {
                       std::string word;
                       for (const char byte : character)
                         word += byte == '\''   ? R"('\'')"
                                 : byte == '\n' ? R"('"$newline"')"
                                                : fmt::format(R"x('"$(byte {:03o})"')x",
                                                              static_cast<unsigned char>(byte));
                       return word;
                     }));
}

std::string comment(std::string_view text) {
  const auto shown = [](std::string_view character) { return std::string(character == "'" ? "'" : "?"); };
  return fmt::format("# {}\n", rewritten(printable(text), shown));
}

std::string scalar(const Json& value) {
  return rewritten(value.dump(-1, ' ', false, Json::error_handler_t::replace),
                   [](std::string_view character) {
                     const auto escaped = Json(character).dump(-1, ' ', true);
                     return escaped.substr(1, escaped.size() - 2);
                   });
}

}  // namespace neph::script
