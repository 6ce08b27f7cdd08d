// Operators that ONNX Runtime's optimiser and quantisation put into files (com.microsoft), as its
// ContribOperators.md defines them.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

/// SkipLayerNormalization and its like: the result, statistics that nobody reads, and the sum before it.
Result<Effect> normalized_sum(const Call& call) {
  Effect effect;
  for (std::size_t i = 0; i < call.output_count(); ++i) effect.outputs.push_back(outline(call.input(0)));
  for (std::size_t i = 1; i < std::min<std::size_t>(3, call.output_count()); ++i)
    effect.outputs[i] = Tensor{};
  return effect;
}

/// Sums and products of quantised tensors, each with its scale and zero point: tensor, scale, zero, tensor,
/// scale, zero, and those of the result.
Result<Effect> quantized_arithmetic(const Call& call) {
  const auto &a = call.shape(0), &b = call.shape(3);
  if (!a || !b) return made(std::nullopt, call.input(0).type);
  NEPH_TRY(auto shape, broadcast(*a, *b));
  return made(std::move(shape), call.input(0).type);
}

/// A window, or the whole picture, with the channels behind or in front.
Result<Effect> quantized_global_pool(const Call& call) {
  MaybeShape shape = call.shape(0);
  const bool behind = call.integer("channels_last", 0) != 0;
  for (std::size_t i = 1; shape && i < shape->size(); ++i)
    if (i != (behind ? shape->size() - 1 : 1)) (*shape)[i] = 1;
  return made(std::move(shape), call.input(0).type);
}

/// Rows times a matrix [rows of it, columns] whose numbers are quantised: floats.
template <std::size_t weights>
Result<Effect> float_product(const Call& call) {
  const auto &a = call.shape(0), &b = call.shape(weights);
  Effect effect{.macs = std::nullopt, .kind = call.input(weights).constant ? Kind::dense : Kind::product};
  if (!a || a->empty() || !b || b->size() != 2) return effect;
  const auto depth = std::max(a->back(), b->front());
  if (a->back() != kUnknown && b->front() != kUnknown && a->back() != b->front())
    return fail(ErrorCode::corrupt, "{} cannot be multiplied with {}", to_string(*a), to_string(*b));
  if (depth != kUnknown) effect.macs_per_output = depth;
  Shape shape = *a;
  shape.back() = b->back();
  effect.outputs = {{.shape = std::move(shape), .type = kFloat}};
  return effect;
}

/// MatMulNBits: a matrix of N columns and K rows, in blocks of few bits.
Result<Effect> blocked_product(const Call& call) {
  Effect effect{.macs = std::nullopt};
  const auto rows = call.integer("K", kUnknown), columns = call.integer("N", kUnknown);
  if (rows < 1 || columns < 1) return effect;
  effect.macs_per_output = rows;
  MaybeShape shape = call.shape(0);
  if (shape && !shape->empty()) shape->back() = columns;
  effect.outputs = {{.shape = std::move(shape), .type = call.input(0).type}};
  return effect;
}

/// DynamicQuantizeLSTM: as LSTM, with its weights turned: w [directions, inputs, 4 x hidden], r [directions,
/// hidden, 4 x hidden].
Result<Effect> quantized_lstm(const Call& call) {
  const auto &x = call.shape(0), &w = call.shape(1), &r = call.shape(2);
  if (!x || !is_known(w) || !is_known(r)) return Effect{.macs = std::nullopt};
  if (x->size() != 3 || w->size() != 3 || r->size() != 3)
    return fail(ErrorCode::corrupt, "input {}, weights {} and {} must have 3 dimensions each", to_string(*x),
                to_string(*w), to_string(*r));
  const auto steps = (*x)[0], batch = (*x)[1], directions = (*r)[0], hidden = (*r)[1];
  const Shape state{directions, batch, hidden};
  Effect effect{.outputs = {{.shape = Shape{steps, directions, batch, hidden}, .type = kFloat},
                            {.shape = state, .type = kFloat},
                            {.shape = state, .type = kFloat}},
                .macs = std::nullopt};
  if (steps == kUnknown || batch == kUnknown) return effect;
  NEPH_TRY(const auto of_input, element_count(*w));
  NEPH_TRY(const auto of_state, element_count(*r));
  NEPH_TRY(const auto each_step, checked_sum(of_input, of_state));
  NEPH_TRY(const auto times, checked_product(steps, batch));
  NEPH_TRY(effect.macs, checked_product(each_step, times));
  return effect;
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"com.microsoft.BiasGelu", Kind::activation, same, 0b10},
    Operator{"com.microsoft.FastGelu", Kind::activation, same, 0b10},
    Operator{"com.microsoft.Gelu", Kind::activation, same, kNone},
    Operator{"com.microsoft.QuickGelu", Kind::activation, same, kNone},
    Operator{"com.microsoft.QLinearLeakyRelu", Kind::activation, same, kNone},
    Operator{"com.microsoft.QLinearSigmoid", Kind::activation, same, kNone},
    Operator{"com.microsoft.QLinearSoftmax", Kind::activation, same, kNone},
    Operator{"com.microsoft.SkipLayerNormalization", Kind::normalization, normalized_sum, 0b11100},
    Operator{"com.microsoft.SkipSimplifiedLayerNormalization", Kind::normalization, normalized_sum, 0b1100},
    Operator{"com.microsoft.QLinearAdd", Kind::elementwise, quantized_arithmetic, 0b1001},
    Operator{"com.microsoft.QLinearMul", Kind::elementwise, quantized_arithmetic, 0b1001},
    Operator{"com.microsoft.QLinearGlobalAveragePool", Kind::pooling, quantized_global_pool, kNone},
    Operator{"com.microsoft.DynamicQuantizeMatMul", Kind::dense, float_product<1>, 0b10010},
    Operator{"com.microsoft.MatMulIntegerToFloat", Kind::dense, float_product<1>, 0b1000010},
    Operator{"com.microsoft.MatMulNBits", Kind::dense, blocked_product, 0b10},
    Operator{"com.microsoft.DynamicQuantizeLSTM", Kind::recurrent, quantized_lstm, 0b1110},
};

}  // namespace

std::span<const Operator> contrib_operators() { return kOperators; }

}  // namespace neph::net
