// Operators whose output has its input's shape, or the shape to which its inputs are broadcast.
#include "net/operator.hpp"

namespace neph::net {

Result<Effect> same(const Call& call) { return Effect{.outputs = {outline(call.input(0))}}; }

Result<Effect> same_of_stated_type(const Call& call) {
  return made(call.shape(0), call.type("dtype", call.input(0).type));
}

Result<Effect> arithmetic(const Call& call) {
  Tensor output = outline(call.input(0));
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    const Tensor& input = call.input(i);
    output.constant = output.constant && input.constant;
    if (!output.shape || !input.shape) {
      output.shape.reset();
      continue;
    }
    NEPH_TRY(output.shape, broadcast(*output.shape, *input.shape));
  }
  return Effect{.outputs = {std::move(output)}};
}

namespace {

/// The same, with elements of one type whatever the input's.
template <int type>
Result<Effect> same_shape_as(const Call& call) {
  const Tensor& input = call.input(0);
  return Effect{.outputs = {{.shape = input.shape, .type = type, .constant = input.constant}}};
}

/// Dropout: what stays, and which elements did.
Result<Effect> dropout(const Call& call) {
  NEPH_TRY(auto effect, same(call));
  if (call.output_count() > 1) effect.outputs.push_back({.shape = call.shape(0), .type = kBool});
  return effect;
}

Result<Effect> cast(const Call& call) {
  Tensor output = outline(call.input(0));
  output.type = static_cast<int>(call.integer("to", output.type) & 0xff);
  return Effect{.outputs = {std::move(output)}};
}

Result<Effect> cast_like(const Call& call) {
  Tensor output = outline(call.input(0));
  output.type = call.input(1).type;
  return Effect{.outputs = {std::move(output)}};
}

/// QuantizeLinear makes what its zero point is (8 bits without one), or what output_dtype says.
Result<Effect> quantize(const Call& call) {
  const Tensor& input = call.input(0);
  const auto stated = static_cast<int>(call.integer("output_dtype", 0) & 0xff);
  const int type = stated != 0 ? stated : call.has(2) ? call.input(2).type : kUint8;
  return Effect{.outputs = {{.shape = input.shape, .type = type, .constant = input.constant}}};
}

/// DequantizeLinear makes what its scale is, or what output_dtype says.
Result<Effect> dequantize(const Call& call) {
  const Tensor& input = call.input(0);
  const int type = call.type("output_dtype", call.input(1).type);
  return Effect{.outputs = {{.shape = input.shape, .type = type, .constant = input.constant}}};
}

/// LayerNormalization and its like: the result, and of each row that was normalised its mean and deviation.
Result<Effect> row_normalization(const Call& call) {
  NEPH_TRY(auto effect, same(call));
  Tensor statistics{.shape = call.shape(0), .type = call.type("stash_type", kFloat)};
  if (statistics.shape) {
    NEPH_TRY(const auto first, axis_index(call.integer("axis", -1), statistics.shape->size()));
    for (auto i = first; i < statistics.shape->size(); ++i) (*statistics.shape)[i] = 1;
  }
  while (effect.outputs.size() < call.output_count()) effect.outputs.push_back(statistics);
  return effect;
}

/// In training it makes the running statistics too, which are one number for each channel.
Result<Effect> batch_normalization(const Call& call) {
  NEPH_TRY(auto effect, same(call));
  for (std::size_t i = 1; i < call.output_count(); ++i)
    effect.outputs.push_back({.shape = call.shape(3), .type = call.input(3).type});
  return effect;
}

/// To 8 bits by the smallest and largest element: with one scale and one zero point.
Result<Effect> quantize_dynamically(const Call& call) {
  return Effect{.outputs = {{.shape = call.shape(0), .type = kUint8},
                            {.shape = Shape{}, .type = kFloat},
                            {.shape = Shape{}, .type = kUint8}}};
}

/// Adam, Adagrad, Momentum: rate, step, then as many weights, gradients and states of each kind; made are the
/// weights and the states anew.
template <std::size_t kinds>
Result<Effect> optimizer_step(const Call& call) {
  if (call.input_count() < 2 || (call.input_count() - 2) % kinds != 0)
    return fail(ErrorCode::corrupt, "{} inputs are not {} for each weight", call.input_count(), kinds);
  const std::size_t weights = (call.input_count() - 2) / kinds;
  Effect effect;
  for (std::size_t i = 0; i < call.output_count(); ++i) {
    const std::size_t from = i < weights ? i : i + weights;  // gradients stand between the two
    effect.outputs.push_back({.shape = call.shape(2 + from), .type = call.input(2 + from).type});
  }
  return effect;
}

Result<Effect> comparison(const Call& call) {
  NEPH_TRY(auto effect, arithmetic(call));
  effect.outputs[0].type = kBool;
  return effect;
}

/// Where(condition, a, b): elements are of a's type.
Result<Effect> where(const Call& call) {
  NEPH_TRY(auto effect, arithmetic(call));
  effect.outputs[0].type = call.input(1).type;
  return effect;
}

constexpr std::uint32_t kNone = 0;
constexpr std::uint32_t kFirst = 0b1;
constexpr std::uint32_t kScaleAndShift =
    0b110;  // of X, scale, shift, mean, variance: the last two are statistics

constexpr std::array kOperators{
    Operator{"Relu", Kind::activation, same, kFirst},
    Operator{"LeakyRelu", Kind::activation, same, kFirst},
    Operator{"ThresholdedRelu", Kind::activation, same, kNone},
    Operator{"PRelu", Kind::activation, same, 0b10},
    Operator{"Clip", Kind::activation, same, kFirst},
    Operator{"Sigmoid", Kind::activation, same, kFirst},
    Operator{"HardSigmoid", Kind::activation, same, kNone},
    Operator{"HardSwish", Kind::activation, same, kNone},
    Operator{"Swish", Kind::activation, same, kNone},
    Operator{"Mish", Kind::activation, same, kNone},
    Operator{"Gelu", Kind::activation, same, kNone},
    Operator{"Elu", Kind::activation, same, kNone},
    Operator{"Selu", Kind::activation, same, kNone},
    Operator{"Celu", Kind::activation, same, kNone},
    Operator{"Softplus", Kind::activation, same, kFirst},
    Operator{"Softsign", Kind::activation, same, kNone},
    Operator{"Tanh", Kind::activation, same, kFirst},
    Operator{"Erf", Kind::activation, same, kNone},
    Operator{"Softmax", Kind::activation, same, kFirst},
    Operator{"LogSoftmax", Kind::activation, same, kNone},
    Operator{"Hardmax", Kind::activation, same, kNone},
    Operator{"BatchNormalization", Kind::normalization, batch_normalization, kScaleAndShift},
    Operator{"InstanceNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"LayerNormalization", Kind::normalization, row_normalization, kScaleAndShift},
    Operator{"GroupNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"RMSNormalization", Kind::normalization, same, 0b10},
    Operator{"SimplifiedLayerNormalization", Kind::normalization, row_normalization, 0b10},
    Operator{"LRN", Kind::normalization, same, kNone},
    Operator{"LpNormalization", Kind::normalization, same, kFirst},
    Operator{"MeanVarianceNormalization", Kind::normalization, same, kNone},
    Operator{"Abs", Kind::elementwise, same, kFirst},
    Operator{"Neg", Kind::elementwise, same, kFirst},
    Operator{"Exp", Kind::elementwise, same, kFirst},
    Operator{"Log", Kind::elementwise, same, kFirst},
    Operator{"Sqrt", Kind::elementwise, same, kFirst},
    Operator{"Reciprocal", Kind::elementwise, same, kFirst},
    Operator{"Floor", Kind::elementwise, same, kFirst},
    Operator{"Ceil", Kind::elementwise, same, kFirst},
    Operator{"Round", Kind::elementwise, same, kFirst},
    Operator{"Sign", Kind::elementwise, same, kFirst},
    Operator{"Sin", Kind::elementwise, same, kFirst},
    Operator{"Cos", Kind::elementwise, same, kFirst},
    Operator{"CumSum", Kind::elementwise, same, kNone},
    Operator{"Tan", Kind::elementwise, same, kNone},
    Operator{"Asin", Kind::elementwise, same, kNone},
    Operator{"Acos", Kind::elementwise, same, kNone},
    Operator{"Atan", Kind::elementwise, same, kNone},
    Operator{"Sinh", Kind::elementwise, same, kNone},
    Operator{"Cosh", Kind::elementwise, same, kNone},
    Operator{"Asinh", Kind::elementwise, same, kNone},
    Operator{"Acosh", Kind::elementwise, same, kNone},
    Operator{"Atanh", Kind::elementwise, same, kNone},
    Operator{"Shrink", Kind::activation, same, kNone},
    Operator{"Trilu", Kind::elementwise, same, kNone},
    Operator{"ReverseSequence", Kind::movement, same, kNone},
    Operator{"ScatterElements", Kind::movement, same, kNone},
    Operator{"Scatter", Kind::movement, same, kNone},
    Operator{"ScatterND", Kind::movement, same, kNone},
    Operator{"BitwiseNot", Kind::elementwise, same, kNone},
    Operator{"TensorScatter", Kind::movement, same, kNone},
    Operator{"RegexFullMatch", Kind::elementwise, same_shape_as<kBool>, kNone},
    Operator{"Bernoulli", Kind::movement, same_of_stated_type, kNone},
    Operator{"EyeLike", Kind::movement, same_of_stated_type, kNone},
    Operator{"RandomNormalLike", Kind::movement, same_of_stated_type, kNone},
    Operator{"RandomUniformLike", Kind::movement, same_of_stated_type, kNone},
    Operator{"IsInf", Kind::elementwise, same_shape_as<kBool>, kNone},
    Operator{"Not", Kind::elementwise, same_shape_as<kBool>, kNone},
    Operator{"IsNaN", Kind::elementwise, same_shape_as<kBool>, kNone},
    Operator{"Add", Kind::elementwise, arithmetic},
    Operator{"Sub", Kind::elementwise, arithmetic},
    Operator{"Mul", Kind::elementwise, arithmetic},
    Operator{"Div", Kind::elementwise, arithmetic},
    Operator{"Pow", Kind::elementwise, arithmetic, kFirst},
    Operator{"Mod", Kind::elementwise, arithmetic, kNone},
    Operator{"Min", Kind::elementwise, arithmetic, kNone},
    Operator{"Max", Kind::elementwise, arithmetic, kNone},
    Operator{"Sum", Kind::elementwise, arithmetic},
    Operator{"Mean", Kind::elementwise, arithmetic},
    Operator{"Equal", Kind::elementwise, comparison, kNone},
    Operator{"Less", Kind::elementwise, comparison, kNone},
    Operator{"LessOrEqual", Kind::elementwise, comparison, kNone},
    Operator{"Greater", Kind::elementwise, comparison, kNone},
    Operator{"GreaterOrEqual", Kind::elementwise, comparison, kNone},
    Operator{"And", Kind::elementwise, comparison, kNone},
    Operator{"Or", Kind::elementwise, comparison, kNone},
    Operator{"Xor", Kind::elementwise, comparison, kNone},
    Operator{"BitShift", Kind::elementwise, arithmetic, kNone},
    Operator{"BitwiseAnd", Kind::elementwise, arithmetic, kNone},
    Operator{"BitwiseOr", Kind::elementwise, arithmetic, kNone},
    Operator{"BitwiseXor", Kind::elementwise, arithmetic, kNone},
    Operator{"StringConcat", Kind::elementwise, arithmetic, kNone},
    Operator{"Where", Kind::elementwise, where, kNone},
    Operator{"Identity", Kind::movement, same, kFirst},
    Operator{"Cast", Kind::movement, cast, kFirst},
    Operator{"CastLike", Kind::movement, cast_like, kFirst},
    Operator{"Dropout", Kind::movement, dropout, kNone},
    Operator{"QuantizeLinear", Kind::quantization, quantize, kFirst},
    Operator{"DynamicQuantizeLinear", Kind::quantization, quantize_dynamically, kNone},
    Operator{"ai.onnx.preview.training.Adam", Kind::elementwise, optimizer_step<4>, kNone},
    Operator{"ai.onnx.preview.training.Adagrad", Kind::elementwise, optimizer_step<3>, kNone},
    Operator{"ai.onnx.preview.training.Momentum", Kind::elementwise, optimizer_step<3>, kNone},
    Operator{"DequantizeLinear", Kind::quantization, dequantize, kFirst},
};

}  // namespace

std::span<const Operator> element_operators() { return kOperators; }

}  // namespace neph::net
