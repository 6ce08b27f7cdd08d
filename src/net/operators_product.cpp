// Matrix products and recurrent layers.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

/// A product is dense when one factor is a stored matrix, else it multiplies two activations.
Kind product_kind(const Tensor& a, const Tensor& b) {
  return a.constant || b.constant ? Kind::dense : Kind::product;
}

Result<std::optional<std::int64_t>> product_macs(const Shape& output, std::int64_t depth) {
  if (!is_known(output) || depth == kUnknown) return std::nullopt;
  NEPH_TRY(const auto count, element_count(output));
  return checked_product(count, depth);
}

/// y = a b + c with a [M, K] and b [K, N], each possibly transposed.
Result<Effect> gemm(const Call& call) {
  Effect effect{.macs = std::nullopt, .kind = product_kind(call.input(0), call.input(1))};
  const auto& a = call.shape(0);
  const auto& b = call.shape(1);
  if (!a || !b) return effect;
  if (a->size() != 2 || b->size() != 2)
    return fail(ErrorCode::corrupt, "{} times {} is no product of matrices", to_string(*a), to_string(*b));
  const bool turn_a = call.integer("transA", 0) != 0;
  const bool turn_b = call.integer("transB", 0) != 0;
  const auto depth_a = (*a)[turn_a ? 0 : 1];
  const auto depth_b = (*b)[turn_b ? 1 : 0];
  if (depth_a != kUnknown && depth_b != kUnknown && depth_a != depth_b)
    return fail(ErrorCode::corrupt, "a matrix with {} columns cannot be multiplied with one of {} rows",
                depth_a, depth_b);
  Shape output{(*a)[turn_a ? 1 : 0], (*b)[turn_b ? 0 : 1]};
  NEPH_TRY(effect.macs, product_macs(output, std::max(depth_a, depth_b)));
  effect.outputs = {{.shape = std::move(output), .type = call.input(0).type}};
  return effect;
}

/// numpy.matmul: vectors get an axis that is dropped again, leading axes are broadcast.
Result<Effect> multiply(const Tensor& left, const Tensor& right) {
  Effect effect{.macs = std::nullopt, .kind = product_kind(left, right)};
  if (!left.shape || !right.shape) return effect;
  Shape a = *left.shape, b = *right.shape;
  if (a.empty() || b.empty()) return fail(ErrorCode::corrupt, "a scalar is no factor of a matrix product");
  const bool vector_a = a.size() == 1, vector_b = b.size() == 1;
  if (vector_a) a.insert(a.begin(), 1);
  if (vector_b) b.push_back(1);
  const auto depth_a = a.back(), depth_b = b[b.size() - 2];
  if (depth_a != kUnknown && depth_b != kUnknown && depth_a != depth_b)
    return fail(ErrorCode::corrupt, "{} cannot be multiplied with {}", to_string(*left.shape),
                to_string(*right.shape));
  NEPH_TRY(Shape output, broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)));
  output.push_back(a[a.size() - 2]);
  output.push_back(b.back());
  NEPH_TRY(effect.macs, product_macs(output, std::max(depth_a, depth_b)));
  if (vector_b) output.pop_back();
  if (vector_a) output.erase(output.end() - (vector_b ? 1 : 2));
  effect.outputs = {
      {.shape = std::move(output), .type = left.type, .constant = left.constant && right.constant}};
  return effect;
}

Result<Effect> matmul(const Call& call) { return multiply(call.input(0), call.input(1)); }
Result<Effect> quantized_matmul(const Call& call) { return multiply(call.input(0), call.input(3)); }

/// LSTM, GRU, RNN: x [steps, batch, inputs], w [directions, gates x hidden, inputs], r [directions, gates x
/// hidden, hidden]. Each step multiplies its input with w and its state with r.
Result<Effect> recurrent(const Call& call) {
  const auto& x = call.shape(0);
  const auto& w = call.shape(1);
  const auto& r = call.shape(2);
  if (!x || !is_known(w) || !is_known(r)) return Effect{.macs = std::nullopt};
  if (x->size() != 3 || w->size() != 3 || r->size() != 3)
    return fail(ErrorCode::corrupt, "input {}, weights {} and {} must have 3 dimensions each", to_string(*x),
                to_string(*w), to_string(*r));
  const bool batch_first = call.integer("layout", 0) == 1;
  const auto steps = (*x)[batch_first ? 1 : 0], batch = (*x)[batch_first ? 0 : 1];
  const auto directions = (*w)[0], hidden = (*r)[2];
  const int type = call.input(0).type;
  const auto sequence =
      batch_first ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden};
  const auto state = batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  Effect effect{.outputs = {{.shape = sequence, .type = type}, {.shape = state, .type = type}},
                .macs = std::nullopt};
  if (call.op() == "LSTM") effect.outputs.push_back({.shape = state, .type = type});
  if (steps == kUnknown || batch == kUnknown) return effect;
  NEPH_TRY(const auto input_weights, element_count(*w));
  NEPH_TRY(const auto state_weights, element_count(*r));
  NEPH_TRY(const auto each_step, checked_sum(input_weights, state_weights));
  NEPH_TRY(const auto times, checked_product(steps, batch));
  NEPH_TRY(effect.macs, checked_product(each_step, times));
  return effect;
}

constexpr std::array kOperators{
    Operator{"Gemm", Kind::dense, gemm},
    Operator{"MatMul", Kind::dense, matmul},
    Operator{"MatMulInteger", Kind::dense, matmul, 0b11},
    Operator{"QLinearMatMul", Kind::dense, quantized_matmul, 0b1001},
    Operator{"LSTM", Kind::recurrent, recurrent},
    Operator{"GRU", Kind::recurrent, recurrent},
    Operator{"RNN", Kind::recurrent, recurrent},
};

}  // namespace

std::span<const Operator> product_operators() { return kOperators; }

}  // namespace neph::net
