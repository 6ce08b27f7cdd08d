// Operators whose output has its input's shape, or the shape to which its inputs are broadcast.
#include "net/operator.hpp"

namespace neph::net {
namespace {

/// The output is as the first input is.
Result<Effect> same(const Call& call) {
  const Tensor& input = call.input(0);
  return Effect{.outputs = {{.shape = input.shape, .type = input.type, .constant = input.constant}}};
}

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

/// Identity and Cast: small integers keep their values, as the shapes that exporters compute pass through
/// them.
Result<Effect> cast(const Call& call) {
  Tensor output = call.input(0);
  output.type = static_cast<int>(call.integer("to", output.type) & 0xff);
  return Effect{.outputs = {std::move(output)}};
}

/// QuantizeLinear makes what its zero point is (8 bits without one), or what output_dtype says.
Result<Effect> quantize(const Call& call) {
  const Tensor& input = call.input(0);
  const auto stated = static_cast<int>(call.integer("output_dtype", 0) & 0xff);
  const int type = stated != 0 ? stated : call.has(2) ? call.input(2).type : kUint8;
  return Effect{.outputs = {{.shape = input.shape, .type = type, .constant = input.constant}}};
}

std::optional<std::int64_t> combine(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "Add" && !__builtin_add_overflow(a, b, &result)) return result;
  if (op == "Sub" && !__builtin_sub_overflow(a, b, &result)) return result;
  if (op == "Mul" && !__builtin_mul_overflow(a, b, &result)) return result;
  if (op == "Div" && b > 0) return a / b;
  return std::nullopt;
}

/// Values of two small integer tensors of the same size (or one of them a single number) in arithmetic.
std::optional<Integers> combined_values(const Call& call) {
  if (call.input_count() != 2 || !call.input(0).values || !call.input(1).values) return std::nullopt;
  const Integers& a = *call.input(0).values;
  const Integers& b = *call.input(1).values;
  if (a.empty() || b.empty() || (a.size() != b.size() && a.size() != 1 && b.size() != 1)) return std::nullopt;
  Integers values(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = combine(call.op(), a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  return values;
}

/// Arithmetic of any number of tensors, broadcast to one shape.
Result<Effect> arithmetic(const Call& call) {
  Tensor output = call.input(0);
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    const Tensor& input = call.input(i);
    output.constant = output.constant && input.constant;
    if (!output.shape || !input.shape) {
      output.shape.reset();
      continue;
    }
    NEPH_TRY(output.shape, broadcast(*output.shape, *input.shape));
  }
  output.values = combined_values(call);
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
constexpr std::uint32_t kScaleAndShift =
    0b110;  // of X, scale, shift, mean, variance: the last two are statistics

constexpr std::array kOperators{
    Operator{"Relu", Kind::activation, same, kNone},
    Operator{"LeakyRelu", Kind::activation, same, kNone},
    Operator{"ThresholdedRelu", Kind::activation, same, kNone},
    Operator{"PRelu", Kind::activation, same, 0b10},
    Operator{"Clip", Kind::activation, same, kNone},
    Operator{"Sigmoid", Kind::activation, same, kNone},
    Operator{"HardSigmoid", Kind::activation, same, kNone},
    Operator{"HardSwish", Kind::activation, same, kNone},
    Operator{"Swish", Kind::activation, same, kNone},
    Operator{"Mish", Kind::activation, same, kNone},
    Operator{"Gelu", Kind::activation, same, kNone},
    Operator{"Elu", Kind::activation, same, kNone},
    Operator{"Selu", Kind::activation, same, kNone},
    Operator{"Celu", Kind::activation, same, kNone},
    Operator{"Softplus", Kind::activation, same, kNone},
    Operator{"Softsign", Kind::activation, same, kNone},
    Operator{"Tanh", Kind::activation, same, kNone},
    Operator{"Erf", Kind::activation, same, kNone},
    Operator{"Softmax", Kind::activation, same, kNone},
    Operator{"LogSoftmax", Kind::activation, same, kNone},
    Operator{"Hardmax", Kind::activation, same, kNone},
    Operator{"BatchNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"InstanceNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"LayerNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"GroupNormalization", Kind::normalization, same, kScaleAndShift},
    Operator{"RMSNormalization", Kind::normalization, same, 0b10},
    Operator{"LRN", Kind::normalization, same, kNone},
    Operator{"LpNormalization", Kind::normalization, same, kNone},
    Operator{"MeanVarianceNormalization", Kind::normalization, same, kNone},
    Operator{"Abs", Kind::elementwise, same, kNone},
    Operator{"Neg", Kind::elementwise, same, kNone},
    Operator{"Exp", Kind::elementwise, same, kNone},
    Operator{"Log", Kind::elementwise, same, kNone},
    Operator{"Sqrt", Kind::elementwise, same, kNone},
    Operator{"Reciprocal", Kind::elementwise, same, kNone},
    Operator{"Floor", Kind::elementwise, same, kNone},
    Operator{"Ceil", Kind::elementwise, same, kNone},
    Operator{"Round", Kind::elementwise, same, kNone},
    Operator{"Sign", Kind::elementwise, same, kNone},
    Operator{"Sin", Kind::elementwise, same, kNone},
    Operator{"Cos", Kind::elementwise, same, kNone},
    Operator{"CumSum", Kind::elementwise, same, kNone},
    Operator{"Not", Kind::elementwise, same_shape_as<kBool>, kNone},
    Operator{"IsNaN", Kind::elementwise, same_shape_as<kBool>, kNone},
    Operator{"Add", Kind::elementwise, arithmetic},
    Operator{"Sub", Kind::elementwise, arithmetic},
    Operator{"Mul", Kind::elementwise, arithmetic},
    Operator{"Div", Kind::elementwise, arithmetic},
    Operator{"Pow", Kind::elementwise, arithmetic, kNone},
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
    Operator{"Where", Kind::elementwise, where, kNone},
    Operator{"Identity", Kind::movement, cast, kNone},
    Operator{"Cast", Kind::movement, cast, kNone},
    Operator{"Dropout", Kind::movement, dropout, kNone},
    Operator{"QuantizeLinear", Kind::quantization, quantize, 0b1},
    Operator{"DequantizeLinear", Kind::quantization, same_shape_as<kFloat>, 0b1},
};

}  // namespace

std::span<const Operator> element_operators() { return kOperators; }

}  // namespace neph::net
