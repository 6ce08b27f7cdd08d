// A length of time that brings its unit with it: "30s", "50ms", "2min". Only zero needs none: a bare 50 was
// meant as milliseconds as often as not.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph {

/// For fields of described structs whose names have no unit: their text has it.
struct Seconds {
  double value = 0;
  friend bool operator==(const Seconds&, const Seconds&) = default;
};

/// Units: ns, us or µs, ms, s, min, h. Errors: invalid_argument (no number, no or an unknown unit, below 0 or
/// not finite).
Result<Seconds> parse_seconds(std::string_view text);

/// The shortest text that parse_seconds() reads as the same length: "30s", "50ms", "1.5s".
std::string seconds_text(Seconds length);

}  // namespace neph
