// How near to 0 and to 1 a probability is told.
#pragma once

#include <algorithm>
#include <cstdint>

namespace neph {

/// Nearer to 0 or to 1 so many draws tell no probability: ten of them, and never less than 0.1 %. 0 draws: it
/// was computed without.
constexpr double least_told_chance(std::int64_t draws) {
  constexpr double least = 0.001, enough = 10;
  return draws > 0 ? std::max(least, enough / static_cast<double>(draws)) : least;
}

}  // namespace neph
