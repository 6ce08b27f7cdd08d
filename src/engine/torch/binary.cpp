// Functions of the elements of two tensors, with sizes as numpy broadcasts them: Sub, Div, Pow, comparisons,
// and in inference Add and Mul of integers too.
#include <algorithm>
#include <array>

#include "engine/torch/elementwise.hpp"
#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

Tensor times(const Ops& ops, const Tensor& a, const Tensor& b) { return ops.multiply(a, b); }

/// Sums of integers: the stable ABI adds with a factor, which libtorch takes for floats only. Numbers beyond
/// 2^53 are no sizes or indices.
Tensor sum_of(const Ops& ops, const Tensor& a, const Tensor& b, bool negative) {
  const auto wide = [&](const Tensor& x) { return ops.convert(x, ops.abi().float64()); };
  if (is_float(ops, a) && is_float(ops, b)) return negative ? ops.subtract(a, b) : ops.add(a, b);
  const auto sum = negative ? ops.subtract(wide(a), wide(b)) : ops.add(wide(a), wide(b));
  return ops.convert(sum, ops.abi().int64());
}

Tensor add(const Ops& ops, std::span<const Tensor> in) {
  const auto& a = in[0];
  const auto& b = in[1];
  if (is_float(ops, a) && is_float(ops, b) && std::ranges::equal(a.sizes(), b.sizes()))
    return add_alike(ops, a, ops.ordered(b, a.strides()), false);
  return sum_of(ops, a, b, false);
}

Tensor divide(const Ops& ops, std::span<const Tensor> in) {
  if (is_float(ops, in[0])) return aten(ops, "aten::div", "Tensor", in[0], in[1]);
  return aten(ops, "aten::div", "Tensor_mode", in[0], in[1], Given<std::string_view>{"trunc"});
}

/// x^y keeps the type of x. Squares are the commonest by far, and pow() is slow.
Tensor power(const Ops& ops, std::span<const Tensor> in) {
  const auto exponent = is_float(ops, in[1]) ? in[1] : ops.to_float(in[1]);
  if (!is_float(ops, in[0]))
    return ops.convert(aten(ops, "aten::pow", "Tensor_Tensor", ops.to_float(in[0]), exponent),
                       ops.abi().int64());
  return aten(ops, "aten::pow", "Tensor_Tensor", in[0], exponent);
}

Tensor power_gradient(const Ops& ops, const Known& known, std::size_t which) {
  const auto& x = known.inputs[0];
  const auto& y = known.inputs[1];
  if (which == 1) return times(ops, known.gradient, times(ops, known.result, aten(ops, "aten::log", "", x)));
  const auto less = aten(ops, "aten::pow", "Tensor_Tensor", x, ops.subtract(y, number(ops, 1)));
  return times(ops, known.gradient, times(ops, y, less));
}

Tensor divide_gradient(const Ops& ops, const Known& known, std::size_t which) {
  const auto part = aten(ops, "aten::div", "Tensor", known.gradient, known.inputs[1]);
  return which == 0 ? part : times(ops, times(ops, part, known.result), number(ops, -1));
}

/// Of the larger, or smaller, of two: it goes to the one that was taken, and to the first where they are
/// alike.
Tensor choice_gradient(const Ops& ops, const Known& known, std::size_t which, bool is_max) {
  const auto& a = known.inputs[0];
  const auto& b = known.inputs[1];
  const auto second = is_max ? ops.greater(b, a) : ops.greater(a, b);
  const auto zero = number(ops, 0);
  return which == 1 ? ops.choose(second, known.gradient, zero) : ops.choose(second, zero, known.gradient);
}

Function function_of(std::string_view op) {
  if (op == "Add") return {add, [](const Ops&, const Known& known, std::size_t) { return known.gradient; }};
  if (op == "Mul")
    return {[](const Ops& ops, auto in) { return times(ops, in[0], in[1]); },
            [](const Ops& ops, const Known& known, std::size_t which) {
              return times(ops, known.gradient, known.inputs[1 - which]);
            }};
  if (op == "Sub")
    return {[](const Ops& ops, auto in) { return sum_of(ops, in[0], in[1], true); },
            [](const Ops& ops, const Known& known, std::size_t which) {
              return which == 0 ? known.gradient : times(ops, known.gradient, number(ops, -1));
            }};
  if (op == "Div") return {divide, divide_gradient};
  if (op == "Pow") return {power, power_gradient};
  const bool is_max = op == "Max";
  const char* const name = is_max ? "aten::maximum" : "aten::minimum";
  return {[name](const Ops& ops, auto in) { return aten(ops, name, "", in[0], in[1]); },
          [is_max](const Ops& ops, const Known& known, std::size_t which) {
            return choice_gradient(ops, known, which, is_max);
          }};
}

struct Comparison {
  std::string_view op;
  const char* name;
  const char* overload;
};
constexpr std::array comparisons{
    Comparison{"Equal", "aten::eq", "Tensor"},          Comparison{"Greater", "aten::gt", "Tensor"},
    Comparison{"GreaterOrEqual", "aten::ge", "Tensor"}, Comparison{"Less", "aten::lt", "Tensor"},
    Comparison{"LessOrEqual", "aten::le", "Tensor"},    Comparison{"And", "aten::logical_and", ""},
    Comparison{"Or", "aten::logical_or", ""},           Comparison{"Xor", "aten::logical_xor", ""},
};

}  // namespace

Status make_binary(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  if (node.inputs.size() != 2) return not_trained(node, "it has other than two inputs");
  return make_function(builder, node, 2, function_of(node.op), made);
}

Status make_comparison(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto* found = std::find_if(comparisons.begin(), comparisons.end(),
                                   [&](const Comparison& entry) { return entry.op == node.op; });
  Function function{
      [found](const Ops& ops, auto in) { return aten(ops, found->name, found->overload, in[0], in[1]); }, {}};
  return make_function(builder, node, 2, std::move(function), made);
}

Status make_sum(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  Function function{[](const Ops& ops, auto in) {
                      Tensor sum = in[0];
                      for (const auto& more : in.subspan(1)) sum = add(ops, std::array{sum, more});
                      return sum;
                    },
                    [](const Ops&, const Known& known, std::size_t) { return known.gradient; }};
  return make_function(builder, node, node.inputs.size(), std::move(function), made);
}

Status make_modulo(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  // With fmod the sign is the dividend's, else the divisor's.
  const char* const name = node.attribute<std::int64_t>("fmod", 0) != 0 ? "aten::fmod" : "aten::remainder";
  Function function{[name](const Ops& ops, auto in) { return aten(ops, name, "Tensor", in[0], in[1]); }, {}};
  return make_function(builder, node, 2, std::move(function), made);
}

Status make_where(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto condition = [](const Ops& ops, const Tensor& x) {
    return x.dtype() == ops.abi().boolean() ? x : ops.convert(x, ops.abi().boolean());
  };
  Function function{[=](const Ops& ops, auto in) { return ops.choose(condition(ops, in[0]), in[1], in[2]); },
                    [=](const Ops& ops, const Known& known, std::size_t which) {
                      const auto chosen = condition(ops, known.inputs[0]);
                      const auto zero = number(ops, 0);
                      return which == 1 ? ops.choose(chosen, known.gradient, zero)
                                        : ops.choose(chosen, zero, known.gradient);
                    }};
  return make_function(builder, node, 3, std::move(function), made);
}

Status make_prelu(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  Function function{[](const Ops& ops, auto in) {
                      const auto positive = ops.greater(in[0], number(ops, 0));
                      return ops.choose(positive, in[0], times(ops, in[0], in[1]));
                    },
                    [](const Ops& ops, const Known& known, std::size_t which) {
                      const auto positive = ops.greater(known.inputs[0], number(ops, 0));
                      const auto scaled = times(ops, known.gradient, known.inputs[1 - which]);
                      return ops.choose(positive, which == 0 ? known.gradient : number(ops, 0), scaled);
                    }};
  return make_function(builder, node, 2, std::move(function), made);
}

}  // namespace neph::engine::torch_plugin
