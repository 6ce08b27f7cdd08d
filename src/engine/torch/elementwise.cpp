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

/// A number that kernels of any device are given as they are called, so that a GPU has none to fill first.
Tensor zero(const Ops& ops) {
  static constexpr float nothing = 0;
  return ops.wrap(&nothing, Sizes{}, Sizes{});
}

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

/// Numbers that a dropout computes with.
struct Draw {
  explicit Draw(const Drop& drop)
      : key(drop.seed), dropped(static_cast<std::int32_t>(std::lround(drop.ratio * 65536))) {
    factor = static_cast<float>(65536.0 / (65536.0 - dropped));
  }
  Key key;
  std::int32_t dropped = 0;  ///< of 65536
  float factor = 1;          ///< that what is kept is multiplied by
};

/// One half of a block: element i has the 16 bits from `shift` on of word i, so that all is in lanes of 32
/// bits.
template <bool with_relu>
void drop_half(const float* x, float* to, std::int64_t count, const std::uint32_t* words, int shift,
               const Draw& draw) {
  const auto dropped = draw.dropped;
  const float factor = draw.factor;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const auto random = static_cast<std::int32_t>((words[i] >> shift) & 0xffffU);
    // What is no number stays: it must be seen in the loss.
    const float scaled = x[i] * factor;
    const float value = with_relu && scaled <= 0.0F ? 0.0F : scaled;
    to[i] = random < dropped ? 0.0F : value;
  }
}

/// Blocks begin..end of x.
template <bool with_relu>
void drop_blocks(const float* x, float* to, std::int64_t count, std::int64_t begin, std::int64_t end,
                 const Draw& draw) {
  constexpr auto half = block / 2;
  std::array<std::uint32_t, half> words;
  for (auto i = begin; i < end; ++i) {
    const auto counter = static_cast<std::uint32_t>(i * half);
    for (std::uint32_t j = 0; j < half; ++j)
      words[j] = bits_at(counter + j, draw.key.before, draw.key.between);
    const auto first = i * block;
    const auto here = std::min(block, count - first);
    drop_half<with_relu>(x + first, to + first, std::min(half, here), words.data(), 0, draw);
    if (here > half)
      drop_half<with_relu>(x + first + half, to + first + half, here - half, words.data(), 16, draw);
  }
}

Tensor drop_on_cpu(const Ops& ops, const Tensor& x, const Drop& drop, bool in_place) {
  auto result = target(ops, x, in_place);
  const auto count = x.count();
  const float* from = x.floats();
  float* to = result.floats();
  const Draw draw(drop);
  parallel(ops.abi(), (count + block - 1) / block, grain / block, [&](std::int64_t begin, std::int64_t end) {
    if (drop.with_relu) return drop_blocks<true>(from, to, count, begin, end, draw);
    drop_blocks<false>(from, to, count, begin, end, draw);
  });
  return result;
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
  if (!ops.on_cpu()) return ops.choose(ops.greater(result, zero(ops)), gradient, zero(ops));
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

Dropped dropout(const Ops& ops, const Tensor& x, const Drop& drop, bool in_place) {
  Dropped forward{.drop = drop, .result = {}, .mask = {}, .positive = {}};
  if (ops.on_cpu()) {
    forward.result = drop_on_cpu(ops, x, drop, in_place);
    return forward;
  }
  if (drop.with_relu) forward.positive = ops.relu(x);
  auto [result, mask] = ops.dropout(drop.with_relu ? forward.positive : x, drop.ratio);
  forward.result = std::move(result);
  forward.mask = std::move(mask);
  return forward;
}

Tensor dropout_backward(const Ops& ops, const Tensor& gradient, const Dropped& forward, bool in_place) {
  const auto& drop = forward.drop;
  if (!ops.on_cpu()) {
    auto kept = ops.dropout_backward(gradient, forward.mask, 1 / (1 - drop.ratio));
    return forward.positive ? relu_backward(ops, kept, forward.positive, false) : kept;
  }
  if (!drop.with_relu) return drop_on_cpu(ops, gradient, drop, in_place);
  auto made = target(ops, gradient, in_place);
  const float factor = Draw(drop).factor;
  each(ops, made, gradient, forward.result, [=](float g, float y) {
    const float kept = g * factor;  // computed either way: a choice without a branch is vectorised
    return y > 0.0F ? kept : 0.0F;
  });
  return made;
}

}  // namespace neph::engine::torch_plugin
