// The inner loops of BaselineJpeg: Huffman code to coefficients to levels.
#include <algorithm>
#include <cstring>

#include "image/baseline_jpeg.hpp"
#include "image/inverse_dct.hpp"

namespace neph::image {

struct BlockKernel {
  using Component = BaselineJpeg::Component;
  using Grid = BaselineJpeg::Grid;

  /// Wraps in damaged data, where a sum of differences may leave what 16 bits hold.
  static NEPH_INLINE void predict(Component& component, const HuffmanTable& dc, BitReader& reader,
                                  bool& bad) {
    const Coefficient difference = dc.single(reader.peek(HuffmanTable::longest));
    reader.skip(difference.bits);
    bad |= difference.bits == 0;
    component.predicted = static_cast<std::int16_t>(component.predicted + difference.value);
  }

  /// The rare cases: a long code, or a symbol that may be the block's last. Returns the coefficient's place,
  /// 64 at the end.
  static NEPH_INLINE int next_single(const HuffmanTable& ac, int k, BitReader& reader, bool& bad,
                                     std::int16_t& value) {
    const Coefficient one = ac.single(reader.peek(HuffmanTable::longest));
    reader.skip(one.bits);
    bad |= one.bits == 0;
    value = one.value;
    return std::min(k + one.advance - 1, 64);
  }

  /// A block whose coefficients are not wanted, but for the DC that the next one builds on.
  static NEPH_INLINE void skip_block(Component& component, const HuffmanTable& dc, const HuffmanTable& ac,
                                     BitReader& reader, bool& bad) {
    reader.refill();
    predict(component, dc, reader, bad);
    for (int k = 1; k < 64;) {
      reader.refill();
      const Steps& steps = ac.steps(reader.peek(HuffmanTable::look));
      const int next = k + steps.advance;
      if (steps.bits == 0 || next > 63) [[unlikely]] {  // 64: no end is coded behind it
        std::int16_t unused;
        k = next_single(ac, k, reader, bad, unused) + 1;
        continue;
      }
      reader.skip(steps.bits);
      k = next;
      if (steps.last) break;
    }
  }

  static NEPH_INLINE void keep_block(Component& component, const HuffmanTable& dc, const HuffmanTable& ac,
                                     const float* scale, BitReader& reader, bool& bad, float* to) {
    alignas(32) std::int16_t block[64];
    clear(block);
    reader.refill();
    predict(component, dc, reader, bad);
    block[0] = component.predicted;
    bool flat = true;
    for (int k = 1; k < 64;) {
      reader.refill();
      const Pair& pair = ac.pair(reader.peek(HuffmanTable::look));
      const int first = k + pair.first_advance - 1, second = first + pair.second_advance;
      if (pair.bits == 0 || second + pair.last > 63) {  // no end is coded behind a 63rd coefficient
        std::int16_t value;
        const int place = next_single(ac, k, reader, bad, value);
        if (place > 63) break;
        block[turned_zigzag[static_cast<std::size_t>(place)]] = value;
        k = place + 1;
        flat = false;
        continue;
      }
      reader.skip(pair.bits);
      block[turned_zigzag[static_cast<std::size_t>(first)]] = pair.first;
      block[turned_zigzag[static_cast<std::size_t>(second)]] = pair.second;
      flat = false;
      k = second + 1;
      if (pair.last) break;
    }
    constexpr float centre = 128;
    const bool whole = component.width == 8 && component.height == 8;
    alignas(32) float levels[64];
    float* const to_levels = whole ? to : levels;
    const std::ptrdiff_t stride = whole ? component.stride : 8;
    if (flat)
      fill(to_levels, stride, std::nearbyint(static_cast<float>(block[0]) * scale[0]) + centre);
    else
      inverse_dct(block, scale, centre, to_levels, stride);
    if (!whole) [[unlikely]]
      reduce(levels, component, to);
  }

  /// Means over the block's cells: of rows, then of neighbours as often as need be.
  static NEPH_INLINE void reduce(const float* levels, const Component& component, float* to) {
    const int across = 8 / component.width, down = 8 / component.height;
    const float share = 1 / static_cast<float>(across * down);
    for (int y = 0; y < component.height; ++y, to += component.stride) {
      Lanes sum = {}, row;
      for (int i = 0; i < down; ++i, levels += 8) {
        load(levels, row);
        sum += row;
      }
      for (int joined = 1; joined < across; joined *= 2)
        sum = __builtin_shufflevector(sum, sum, 0, 2, 4, 6, 0, 2, 4, 6) +
              __builtin_shufflevector(sum, sum, 1, 3, 5, 7, 1, 3, 5, 7);
      sum *= share;
      round_level(sum);
      std::memcpy(to, &sum, static_cast<std::size_t>(component.width) * sizeof(float));
    }
  }

  static NEPH_INLINE void clear(std::int16_t* block) {
    constexpr Lanes zero = {};
    for (int i = 0; i < 4; ++i) store(zero, reinterpret_cast<float*>(block + 16 * i));
  }

  static NEPH_INLINE void fill(float* to, std::ptrdiff_t stride, float level) {
    const Lanes levels = Lanes{} + level;
    for (int y = 0; y < 8; ++y, to += stride) store(levels, to);
  }

  /// The blocks of one component in an MCU at column x (in MCUs, of the picture) of kept row y.
  static NEPH_INLINE void decode_mcu(BaselineJpeg& jpeg, Component& component, const Grid& grid, int x, int y,
                                     BitReader& reader, bool& bad) {
    const auto& dc = jpeg.dc_tables_[static_cast<std::size_t>(component.dc)];
    const auto& ac = jpeg.ac_tables_[static_cast<std::size_t>(component.ac)];
    const float* scale = jpeg.quantisation_[static_cast<std::size_t>(component.quantisation)].data();
    const bool keep = y >= 0 && x >= grid.columns.begin && x < grid.columns.end;
    for (int v = 0; v < component.down; ++v) {
      for (int h = 0; h < component.across; ++h) {
        if (!keep) {
          skip_block(component, dc, ac, reader, bad);
          continue;
        }
        const std::ptrdiff_t row = (std::ptrdiff_t{y} * component.down + v) * component.height;
        const std::ptrdiff_t column =
            (std::ptrdiff_t{x - grid.columns.begin} * component.across + h) * component.width;
        float* to = component.plane.data() + component.origin + row * component.stride + column;
        keep_block(component, dc, ac, scale, reader, bad, to);
      }
    }
  }

  /// False when the data is damaged or ends too early.
  static NEPH_INLINE bool decode_rows(BaselineJpeg& jpeg, const Grid& grid) {
    BitReader reader(jpeg.code_.data());
    const std::uint8_t* const end = jpeg.code_.data() + jpeg.code_bytes_;
    bool bad = false;
    for (int row = 0; row < grid.rows.end; ++row) {
      for (int x = 0; x < grid.across; ++x) {
        for (auto& component : jpeg.components_)
          decode_mcu(jpeg, component, grid, x, row - grid.rows.begin, reader, bad);
        if (bad || reader.position() > end) return false;
      }
    }
    return true;
  }
};

bool BaselineJpeg::decode_scan(const Grid& grid) {
  constexpr std::size_t margin = 64;
  for (auto& component : components_) {
    component.predicted = 0;
    component.origin = margin;
    component.stride = std::ptrdiff_t{grid.columns.length()} * component.across * component.width;
    const std::ptrdiff_t rows = std::ptrdiff_t{grid.rows.length()} * component.down * component.height;
    const std::size_t values = static_cast<std::size_t>(rows * component.stride) + 2 * margin;
    if (component.plane.size() < values) component.plane.resize(values);
  }
  return BlockKernel::decode_rows(*this, grid);
}

}  // namespace neph::image
