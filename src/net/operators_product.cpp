// Matrix products and recurrent layers.
#include <algorithm>
#include <functional>

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

/// MatMulInteger: sums of 8-bit products.
Result<Effect> integer_matmul(const Call& call) {
  NEPH_TRY(auto effect, matmul(call));
  effect.outputs[0].type = kInt32;
  return effect;
}

/// QLinearMatMul: what its result's zero point is.
Result<Effect> quantized_matmul(const Call& call) {
  NEPH_TRY(auto effect, multiply(call.input(0), call.input(3)));
  effect.outputs[0].type = call.input(7).type;
  return effect;
}

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
    const auto [place, is_new] = sizes.try_emplace(letters[i], shape[i]);
    auto& size = place->second;
    if (is_new || size == shape[i] || shape[i] == 1) continue;  // 1 is spread to any other size
    if (size != 1 && size != kUnknown && shape[i] != kUnknown) return false;
    size = size == 1 ? shape[i] : std::max(size, shape[i]);
  }
  return true;
}

/// What stands for the axes of "..." among the letters, counted from their end.
constexpr char kFirstOfRest = '\x01';
constexpr std::size_t kMostOfRest = 30;
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The letters of one operand, with as many for "..." as the rest of its axes. Nothing where it is none.
std::optional<std::string> spelled(std::string letters, std::size_t axes) {
  const auto dots = letters.find("...");
  if (dots == std::string::npos) return letters;
  letters.erase(dots, 3);
  if (letters.size() > axes || axes - letters.size() > kMostOfRest) return std::nullopt;
  std::string rest(axes - letters.size(), kFirstOfRest);
  for (std::size_t i = 0; i < rest.size(); ++i)
    rest[i] = static_cast<char>(kFirstOfRest + static_cast<char>(rest.size() - 1 - i));
  return letters.insert(dots, rest);
}

/// An equation's operands and its result, letter by letter.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

/// Without "->" the result has the axes of "...", then the letters that stand once, in their order.
std::string usual_result(const std::vector<std::string>& operands) {
  std::map<char, int> times;
  std::string rest, once;
  for (const auto& operand : operands)
    for (const char letter : operand) ++times[letter];
  for (const auto& [letter, count] : times)
    if (!is_letter(letter))
      rest.insert(rest.begin(), letter);
    else if (count == 1)
      once += letter;
  return rest + once;
}

/// Nothing where the equation is none for these tensors, or a rank is open that it depends on.
std::optional<Equation> equation_of(const Call& call) {
  auto text = call.text("equation");
  std::erase(text, ' ');
  const auto arrow = text.find("->");
  Equation equation;
  std::size_t rest = 0;  // axes of the longest "..."
  for (std::string_view left = std::string_view(text).substr(0, arrow);;) {
    const auto comma = left.find(',');
    const std::string letters(left.substr(0, comma));
    const auto& shape = call.shape(equation.operands.size());
    if (!shape && letters.find('.') != std::string::npos) return std::nullopt;
    const auto operand = spelled(letters, shape ? shape->size() : letters.size());
    if (!operand) return std::nullopt;
    rest = std::max<std::size_t>(rest, static_cast<std::size_t>(std::count_if(
                                           operand->begin(), operand->end(), std::not_fn(is_letter))));
    equation.operands.push_back(*operand);
    if (comma == std::string_view::npos) break;
    left = left.substr(comma + 1);
  }
  if (equation.operands.size() != call.input_count()) return std::nullopt;
  equation.result = usual_result(equation.operands);
  if (arrow == std::string::npos) return equation;
  const auto result = text.substr(arrow + 2);
  const auto letters = static_cast<std::size_t>(std::count_if(result.begin(), result.end(), is_letter));
  const auto stated = spelled(result, letters + rest);
  if (!stated) return std::nullopt;
  equation.result = *stated;
  return equation;
}

/// Einsum "bhid,bhjd->bhij" of two tensors: a product of matrices for which each combination of letters is
/// one multiply-accumulate. Of more tensors the work depends on the order, which an engine chooses; of one it
/// is none.
Result<Effect> einsum(const Call& call) {
  const std::size_t count = call.input_count();
  Effect effect{.macs = std::nullopt, .kind = Kind::product};
  if (count >= 2) effect.kind = product_kind(call.input(0), call.input(1));
  const auto equation = equation_of(call);
  if (!equation) return effect;
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    if (!call.shape(i)) return effect;
    if (!settle_letters(equation->operands[i], *call.shape(i), sizes))
      return fail(ErrorCode::corrupt, "{} does not go with {} as input {}", call.text("equation"),
                  to_string(*call.shape(i)), i + 1);
  }
  Shape output, all;
  for (const char letter : equation->result) {
    if (!sizes.contains(letter))
      return fail(ErrorCode::corrupt, "{} sets no size for '{}'", call.text("equation"), letter);
    output.push_back(sizes.at(letter));
  }
  for (const auto& [letter, size] : sizes) all.push_back(size);
  if (count == 1) effect.macs = 0;
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
    Operator{"MatMulInteger", Kind::dense, integer_matmul, 0b11},
    Operator{"QLinearMatMul", Kind::dense, quantized_matmul, 0b1001},
    Operator{"LSTM", Kind::recurrent, recurrent},
    Operator{"GRU", Kind::recurrent, recurrent},
    Operator{"RNN", Kind::recurrent, recurrent},
};

}  // namespace

std::span<const Operator> product_operators() { return kOperators; }

}  // namespace neph::net
