// Matrix products and recurrent layers.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

/// A product is dense when one factor is a stored matrix, else it multiplies two activations.
Kind product_kind(const Tensor& a, const Tensor& b) {
  return a.constant || b.constant ? Kind::dense : Kind::product;
}

/// A matrix of unknown size where nothing is known.
Shape matrix(const MaybeShape& shape) { return shape.value_or(Shape(2, kUnknown)); }

/// Rows and columns that meet in a product; error corrupt where they differ.
Result<std::optional<std::int64_t>> depth_of(std::int64_t a, std::int64_t b) {
  if (a != kUnknown && b != kUnknown && a != b)
    return fail(ErrorCode::corrupt, "a matrix with {} columns cannot be multiplied with one of {} rows", a,
                b);
  const auto depth = std::max(a, b);
  return depth == kUnknown ? std::nullopt : std::optional(depth);
}

/// y = a b + c with a [M, K] and b [K, N], each possibly transposed.
Result<Effect> gemm(const Call& call) {
  const Shape a = matrix(call.shape(0)), b = matrix(call.shape(1));
  if (a.size() != 2 || b.size() != 2)
    return fail(ErrorCode::corrupt, "{} times {} is no product of matrices", to_string(a), to_string(b));
  const bool turn_a = call.integer("transA", 0) != 0;
  const bool turn_b = call.integer("transB", 0) != 0;
  Effect effect{.macs = std::nullopt, .kind = product_kind(call.input(0), call.input(1))};
  NEPH_TRY(effect.macs_per_output, depth_of(a[turn_a ? 0 : 1], b[turn_b ? 1 : 0]));
  effect.outputs = {{.shape = Shape{a[turn_a ? 1 : 0], b[turn_b ? 0 : 1]}, .type = call.input(0).type}};
  return effect;
}

/// numpy.matmul: vectors get an axis that is dropped again, leading axes are broadcast.
Result<Effect> multiply(const Tensor& left, const Tensor& right) {
  Effect effect{.macs = std::nullopt, .kind = product_kind(left, right)};
  Tensor output{.type = left.type, .constant = left.constant && right.constant};
  Shape a = matrix(left.shape), b = matrix(right.shape);
  if (a.empty() || b.empty()) return fail(ErrorCode::corrupt, "a scalar is no factor of a matrix product");
  const bool vector_a = a.size() == 1, vector_b = b.size() == 1;
  if (vector_a) a.insert(a.begin(), 1);
  if (vector_b) b.push_back(1);
  auto depth = depth_of(a.back(), b[b.size() - 2]);
  if (!depth)
    return fail(ErrorCode::corrupt, "{} cannot be multiplied with {}", to_string(*left.shape),
                to_string(*right.shape));
  effect.macs_per_output = *depth;
  if (left.shape && right.shape) {
    NEPH_TRY(output.shape, broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)));
    if (!vector_a) output.shape->push_back(a[a.size() - 2]);
    if (!vector_b) output.shape->push_back(b.back());
  }
  effect.outputs = {std::move(output)};
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

/// Sizes of the letters of one operand of an equation; false where they contradict each other.
bool settle_letters(std::string_view letters, const Shape& shape, std::map<char, std::int64_t>& sizes) {
  if (letters.size() != shape.size()) return false;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    auto& size = sizes.try_emplace(letters[i], kUnknown).first->second;
    if (size != kUnknown && shape[i] != kUnknown && size != shape[i] && size != 1 && shape[i] != 1)
      return false;
    size = std::max(size, shape[i]);
  }
  return true;
}

/// The operands' letters; nothing where the equation has "..." or leaves the output to a convention.
std::optional<std::vector<std::string>> operands_of(const std::string& equation, std::size_t count) {
  const auto arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find('.') != std::string::npos) return std::nullopt;
  std::vector<std::string> operands(1);
  for (const char c : equation.substr(0, arrow)) {
    if (c == ',')
      operands.emplace_back();
    else
      operands.back() += c;
  }
  return operands.size() == count ? std::optional(operands) : std::nullopt;
}

/// Einsum "bhid,bhjd->bhij" of two tensors: a product of matrices for which each combination of letters is
/// one multiply-accumulate. Of more tensors the work depends on the order, which an engine chooses.
Result<Effect> einsum(const Call& call) {
  auto equation = call.text("equation");
  std::erase(equation, ' ');
  const std::size_t count = call.input_count();
  Effect effect{.macs = std::nullopt, .kind = Kind::product};
  if (count >= 2) effect.kind = product_kind(call.input(0), call.input(1));
  const auto operands = operands_of(equation, count);
  if (!operands) return effect;
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    if (!call.shape(i)) return effect;
    if (!settle_letters((*operands)[i], *call.shape(i), sizes))
      return fail(ErrorCode::corrupt, "{} does not go with {} as input {}", equation,
                  to_string(*call.shape(i)), i + 1);
  }
  Shape output, all;
  for (const char letter : equation.substr(equation.find("->") + 2)) {
    if (!sizes.contains(letter))
      return fail(ErrorCode::corrupt, "{} sets no size for '{}'", equation, letter);
    output.push_back(sizes.at(letter));
  }
  for (const auto& [letter, size] : sizes) all.push_back(size);
  if (count == 2 && is_known(all)) {
    NEPH_TRY(effect.macs, element_count(all));
  }
  effect.outputs = {{.shape = std::move(output), .type = call.input(0).type}};
  return effect;
}

constexpr std::array kOperators{
    Operator{"Einsum", Kind::dense, einsum},
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
