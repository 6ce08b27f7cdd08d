// Comparing what must not be guessed.
#pragma once

#include <algorithm>
#include <string_view>

namespace neph::wire {

/// Takes the same time for texts that differ in their first or in their last character.
inline bool constant_time_equal(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

}  // namespace neph::wire
