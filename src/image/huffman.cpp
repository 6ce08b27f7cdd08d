#include "image/huffman.hpp"

#include <algorithm>

namespace neph::image {
namespace {

/// T.81 F.2.2.1, EXTEND: `size` bits to a difference or coefficient.
int extend(std::uint64_t bits, int size) {
  const int value = static_cast<int>(bits);
  return size == 0 || (value >> (size - 1)) != 0 ? value : value - (1 << size) + 1;
}

}  // namespace

int HuffmanTable::advance_of(int symbol) const {
  if (!for_ac_) return 1;
  const int run = symbol >> 4, size = symbol & 15;
  return size == 0 && run != 15 ? end_of_block : run + 1;
}

/// All numbers of `look` bits that begin with the code.
void HuffmanTable::enter(int code, int length, int symbol) {
  const int size = symbol & 15, free_bits = look - length;
  const auto bits = static_cast<std::uint8_t>(length + size);
  const auto advance = static_cast<std::uint8_t>(advance_of(symbol));
  for (int tail = 0; tail < 1 << free_bits; ++tail) {
    const auto at = static_cast<std::size_t>((code << free_bits) + tail);
    const bool last = advance == end_of_block;
    steps_[at] = {bits, last ? std::uint8_t{0} : advance, last};
    if (size > free_bits) continue;
    const int value = extend(static_cast<std::uint64_t>(tail >> (free_bits - size)), size);
    singles_[at] = {static_cast<std::int16_t>(value), bits, advance};
  }
}

/// What follows a symbol within the bits looked at is found where those bits, moved up, stand in the table.
void HuffmanTable::combine() {
  constexpr std::size_t mask = (1 << look) - 1;
  for (std::size_t at = 0; at <= mask; ++at) {
    const Coefficient first = singles_[at];
    Pair& pair =
        pairs_[at] = {first.value, first.value, first.bits, first.advance, 0, first.advance == end_of_block};
    if (first.bits == 0 || pair.last) continue;
    const Coefficient second = singles_[at << first.bits & mask];
    if (second.bits == 0 || first.bits + second.bits > look) continue;
    pair.bits = static_cast<std::uint8_t>(first.bits + second.bits);
    pair.last = second.advance == end_of_block;
    if (pair.last) continue;
    pair.second = second.value;
    pair.second_advance = second.advance;
  }
  const auto alone = steps_;
  for (std::size_t at = 0; at <= mask; ++at) {
    Steps& all = steps_[at];
    while (all.bits != 0 && !all.last && all.bits < look) {
      const Steps more = alone[at << all.bits & mask];
      if (more.bits == 0 || all.bits + more.bits > look || all.advance + more.advance >= end_of_block) break;
      all = {static_cast<std::uint8_t>(all.bits + more.bits),
             static_cast<std::uint8_t>(all.advance + more.advance), more.last};
    }
  }
}

bool HuffmanTable::build(std::span<const std::uint8_t> counts, std::span<const std::uint8_t> symbols,
                         bool for_ac) {
  if (for_ac == for_ac_ && std::equal(counts.begin(), counts.end(), counts_.begin(), counts_.end()) &&
      std::equal(symbols.begin(), symbols.end(), symbols_.begin(), symbols_.end()))
    return true;
  for_ac_ = for_ac;
  counts_.clear();
  symbols_.assign(symbols.begin(), symbols.end());
  singles_.fill({});
  steps_.fill({});
  int code = 0;
  std::size_t index = 0;
  for (int length = 1; length <= 16; ++length, code <<= 1) {
    const auto at = static_cast<std::size_t>(length);
    const int count = counts[at - 1];
    if (code + count > 1 << length) return false;
    first_symbol_[at] = static_cast<std::int32_t>(index) - code;
    last_code_[at] = count == 0 ? -1 : code + count - 1;
    for (int i = 0; i < count; ++i, ++code, ++index) {
      if (!for_ac && symbols[index] > 11) return false;
      if (length <= look) enter(code, length, symbols[index]);
    }
  }
  if (for_ac) combine();
  counts_.assign(counts.begin(), counts.end());
  return true;
}

/// T.81 F.2.2.3, DECODE: the codes of a length follow each other.
Coefficient HuffmanTable::decode(std::uint64_t ahead) const {
  for (int length = 1; length <= 16; ++length) {
    const auto at = static_cast<std::size_t>(length);
    const auto code = static_cast<std::int32_t>(ahead >> (longest - length));
    if (code > last_code_[at]) continue;
    const auto index = static_cast<std::size_t>(first_symbol_[at] + code);
    if (index >= symbols_.size()) break;
    const int symbol = symbols_[index], size = symbol & 15, bits = length + size;
    const std::uint64_t tail = ahead >> (longest - bits) & ((1U << size) - 1);
    return {static_cast<std::int16_t>(extend(tail, size)), static_cast<std::uint8_t>(bits),
            static_cast<std::uint8_t>(advance_of(symbol))};
  }
  return {.advance = end_of_block};
}

}  // namespace neph::image
