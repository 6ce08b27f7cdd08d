// Operators whose output has its input's shape, or the shape to which its inputs are broadcast.
#include "net/operator.hpp"

namespace neph::net {
namespace {

/// The output is as the first input is.
Result<Effect> same(const Call& call) { return Effect{.outputs = {outline(call.input(0))}}; }

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

/// Arithmetic of any number of tensors, broadcast to one shape.
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
    Operator{"BatchNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"InstanceNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"LayerNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"GroupNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"RMSNormalization", Kind::normalization, same, 0b10},
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
    Operator{"Where", Kind::elementwise, where, kNone},
    Operator{"Identity", Kind::movement, same, kFirst},
    Operator{"Cast", Kind::movement, cast, kFirst},
    Operator{"CastLike", Kind::movement, cast_like, kFirst},
    Operator{"Dropout", Kind::movement, dropout, kNone},
    Operator{"QuantizeLinear", Kind::quantization, quantize, kFirst},
    Operator{"DequantizeLinear", Kind::quantization, same_shape_as<kFloat>, kFirst},
};

}  // namespace

std::span<const Operator> element_operators() { return kOperators; }

}  // namespace neph::net
