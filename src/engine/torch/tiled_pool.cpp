#include "engine/torch/tiled_pool.hpp"

#include <algorithm>
#include <array>

#include "engine/torch/parallel.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// The sizes that both passes go over: rows of windows of all pictures.
struct Tiles {
  Tiles(std::span<const std::int64_t> x, const Window& window)
      : channels(x[1]),
        high(x[2]),
        wide(x[3]),
        rows(x[2] / window.kernel[0]),
        columns(x[3] / window.kernel[1]),
        down(window.kernel[0]),
        right(window.kernel[1]) {}
  /// Where row `row` of windows of all pictures begins in x.
  std::int64_t begin(std::int64_t row) const {
    return ((row / rows) * high + (row % rows) * down) * wide * channels;
  }
  std::int64_t channels, high, wide, rows, columns, down, right;
};

constexpr std::int64_t grain = 32768;  // elements of x for which a second thread pays

/// One window: the maximum of each channel and where it is. Some channels at a time, which stay in registers
/// or the first cache, and are 32 bits each until they are written.
void pool_window(const float* x, float* y, std::uint8_t* places, const Tiles& t) {
  constexpr std::int64_t some = 64;
  std::array<float, some> best;
  std::array<std::int32_t, some> at;
  for (std::int64_t first = 0; first < t.channels; first += some) {
    const auto count = static_cast<std::size_t>(std::min(some, t.channels - first));
    std::copy_n(x + first, count, best.begin());
    std::fill_n(at.begin(), count, 0);
    for (std::int64_t i = 1; i < t.down * t.right; ++i) {
      const float* candidate = x + ((i / t.right) * t.wide + i % t.right) * t.channels + first;
      const auto place = static_cast<std::int32_t>(i);
      for (std::size_t c = 0; c < count; ++c) {
        const float a = candidate[c], b = best[c];
        const bool larger = !(a <= b) & (b == b);
        best[c] = larger ? a : b;
        at[c] = larger ? place : at[c];
      }
    }
    std::copy_n(best.begin(), count, y + first);
    for (std::size_t c = 0; c < count; ++c)
      places[first + static_cast<std::int64_t>(c)] = static_cast<std::uint8_t>(at[c]);
  }
}

/// The gradient of one window.
void spread_window(const float* gradient, const std::uint8_t* places, float* dx, const Tiles& t) {
  for (std::int64_t i = 0; i < t.down * t.right; ++i) {
    float* to = dx + ((i / t.right) * t.wide + i % t.right) * t.channels;
    const auto place = static_cast<std::uint8_t>(i);
#pragma GCC ivdep
    for (std::int64_t c = 0; c < t.channels; ++c) to[c] = places[c] == place ? gradient[c] : 0.0F;
  }
}

/// Zeros where no window is: right of the last column of windows, and below the last row.
void clear_rest(float* dx, const Tiles& t, bool last_row) {
  const auto covered = t.columns * t.right * t.channels, row = t.wide * t.channels;
  for (std::int64_t i = 0; i < t.down; ++i) std::fill(dx + i * row + covered, dx + (i + 1) * row, 0.0F);
  if (last_row) std::fill(dx + t.down * row, dx + (t.high - (t.rows - 1) * t.down) * row, 0.0F);
}

}  // namespace

bool is_tiled(const Ops& ops, const Window& window) {
  return ops.on_cpu() && window.is_even() && window.kernel == window.stride && !window.ceil &&
         window.padding == Sizes{0, 0} && window.dilation == Sizes{1, 1} && product(window.kernel) <= 256;
}

Pooled tiled_max_pool(const Ops& ops, const Tensor& x, const Window& window) {
  const Tiles t(x.sizes(), window);
  const Sizes sizes{x.size(0), t.channels, t.rows, t.columns};
  if (t.rows == 0 || t.columns == 0) throw Failure("MaxPool: its window is larger than the picture");
  Pooled pooled{ops.empty(sizes, channels_last(sizes)), ops.empty_bytes(product(sizes))};
  const float* from = x.floats();
  float* to = pooled.result.floats();
  auto* places = pooled.places.bytes();
  const auto row = t.columns * t.channels;
  parallel(ops.abi(), x.size(0) * t.rows, grain / (row * t.down * t.right) + 1,
           [&](std::int64_t begin, std::int64_t end) {
             for (auto i = begin; i < end; ++i)
               for (std::int64_t j = 0; j < t.columns; ++j)
                 pool_window(from + t.begin(i) + j * t.right * t.channels, to + i * row + j * t.channels,
                             places + i * row + j * t.channels, t);
           });
  return pooled;
}

Tensor tiled_max_pool_backward(const Ops& ops, const Tensor& gradient, const Tensor& places,
                               std::span<const std::int64_t> sizes, const Window& window) {
  const Tiles t(sizes, window);
  auto dx = ops.empty(sizes, channels_last(sizes));
  const float* from = gradient.floats();
  float* to = dx.floats();
  const auto* at = places.bytes();
  const auto row = t.columns * t.channels;
  parallel(ops.abi(), sizes[0] * t.rows, grain / (row * t.down * t.right) + 1,
           [&](std::int64_t begin, std::int64_t end) {
             for (auto i = begin; i < end; ++i) {
               float* line = to + t.begin(i);
               for (std::int64_t j = 0; j < t.columns; ++j)
                 spread_window(from + i * row + j * t.channels, at + i * row + j * t.channels,
                               line + j * t.right * t.channels, t);
               clear_rest(line, t, i % t.rows == t.rows - 1);
             }
           });
  return dx;
}

}  // namespace neph::engine::torch_plugin
