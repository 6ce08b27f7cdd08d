// One picture of dead leaves in memory. Only for files of this module.
#pragma once

#include <cstdint>
#include <vector>

namespace neph::image {

/// Numbers that are the same on every machine (splitmix64: Steele, Lea, Flood, OOPSLA 2014); the standard
/// library's distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// At least 0, less than 1.
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24F; }
  float between(float low, float high) { return low + (high - low) * unit(); }
  /// Roughly normal, mean 0 and deviation 1: the sum of four uniform numbers.
  float bell();

 private:
  std::uint64_t state_;
};

/// What a picture of dead leaves looks like.
struct Leaves {
  int width = 500;
  int height = 375;
  float texture = 12;  ///< deviation of the leaves' texture, in levels of 255
  float grain = 2;     ///< deviation of the sensor's noise, in levels
};

/// R G B, row by row. See synth.hpp for the method.
std::vector<std::uint8_t> draw_leaves(const Leaves& leaves, Dice& dice);

}  // namespace neph::image
