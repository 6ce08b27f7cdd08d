// JPEG's Huffman codes (ITU-T T.81, annexes C and F): tables that give two coefficients in one look, and a
// reader of bits. Only for files of this room.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "image/lanes.hpp"

namespace neph::image {

/// Bits of a stretch of entropy-coded data, first bit highest. The data must be readable `slack` bytes behind
/// its end: the reader does not look where it is, its user asks now and then whether it is past the end.
class BitReader {
 public:
  static constexpr std::size_t slack =
      4096;  ///< more than the longest MCU of damaged data, 10 blocks of 64 x 31 bits

  explicit BitReader(const std::uint8_t* data) : next_(data) {}

  /// Afterwards at least 56 bits are at hand, more than the longest code and its value have.
  NEPH_INLINE void refill() {
    std::uint64_t more;
    std::memcpy(&more, next_, sizeof more);
    if constexpr (std::endian::native == std::endian::little) more = __builtin_bswap64(more);
    bits_ |= more >> count_;
    next_ += (63 - count_) >> 3;
    count_ |= 56;
  }
  NEPH_INLINE std::uint64_t peek(int count) const { return bits_ >> (64 - count); }
  NEPH_INLINE void skip(int count) {
    bits_ <<= count;
    count_ -= static_cast<unsigned>(count);
  }
  /// Behind the last byte of which a bit is used.
  const std::uint8_t* position() const { return next_ - (count_ >> 3); }

 private:
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
  const std::uint8_t* next_;
};

/// A symbol's code with the bits that follow it.
struct Coefficient {
  std::int16_t value = 0;
  std::uint8_t bits = 0;     ///< of the code and the value; 0: no code
  std::uint8_t advance = 0;  ///< zeros before the coefficient, and itself; end_of_block
};
/// Leads out of the block from anywhere in it.
inline constexpr int end_of_block = 64;

/// As many whole symbols as the bits looked at hold, two at the most.
struct Pair {
  std::int16_t first = 0;
  std::int16_t second = 0;          ///< the first again when there is no second
  std::uint8_t bits = 0;            ///< of all; 0: not even one symbol fits
  std::uint8_t first_advance = 0;   ///< end_of_block: there is no coefficient
  std::uint8_t second_advance = 0;  ///< 0 when there is no second
  bool last = false;                ///< and then the block ends
};

/// As many whole symbols as the bits looked at hold, without their values.
struct Steps {
  std::uint8_t bits = 0;     ///< 0: not even one
  std::uint8_t advance = 0;  ///< of all coefficients
  bool last = false;         ///< and then the block ends
};

class HuffmanTable {
 public:
  static constexpr int look = 11;
  static constexpr int longest = 31;  ///< bits of a code and its value

  /// From a DHT segment: 16 counts and the symbols. False when it is no code. The same code as before costs
  /// nothing.
  bool build(std::span<const std::uint8_t> counts, std::span<const std::uint8_t> symbols, bool for_ac);

  /// `ahead` are the next `look` bits.
  NEPH_INLINE const Pair& pair(std::uint64_t ahead) const { return pairs_[ahead]; }
  NEPH_INLINE const Steps& steps(std::uint64_t ahead) const { return steps_[ahead]; }
  /// One symbol; `ahead` are the next `longest` bits.
  NEPH_INLINE Coefficient single(std::uint64_t ahead) const {
    const Coefficient& quick = singles_[ahead >> (longest - look)];
    return quick.bits != 0 ? quick : decode(ahead);
  }

 private:
  Coefficient decode(std::uint64_t ahead) const;  // not inlined, but by value: the reader stays in registers
  int advance_of(int symbol) const;
  void enter(int code, int length, int symbol);
  void combine();

  bool for_ac_ = false;
  std::vector<std::uint8_t> counts_, symbols_;    ///< as given, to see whether the next picture has the same
  std::array<Coefficient, 1 << look> singles_{};  ///< those whose value fits too
  std::array<Pair, 1 << look> pairs_{};
  std::array<Steps, 1 << look> steps_{};
  std::array<std::int32_t, 17> last_code_{};     ///< of each length; -1: none
  std::array<std::int32_t, 17> first_symbol_{};  ///< symbol index less code, of each length
};

}  // namespace neph::image
