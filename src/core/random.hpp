// Random numbers that are the same on every machine for the same seed: std::shuffle and the distributions of
// <random> leave their results to the library's author, so an order or a resample drawn with them could not
// be repeated elsewhere. Not for secrets. Threads: one Random per thread. Cost: a few cycles a number, no
// memory.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace neph {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): spreads a seed, or a seed and a stream's number, over 64
/// bits. Advances `state`.
constexpr std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// xoshiro256** 1.0 (Blackman, Vigna, ACM TOMS 47(4), 2021), its state filled by SplitMix64 from the seed.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) {
    for (auto& word : state_) word = split_mix(seed);
  }

  /// 64 bits, each value equally likely.
  constexpr std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// 0 .. n-1, each equally likely (Lemire, ACM TOMACS 29(1), 2019); 0 when n is 0.
  constexpr std::uint64_t below(std::uint64_t n) {
    if (n == 0) return 0;
    Wide product = Wide{bits()} * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t unfair = (0 - n) % n;  // so many low halves belong to a value drawn once too often
      while (static_cast<std::uint64_t>(product) < unfair) product = Wide{bits()} * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// [0, 1), multiples of 2^-53.
  constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// Normal with mean 0 and deviation 1 (Marsaglia, Bray, SIAM Review 6(3), 1964). The draws are the same
  /// everywhere; the last bit of the value depends on the C library's logarithm.
  double normal() {
    if (std::exchange(has_spare_, false)) return spare_;
    double x = 0, y = 0, square = 0;
    do {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    spare_ = y * scale;
    has_spare_ = true;
    return x * scale;
  }

  // A UniformRandomBitGenerator, for libraries that ask for one.
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  constexpr result_type operator()() { return bits(); }

 private:
  __extension__ using Wide = unsigned __int128;

  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0;  ///< normal() makes two at a time
  bool has_spare_ = false;
};

/// Fisher and Yates' shuffle of anything with size() and []: each order equally likely.
template <class Items>
constexpr void shuffle(Items&& items, Random& random) {
  using std::swap;
  for (std::uint64_t left = items.size(); left > 1; --left) swap(items[left - 1], items[random.below(left)]);
}

}  // namespace neph
