#include "engine/torch/tiled_pool.hpp"

#include <algorithm>
#include <cstring>

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

// A register of channels at once. Left to the loop vectoriser, the loop over channels became one of branches.
constexpr std::int64_t lanes = 8;
using Floats = float __attribute__((vector_size(lanes * sizeof(float))));
using Places = std::int32_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));
using Bytes = std::uint8_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));

/// The maxima of `lanes` channels of a window, and where they are.
void pool_lanes(const float* x, float* y, std::uint8_t* places, const Tiles& t) {
  Floats best;
  std::memcpy(&best, x, sizeof(best));
  Places at{};
  for (std::int64_t i = 1; i < t.down * t.right; ++i) {
    Floats a;
    std::memcpy(&a, x + ((i / t.right) * t.wide + i % t.right) * t.channels, sizeof(a));
    const Places larger = ~(a <= best) & (best == best);
    best = larger ? a : best;
    at = larger ? Places{} + static_cast<std::int32_t>(i) : at;
  }
  const auto all = reinterpret_cast<Bytes>(at);
  const auto lowest = __builtin_shufflevector(all, all, 0, 4, 8, 12, 16, 20, 24, 28);
  std::memcpy(y, &best, sizeof(best));
  std::memcpy(places, &lowest, sizeof(lowest));
}

/// The same of one channel.
void pool_channel(const float* x, float* y, std::uint8_t* place, const Tiles& t) {
  float best = *x;
  std::uint8_t at = 0;
  for (std::int64_t i = 1; i < t.down * t.right; ++i) {
    const float a = x[((i / t.right) * t.wide + i % t.right) * t.channels];
    if (a <= best || best != best) continue;
    best = a;
    at = static_cast<std::uint8_t>(i);
  }
  *y = best;
  *place = at;
}

/// One window: the maximum of each channel and where it is.
void pool_window(const float* x, float* y, std::uint8_t* places, const Tiles& t) {
  std::int64_t c = 0;
  for (; c + lanes <= t.channels; c += lanes) pool_lanes(x + c, y + c, places + c, t);
  for (; c < t.channels; ++c) pool_channel(x + c, y + c, places + c, t);
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
