// What the reading and the writing of formulas agree on: names of functions, and how columns are written.
#pragma once

#include <algorithm>
#include <array>

#include "table/formula.hpp"

namespace neph::table {

struct Function {
  std::string_view name;
  Formula::Kind kind;
  bool takes_many = false;  ///< two values or more; else one
};
inline constexpr std::array functions{
    Function{"min", Formula::Kind::min, true}, Function{"max", Formula::Kind::max, true},
    Function{"log2", Formula::Kind::log2},     Function{"sqrt", Formula::Kind::sqrt},
    Function{"ceil", Formula::Kind::ceil},     Function{"floor", Formula::Kind::floor}};

/// What ends a name that begins with `c`; 0: `c` opens no quote.
constexpr char closing_of(char c) { return c == '"' || c == '\'' ? c : c == '[' ? ']' : '\0'; }

/// Letters of any alphabet: all bytes beyond ASCII count as such.
constexpr bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '.'; }

/// A column's name as a formula has it: bare where that can be read again, else in double quotes.
inline std::string written_name(const std::string& name) {
  const bool is_function = std::any_of(functions.begin(), functions.end(),
                                       [&](const Function& function) { return function.name == name; });
  if (!name.empty() && begins_name(name.front()) && !is_function &&
      std::all_of(name.begin(), name.end(), continues_name))
    return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace neph::table
