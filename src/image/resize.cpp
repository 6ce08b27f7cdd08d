// Vertical first, then horizontal, eight result rows at a time. The vertical pass leaves its eight rows
// turned (column by column, the eight rows' values of a column side by side), so that in both passes eight
// neighbouring values want the same weight and the inner loops are plain multiply-adds; turning back is
// joined with rounding and normalising. The source rows that eight result rows look at become floats first,
// in a window that stays in the second-level cache.
#include "image/resize.hpp"

#include <algorithm>
#include <cstring>

#define NEPH_INLINE inline __attribute__((always_inline))  // so that lanes stay in registers

namespace neph::image {
namespace {

/// Eight floats side by side: one register where there is AVX2, else two.
constexpr int lanes = 8;
using Lanes = float __attribute__((vector_size(lanes * sizeof(float))));
/// The same anywhere in memory.
using LanesInMemory [[gnu::aligned(alignof(float)), gnu::may_alias]] = Lanes;

// Through a pointer: g++ 12 makes two or four moves of a memcpy of this size.
NEPH_INLINE void load(const float* from, Lanes& to) { to = *reinterpret_cast<const LanesInMemory*>(from); }
NEPH_INLINE void store(const Lanes& from, float* to) { *reinterpret_cast<LanesInMemory*>(to) = from; }

/// To whole numbers, half to even.
NEPH_INLINE void round_level(Lanes& value) {
  constexpr float no_fraction_left = 12582912.0F;  // 1.5 * 2^23: floats of this size are whole numbers
  value = (value + no_fraction_left) - no_fraction_left;
}

/// 8 x 8 values, rows for columns.
NEPH_INLINE void turn(Lanes (&m)[lanes]) {
  Lanes a[lanes];
  for (int i = 0; i < lanes; i += 2) {
    a[i] = __builtin_shufflevector(m[i], m[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(m[i], m[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Lanes b[lanes];
  for (const int i : {0, 4}) {
    for (const int j : {0, 1}) {
      b[i + j] = __builtin_shufflevector(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + j + 2] = __builtin_shufflevector(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    m[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// sum over k < count of weight[k] * from[k * step .. k * step + 7]. `Count` is that count when it is known
/// to the compiler, which then unrolls, and 0 otherwise.
template <int Count>
NEPH_INLINE void weighted_sum(const float* from, std::ptrdiff_t step, const float* weight, int count,
                              Lanes& sum) {
  sum = Lanes{};
  for (int k = 0; k < (Count ? Count : count); ++k, from += step) {
    Lanes values;
    load(from, values);
    sum += values * weight[k];
  }
}

/// Everything that the passes share; computed once per picture.
struct Job {
  const Pixels& pixels;
  const Taps& horizontal;
  const Taps& vertical;
  const Planes& planes;
  Stretch columns;  ///< of the source that the result needs
  int values;       ///< per source row in the window: all channels of all columns, a multiple of lanes
  float* window;    ///< [rows that eight result rows look at][values]
  float* turned;    ///< [values][lanes]
  float* out;

  bool grey() const { return pixels.channels == 1; }
};

int first_row(const Taps& vertical, int result) {
  return vertical.first[static_cast<std::size_t>(std::min(result, vertical.results() - 1))];
}

/// Source rows that result rows row .. row + 7 look at.
Stretch rows_under(const Taps& vertical, int row) {
  return {first_row(vertical, row), first_row(vertical, row + lanes - 1) + vertical.count};
}

/// What lies behind a row's last column becomes a number too, and comes to nothing.
NEPH_INLINE void fill_row(const Job& job, int y, float* __restrict to) {
  const auto& pixels = job.pixels;
  const auto first_byte = static_cast<std::ptrdiff_t>(job.columns.begin - pixels.x) * pixels.channels;
  const std::uint8_t* __restrict from =
      pixels.data + static_cast<std::size_t>(y - pixels.y) * pixels.stride + first_byte;
  for (int i = 0; i < job.values; ++i) to[i] = from[i];
}

/// Result rows row .. row + 7 (those behind the last repeat it) of all columns, into `turned`.
template <int Count>
NEPH_INLINE void vertical_pass(const Job& job, int row) {
  const Stretch rows = rows_under(job.vertical, row);
  for (int y = rows.begin; y < rows.end; ++y)
    fill_row(job, y, job.window + static_cast<std::ptrdiff_t>(y - rows.begin) * job.values);
  const float* from[lanes];
  const float* weight[lanes];
  for (int r = 0; r < lanes; ++r) {
    const int result = std::min(row + r, job.vertical.results() - 1);
    from[r] =
        job.window + static_cast<std::ptrdiff_t>(first_row(job.vertical, result) - rows.begin) * job.values;
    weight[r] = job.vertical.weight.data() + result * job.vertical.count;
  }
  for (int value = 0; value < job.values; value += lanes) {
    Lanes block[lanes];
    for (int r = 0; r < lanes; ++r)
      weighted_sum<Count>(from[r] + value, job.values, weight[r], job.vertical.count, block[r]);
    turn(block);
    float* to = job.turned + static_cast<std::ptrdiff_t>(value) * lanes;
    for (const auto& column : block) {
      store(column, to);
      to += lanes;
    }
  }
}

/// Result columns column .. column + 7 of one channel: afterwards values[r] are row r's, rounded to levels.
template <int Count>
NEPH_INLINE void horizontal_block(const Job& job, int column, int channel, Lanes (&values)[lanes]) {
  const float* from = job.turned + static_cast<std::ptrdiff_t>(channel) * lanes;
  const int step = job.pixels.channels * lanes;
  for (int c = 0; c < lanes; ++c) {
    const int result = std::min(column + c, job.horizontal.results() - 1);
    const int first = job.horizontal.first[static_cast<std::size_t>(result)] - job.columns.begin;
    weighted_sum<Count>(from + static_cast<std::ptrdiff_t>(first) * step, step,
                        job.horizontal.weight.data() + result * job.horizontal.count, job.horizontal.count,
                        values[c]);
  }
  turn(values);
  for (auto& row : values) round_level(row);
}

/// The block's part of one plane, scaled and moved, as far as the picture goes.
NEPH_INLINE void store_block(const Job& job, int row, int column, int plane, const Lanes (&levels)[lanes]) {
  const int width = job.horizontal.results(), height = job.vertical.results();
  const int rows = std::min(lanes, height - row), columns = std::min(lanes, width - column);
  float* to = job.out + (static_cast<std::ptrdiff_t>(plane) * height + row) * width + column;
  for (int r = 0; r < rows; ++r, to += width) {
    const Lanes result = levels[r] * job.planes.scale[plane] + job.planes.offset[plane];
    if (columns == lanes)
      store(result, to);
    else
      std::memcpy(to, &result, static_cast<std::size_t>(columns) * sizeof(float));
  }
}

/// ITU-R 601 luma of three channels, as Pillow's convert("L") weighs them.
template <int Count>
NEPH_INLINE void luma_block(const Job& job, int column, Lanes (&levels)[lanes]) {
  constexpr float share[3] = {0.299F, 0.587F, 0.114F};
  for (auto& row : levels) row = Lanes{};
  for (int channel = 0; channel < 3; ++channel) {
    Lanes values[lanes];
    horizontal_block<Count>(job, column, channel, values);
    for (int r = 0; r < lanes; ++r) levels[r] += values[r] * share[channel];
  }
  for (auto& row : levels) round_level(row);
}

template <int Count>
NEPH_INLINE void horizontal_pass(const Job& job, int row) {
  Lanes levels[lanes];
  for (int column = 0; column < job.horizontal.results(); column += lanes) {
    if (job.planes.count == 1 && !job.grey()) {
      luma_block<Count>(job, column, levels);
      store_block(job, row, column, 0, levels);
      continue;
    }
    for (int plane = 0; plane < job.planes.count; ++plane) {
      if (plane == 0 || !job.grey()) horizontal_block<Count>(job, column, plane, levels);
      store_block(job, row, column, plane, levels);
    }
  }
}

/// Photographs of ImageNet's size need 3 or 4 source pixels per result pixel.
NEPH_INLINE void go_through_rows(const Job& job) {
  for (int row = 0; row < job.vertical.results(); row += lanes) {
    switch (job.vertical.count) {
      case 2:
        vertical_pass<2>(job, row);
        break;
      case 3:
        vertical_pass<3>(job, row);
        break;
      case 4:
        vertical_pass<4>(job, row);
        break;
      default:
        vertical_pass<0>(job, row);
    }
    switch (job.horizontal.count) {
      case 2:
        horizontal_pass<2>(job, row);
        break;
      case 3:
        horizontal_pass<3>(job, row);
        break;
      case 4:
        horizontal_pass<4>(job, row);
        break;
      default:
        horizontal_pass<0>(job, row);
    }
  }
}

void all_rows_anywhere(const Job& job) { go_through_rows(job); }
#ifdef __x86_64__
[[gnu::target("avx2")]] void all_rows_by_avx2(const Job& job) { go_through_rows(job); }

bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
void all_rows(const Job& job) { (has_avx2() ? all_rows_by_avx2 : all_rows_anywhere)(job); }
#else
void all_rows(const Job& job) { all_rows_anywhere(job); }
#endif

void grow(std::vector<float>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

int whole_lanes(int values) { return (values + lanes - 1) / lanes * lanes; }

}  // namespace

void resize(const Pixels& pixels, const Taps& horizontal, const Taps& vertical, const Planes& planes,
            std::span<float> out, ResizeBuffers& buffers) {
  Job job{.pixels = pixels,
          .horizontal = horizontal,
          .vertical = vertical,
          .planes = planes,
          .columns = horizontal.source(),
          .out = out.data()};
  job.values = whole_lanes(job.columns.length() * pixels.channels);
  int window_rows = 0;
  for (int row = 0; row < vertical.results(); row += lanes)
    window_rows = std::max(window_rows, rows_under(vertical, row).length());
  const auto values = static_cast<std::size_t>(job.values);
  grow(buffers.window, static_cast<std::size_t>(window_rows) * values);
  grow(buffers.turned, values * lanes);
  job.window = buffers.window.data();
  job.turned = buffers.turned.data();
  all_rows(job);
}

}  // namespace neph::image
