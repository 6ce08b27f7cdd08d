#include "engine/torch/elementwise.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/random.hpp"
#include "engine/torch/parallel.hpp"

namespace neph::engine::torch_plugin {
namespace {

constexpr std::int64_t grain = 32768;  // elements for which a second thread pays
constexpr std::int64_t block = 2048;   // elements whose random bits are made at once, in the first cache

/// result[i] = function(a[i], b[i]) over all elements; all three may be the same memory.
template <class Function>
void each(const Ops& ops, const Tensor& result, const Tensor& a, const Tensor& b, Function function) {
  float* to = result.floats();
  const float* left = a.floats();
  const float* right = b.floats();
  parallel(ops.abi(), a.count(), grain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (auto i = begin; i < end; ++i) to[i] = function(left[i], right[i]);
  });
}

Tensor target(const Ops& ops, const Tensor& x, bool in_place) { return in_place ? x : ops.empty_like(x); }

Tensor number(const Ops& ops, float value) { return ops.filled(Sizes{}, Sizes{}, value); }

/// Random bits of place `i`, from a 32-bit finaliser of good avalanche (two rounds of multiply and shift, as
/// in MurmurHash3, with the key between them): a counter needs no state, so that any thread can make any
/// part.
inline std::uint32_t bits_at(std::uint32_t i, std::uint32_t before, std::uint32_t between) {
  std::uint32_t x = i + before;
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= between;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ (x >> 16);
}

struct Key {
  explicit Key(std::uint64_t seed) {
    const auto mixed = split_mix(seed);
    before = static_cast<std::uint32_t>(mixed);
    between = static_cast<std::uint32_t>(mixed >> 32);
  }
  std::uint32_t before = 0;
  std::uint32_t between = 0;
};

/// One block: 16 random bits an element decide whether it is kept.
void drop_block(const float* x, float* to, std::uint8_t* mask, std::int64_t first, std::int64_t count,
                Key key, std::uint32_t dropped, float factor, float below) {
  std::array<std::uint16_t, block> random;
  const auto words = (count + 1) / 2;
  const auto begin = static_cast<std::uint32_t>(first / 2);
  for (std::int64_t i = 0; i < words; ++i) {
    const auto bits = bits_at(begin + static_cast<std::uint32_t>(i), key.before, key.between);
    std::memcpy(&random[static_cast<std::size_t>(2 * i)], &bits, sizeof(bits));
  }
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = x[i];
    const bool kept =
        (random[static_cast<std::size_t>(i)] >= dropped) & !(value <= below);  // what is no number stays
    mask[i] = kept ? 1 : 0;
    to[i] = kept ? value * factor : 0.0F;
  }
}

Dropped drop_on_cpu(const Ops& ops, const Tensor& x, double ratio, bool with_relu, std::uint64_t seed,
                    bool in_place) {
  const auto dropped = static_cast<std::uint32_t>(std::lround(ratio * 65536));
  const auto factor = static_cast<float>(65536.0 / (65536.0 - dropped));
  const auto count = x.count();
  Dropped forward{target(ops, x, in_place), ops.empty_bytes(count), {}, factor};
  const float below = with_relu ? 0.0F : std::numeric_limits<float>::quiet_NaN();
  const float* from = x.floats();
  float* to = forward.result.floats();
  auto* mask = forward.mask.bytes();
  const Key key(seed);
  parallel(ops.abi(), (count + block - 1) / block, grain / block, [=](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) {
      const auto first = i * block;
      drop_block(from + first, to + first, mask + first, first, std::min(block, count - first), key, dropped,
                 factor, below);
    }
  });
  return forward;
}

}  // namespace

Tensor relu(const Ops& ops, const Tensor& x, bool in_place) {
  if (!ops.on_cpu()) return ops.relu(x);
  auto result = target(ops, x, in_place);
  // Not above 0 and no number: the number's absence stays, as libtorch has it.
  each(ops, result, x, x, [](float a, float) { return a < 0.0F ? 0.0F : a; });
  return result;
}

Tensor relu_backward(const Ops& ops, const Tensor& gradient, const Tensor& result, bool in_place) {
  if (!ops.on_cpu()) return ops.choose(ops.greater(result, number(ops, 0)), gradient, number(ops, 0));
  auto made = target(ops, gradient, in_place);
  each(ops, made, gradient, result, [](float g, float y) { return y > 0.0F ? g : 0.0F; });
  return made;
}

Tensor clip(const Ops& ops, const Tensor& x, float low, float high) {
  if (!ops.on_cpu()) return ops.clamp(x, number(ops, low), number(ops, high));
  auto result = ops.empty_like(x);
  each(ops, result, x, x, [=](float a, float) { return a < low ? low : (a > high ? high : a); });
  return result;
}

Tensor clip_backward(const Ops& ops, const Tensor& gradient, const Tensor& x, float low, float high,
                     bool in_place) {
  if (!ops.on_cpu()) {
    const auto zero = number(ops, 0);
    const auto above = ops.choose(ops.greater(x, number(ops, low)), gradient, zero);
    return ops.choose(ops.greater(number(ops, high), x), above, zero);
  }
  auto made = target(ops, gradient, in_place);
  each(ops, made, gradient, x, [=](float g, float a) { return (a > low) & (a < high) ? g : 0.0F; });
  return made;
}

Tensor scale(const Ops& ops, const Tensor& x, float factor, bool in_place) {
  if (!ops.on_cpu()) return ops.multiply(x, number(ops, factor));
  auto made = target(ops, x, in_place);
  each(ops, made, x, x, [=](float a, float) { return a * factor; });
  return made;
}

Tensor add_alike(const Ops& ops, const Tensor& a, const Tensor& b, bool in_place) {
  if (!ops.on_cpu()) return ops.add(a, b);
  auto made = target(ops, a, in_place);
  each(ops, made, a, b, [](float left, float right) { return left + right; });
  return made;
}

Dropped dropout(const Ops& ops, const Tensor& x, double ratio, bool with_relu, std::uint64_t seed,
                bool in_place) {
  if (ops.on_cpu()) return drop_on_cpu(ops, x, ratio, with_relu, seed, in_place);
  Dropped forward{.scale = static_cast<float>(1 / (1 - ratio))};
  const auto& dropped_from = with_relu ? (forward.positive = ops.relu(x)) : x;
  auto [result, mask] = ops.dropout(dropped_from, ratio);
  forward.result = std::move(result);
  forward.mask = std::move(mask);
  return forward;
}

Tensor dropout_backward(const Ops& ops, const Tensor& gradient, const Dropped& forward, bool in_place) {
  if (!ops.on_cpu()) {
    auto kept = ops.dropout_backward(gradient, forward.mask, forward.scale);
    return forward.positive ? relu_backward(ops, kept, forward.positive, false) : kept;
  }
  auto made = target(ops, gradient, in_place);
  const float factor = forward.scale;
  const float* from = gradient.floats();
  float* to = made.floats();
  const auto* mask = forward.mask.bytes();
  parallel(ops.abi(), gradient.count(), grain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (auto i = begin; i < end; ++i) to[i] = mask[i] != 0 ? from[i] * factor : 0.0F;
  });
  return made;
}

}  // namespace neph::engine::torch_plugin
