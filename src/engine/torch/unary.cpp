// Functions of each element of one tensor, besides those that are loops of ours (activation.cpp). Each with
// its derivative where it has one.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/torch/elementwise.hpp"
#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

Tensor times(const Ops& ops, const Tensor& a, const Tensor& b) { return ops.multiply(a, b); }
Tensor times(const Ops& ops, const Tensor& a, double b) { return ops.multiply(a, number(ops, b)); }
Tensor one_of(const Ops& ops, const char* name, const Tensor& x) { return aten(ops, name, "", x); }

/// An operator by the name that libtorch has for it, and its derivative from x and the result.
struct Unary {
  std::string_view op;
  const char* name;
  Tensor (*derivative)(const Ops& ops, const Tensor& x, const Tensor& y);  ///< null: none
};

Tensor of_erf(const Ops& ops, const Tensor& x, const Tensor&) {
  constexpr double two_over_root_pi = 1.1283791670955126;
  return times(ops, one_of(ops, "aten::exp", times(ops, times(ops, x, x), -1)), two_over_root_pi);
}
Tensor of_exp(const Ops&, const Tensor&, const Tensor& y) { return y; }
Tensor of_log(const Ops& ops, const Tensor& x, const Tensor&) { return one_of(ops, "aten::reciprocal", x); }
Tensor of_sqrt(const Ops& ops, const Tensor&, const Tensor& y) {
  return times(ops, one_of(ops, "aten::reciprocal", y), 0.5);
}
Tensor of_neg(const Ops& ops, const Tensor&, const Tensor&) { return number(ops, -1); }
Tensor of_abs(const Ops& ops, const Tensor& x, const Tensor&) { return one_of(ops, "aten::sgn", x); }
Tensor of_reciprocal(const Ops& ops, const Tensor&, const Tensor& y) {
  return times(ops, times(ops, y, y), -1);
}
Tensor of_sin(const Ops& ops, const Tensor& x, const Tensor&) { return one_of(ops, "aten::cos", x); }
Tensor of_cos(const Ops& ops, const Tensor& x, const Tensor&) {
  return times(ops, one_of(ops, "aten::sin", x), -1);
}

constexpr std::array unaries{
    Unary{"Erf", "aten::erf", of_erf},
    Unary{"Exp", "aten::exp", of_exp},
    Unary{"Log", "aten::log", of_log},
    Unary{"Sqrt", "aten::sqrt", of_sqrt},
    Unary{"Neg", "aten::neg", of_neg},
    Unary{"Abs", "aten::abs", of_abs},
    Unary{"Reciprocal", "aten::reciprocal", of_reciprocal},
    Unary{"Sin", "aten::sin", of_sin},
    Unary{"Cos", "aten::cos", of_cos},
    Unary{"Tan", "aten::tan", nullptr},
    Unary{"Atan", "aten::atan", nullptr},
    Unary{"Sinh", "aten::sinh", nullptr},
    Unary{"Cosh", "aten::cosh", nullptr},
    Unary{"Floor", "aten::floor", nullptr},
    Unary{"Ceil", "aten::ceil", nullptr},
    Unary{"Round", "aten::round", nullptr},
    Unary{"Sign", "aten::sgn", nullptr},
    Unary{"Not", "aten::logical_not", nullptr},
    Unary{"IsNaN", "aten::isnan", nullptr},
    Unary{"Mish", "aten::mish", nullptr},
};

/// min(max(alpha x + beta, 0), 1), and its slope.
Tensor hard_sigmoid(const Ops& ops, const Tensor& x, float alpha, float beta) {
  const auto line = ops.add(times(ops, x, alpha), number(ops, beta));
  return ops.clamp(line, number(ops, 0), number(ops, 1));
}
Tensor hard_sigmoid_slope(const Ops& ops, const Tensor& y, float alpha) {
  const auto zero = number(ops, 0);
  const auto above = ops.choose(ops.greater(y, zero), number(ops, alpha), zero);
  return ops.choose(ops.greater(number(ops, 1), y), above, zero);
}

/// x where it is above 0, else alpha x.
Function leaky_relu(float alpha) {
  const auto slope = [alpha](const Ops& ops, const Tensor& x) {
    return ops.choose(ops.greater(x, number(ops, 0)), number(ops, 1), number(ops, alpha));
  };
  return {[slope](const Ops& ops, auto in) { return times(ops, in[0], slope(ops, in[0])); },
          [slope](const Ops& ops, const Known& known, std::size_t) {
            return times(ops, known.gradient, slope(ops, known.inputs[0]));
          }};
}

/// gamma x where x is above 0, else gamma alpha (exp(x) - 1).
Function elu(float alpha, float gamma) {
  const auto zero = [](const Ops& ops) { return number(ops, 0); };
  return {[=](const Ops& ops, auto in) {
            const auto low = ops.clamp(in[0], Tensor(), zero(ops));
            const auto bent = times(ops, one_of(ops, "aten::expm1", low), alpha);
            return times(ops, ops.choose(ops.greater(in[0], zero(ops)), in[0], bent), gamma);
          },
          [=](const Ops& ops, const Known& known, std::size_t) {
            const auto& x = known.inputs[0];
            const auto low = ops.clamp(x, Tensor(), zero(ops));
            const auto bent = times(ops, one_of(ops, "aten::exp", low), alpha);
            const auto slope = ops.choose(ops.greater(x, zero(ops)), number(ops, 1), bent);
            return times(ops, known.gradient, times(ops, slope, gamma));
          }};
}

Function softplus() {
  return {[](const Ops& ops, auto in) {
            return times(ops, aten(ops, "aten::log_sigmoid", "", times(ops, in[0], -1)), -1);
          },
          [](const Ops& ops, const Known& known, std::size_t) {
            return times(ops, known.gradient, ops.sigmoid(known.inputs[0]));
          }};
}

}  // namespace

Status make_unary(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto* found =
      std::find_if(unaries.begin(), unaries.end(), [&](const Unary& entry) { return entry.op == node.op; });
  Function function{[found](const Ops& ops, auto in) { return one_of(ops, found->name, in[0]); }, {}};
  if (found->derivative != nullptr)
    function.backward = [found](const Ops& ops, const Known& known, std::size_t) {
      return times(ops, known.gradient, found->derivative(ops, known.inputs[0], known.result));
    };
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_gelu(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto form = node.attribute<std::string>("approximate", "none");
  Function function{
      [form](const Ops& ops, auto in) { return aten(ops, "aten::gelu", "", in[0], std::string_view(form)); },
      [form](const Ops& ops, const Known& known, std::size_t) {
        return aten(ops, "aten::gelu_backward", "", known.gradient, known.inputs[0], std::string_view(form));
      }};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_hard_swish(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  Function function{[](const Ops& ops, auto in) { return one_of(ops, "aten::hardswish", in[0]); },
                    [](const Ops& ops, const Known& known, std::size_t) {
                      return aten(ops, "aten::hardswish_backward", "", known.gradient, known.inputs[0]);
                    }};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_hard_sigmoid(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto alpha = node.attribute<float>("alpha", 0.2F);
  const auto beta = node.attribute<float>("beta", 0.5F);
  Function function{[=](const Ops& ops, auto in) { return hard_sigmoid(ops, in[0], alpha, beta); },
                    [=](const Ops& ops, const Known& known, std::size_t) {
                      return times(ops, known.gradient, hard_sigmoid_slope(ops, known.result, alpha));
                    }};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_bent_line(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  if (node.op == "Softplus") return make_function(builder, node, 1, softplus(), made);
  if (node.op == "LeakyRelu")
    return make_function(builder, node, 1, leaky_relu(node.attribute<float>("alpha", 0.01F)), made);
  if (node.op == "Selu") {
    const auto alpha = node.attribute<float>("alpha", 1.67326319217681884765625F);
    return make_function(builder, node, 1,
                         elu(alpha, node.attribute<float>("gamma", 1.05070102214813232421875F)), made);
  }
  return make_function(builder, node, 1, elu(node.attribute<float>("alpha", 1), 1), made);
}

}  // namespace neph::engine::torch_plugin
