// Vertical first, then horizontal, eight result rows at a time. The vertical pass leaves its eight rows
// turned (column by column, the eight rows' values of a column side by side), so that in both passes eight
// neighbouring values want the same weight and the inner loops are plain multiply-adds; turning back is
// joined with rounding and normalising. The source rows that eight result rows look at become floats first,
// in a window that stays in the second-level cache.
#include "image/resize.hpp"

#include <algorithm>
#include <cstring>

#include "image/lanes.hpp"

namespace neph::image {
namespace {

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
  const Taps& horizontal;
  const Taps& vertical;
  const Planes& planes;
  Stretch columns;     ///< of the source that the result needs
  bool grey;           ///< one channel
  int values;          ///< per source row in the window: all channels of all columns, a multiple of lanes
  int column_step;     ///< values from column to column of a channel
  int channel_step;    ///< values from channel to channel of a column
  float* window;       ///< [rows that eight result rows look at][values]
  float* turned;       ///< [values][lanes]
  float* colour_rows;  ///< three rows of colour for colour_row()
  float* out;
};

int first_row(const Taps& vertical, int result) {
  return vertical.first[static_cast<std::size_t>(std::min(result, vertical.results() - 1))];
}

/// Source rows that result rows row .. row + 7 look at.
Stretch rows_under(const Taps& vertical, int row) {
  return {first_row(vertical, row), first_row(vertical, row + lanes - 1) + vertical.count};
}

/// Channels side by side. What lies behind a row's last column becomes a number too, and comes to nothing.
NEPH_INLINE void fill_row(const Job& job, const Pixels& pixels, int y, float* __restrict to) {
  const auto first_byte = static_cast<std::ptrdiff_t>(job.columns.begin - pixels.x) * pixels.channels;
  const std::uint8_t* __restrict from =
      pixels.data + static_cast<std::size_t>(y - pixels.y) * pixels.stride + first_byte;
  for (int i = 0; i < job.values; ++i) to[i] = from[i];
}

/// Row y of luma's grid of a colour plane, columns job.columns. `room` has space for two such rows.
NEPH_INLINE const float* colour_row(const Job& job, const LumaColour& picture, const Plane& plane, int y,
                                    float* __restrict room) {
  const int first = job.columns.begin / picture.across;
  const int count = job.channel_step / picture.across + 2;
  const int near = y / picture.down;
  const int far = std::clamp(y % 2 == 0 ? near - 1 : near + 1, 0, plane.height - 1);
  const auto row = [&](int at) { return plane.data + (at - plane.y) * plane.stride + (first - plane.x); };
  if (picture.across == 1 && picture.down == 1) return row(near);

  constexpr int ahead = lanes;  // before the first column, for its left neighbour
  const float* __restrict a = row(near);
  const float* __restrict b = row(picture.down == 2 ? far : near);
  for (int i = -1; i < count; ++i) room[ahead + i] = 0.75F * a[i] + 0.25F * b[i];
  if (picture.across == 1) return room + ahead;
  if (first == 0) room[ahead - 1] = room[ahead];
  if (const int last = plane.width - 1 - first; last + 1 < count) room[ahead + last + 1] = room[ahead + last];
  const float* __restrict c = room + ahead;
  float* __restrict fine = room + job.values;
  for (int i = 0; i < count - 1; ++i) {
    fine[2 * i] = 0.75F * c[i] + 0.25F * c[i - 1];
    fine[2 * i + 1] = 0.75F * c[i] + 0.25F * c[i + 1];
  }
  return fine + job.columns.begin % 2;
}

/// Rounded, and kept within 0..255.
NEPH_INLINE void store_level(const Lanes& value, float* to) {
  const Lanes least = {}, most = least + 255.0F;
  Lanes level = value;
  round_level(level);
  level = level > least ? level : least;
  level = level < most ? level : most;
  store(level, to);
}

/// Channel after channel: R, G, B by JFIF's equations, or luma alone.
NEPH_INLINE void fill_row(const Job& job, const LumaColour& picture, int y, float* __restrict to) {
  const int width = job.channel_step;
  const float* luma =
      picture.luma.data + (y - picture.luma.y) * picture.luma.stride + (job.columns.begin - picture.luma.x);
  Lanes light, b, r;
  if (picture.grey) {
    for (int i = 0; i < width; i += lanes) {
      load(luma + i, light);
      store_level(light, to + i);
    }
    return;
  }
  const float* blue = colour_row(job, picture, picture.blue, y, job.colour_rows);
  const float* red = colour_row(job, picture, picture.red, y, job.colour_rows + 3 * job.values);
  for (int i = 0; i < width; i += lanes) {
    load(luma + i, light);
    load(blue + i, b);
    load(red + i, r);
    b -= 128;
    r -= 128;
    store_level(light + 1.402F * r, to + i);
    store_level(light - 0.344136F * b - 0.714136F * r, to + width + i);
    store_level(light + 1.772F * b, to + 2 * width + i);
  }
}

/// Result rows row .. row + 7 (those behind the last repeat it) of all columns, into `turned`.
template <int Count, class Source>
NEPH_INLINE void vertical_pass(const Job& job, const Source& source, int row) {
  const Stretch rows = rows_under(job.vertical, row);
  for (int y = rows.begin; y < rows.end; ++y)
    fill_row(job, source, y, job.window + static_cast<std::ptrdiff_t>(y - rows.begin) * job.values);
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
  const float* from = job.turned + static_cast<std::ptrdiff_t>(channel) * job.channel_step * lanes;
  const int step = job.column_step * lanes;
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
    if (job.planes.count == 1 && !job.grey) {
      luma_block<Count>(job, column, levels);
      store_block(job, row, column, 0, levels);
      continue;
    }
    for (int plane = 0; plane < job.planes.count; ++plane) {
      if (plane == 0 || !job.grey) horizontal_block<Count>(job, column, plane, levels);
      store_block(job, row, column, plane, levels);
    }
  }
}

/// Photographs of ImageNet's size need 3 or 4 source pixels per result pixel.
template <class Source>
void all_rows(const Job& job, const Source& source) {
  for (int row = 0; row < job.vertical.results(); row += lanes) {
    switch (job.vertical.count) {
      case 2:
        vertical_pass<2>(job, source, row);
        break;
      case 3:
        vertical_pass<3>(job, source, row);
        break;
      case 4:
        vertical_pass<4>(job, source, row);
        break;
      default:
        vertical_pass<0>(job, source, row);
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

void grow(std::vector<float>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

int whole_lanes(int values) { return (values + lanes - 1) / lanes * lanes; }

/// Lends `job` its memory and does it.
template <class Source>
void run(Job& job, const Source& source, ResizeBuffers& buffers) {
  int window_rows = 0;
  for (int row = 0; row < job.vertical.results(); row += lanes)
    window_rows = std::max(window_rows, rows_under(job.vertical, row).length());
  const auto values = static_cast<std::size_t>(job.values);
  grow(buffers.window, static_cast<std::size_t>(window_rows) * values);
  grow(buffers.turned, values * lanes);
  grow(buffers.colour, 6 * (values + 4 * lanes));
  job.window = buffers.window.data();
  job.turned = buffers.turned.data();
  job.colour_rows = buffers.colour.data();
  all_rows(job, source);
}

}  // namespace

void resize(const Pixels& pixels, const Taps& horizontal, const Taps& vertical, const Planes& planes,
            std::span<float> out, ResizeBuffers& buffers) {
  Job job{.horizontal = horizontal,
          .vertical = vertical,
          .planes = planes,
          .columns = horizontal.source(),
          .grey = pixels.channels == 1,
          .column_step = pixels.channels,
          .channel_step = 1,
          .out = out.data()};
  job.values = whole_lanes(job.columns.length() * pixels.channels);
  run(job, pixels, buffers);
}

void resize(const LumaColour& picture, const Taps& horizontal, const Taps& vertical, const Planes& planes,
            std::span<float> out, ResizeBuffers& buffers) {
  Job job{.horizontal = horizontal,
          .vertical = vertical,
          .planes = planes,
          .columns = horizontal.source(),
          .grey = picture.grey,
          .column_step = 1,
          .out = out.data()};
  job.channel_step = whole_lanes(job.columns.length());
  job.values = job.channel_step * (picture.grey ? 1 : 3);
  run(job, picture, buffers);
}

}  // namespace neph::image
