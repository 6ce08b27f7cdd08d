// The same elements in another shape, and the operators with which exporters compute such shapes.
#include <algorithm>
#include <cmath>

#include "net/operator.hpp"

namespace neph::net {
namespace {

Effect reshaped(MaybeShape shape, const Tensor& input) {
  return {.outputs = {{.shape = std::move(shape), .type = input.type, .constant = input.constant}}};
}

/// Product of some dimensions; unknown if one of them is.
Result<std::int64_t> product_of(Shape::const_iterator first, Shape::const_iterator last) {
  const Shape part(first, last);
  return is_known(part) ? element_count(part) : Result<std::int64_t>(kUnknown);
}

Result<Effect> flatten(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return reshaped(std::nullopt, input);
  const auto rank = static_cast<std::int64_t>(input.shape->size());
  auto axis = call.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return fail(ErrorCode::corrupt, "axis {} is outside of a tensor with {} dimensions", axis, rank);
  if (axis < 0) axis += rank;
  const auto middle = input.shape->begin() + axis;
  NEPH_TRY(const auto rows, product_of(input.shape->begin(), middle));
  NEPH_TRY(const auto columns, product_of(middle, input.shape->end()));
  return reshaped(Shape{rows, columns}, input);
}

/// Fills in the one dimension of `shape` that is -1 from the number of elements that there are.
Status deduce_open_dimension(const Shape& input, Shape& shape) {
  const auto open = std::find(shape.begin(), shape.end(), kUnknown);
  if (open == shape.end() || !is_known(input)) return {};
  if (std::count(shape.begin(), shape.end(), kUnknown) > 1) return {};
  NEPH_TRY(const auto have, element_count(input));
  *open = 1;
  NEPH_TRY(const auto rest, element_count(shape));
  if (rest == 0 || have % rest != 0)
    return fail(ErrorCode::corrupt, "{} elements cannot be given the shape {}", have, to_string(shape));
  *open = have / rest;
  return {};
}

/// The wanted shape is a constant: 0 copies the input's dimension, -1 is deduced.
Result<Effect> reshape(const Call& call) {
  const Tensor& input = call.input(0);
  const auto stated = call.integers("shape");
  const auto wanted = stated.empty() ? call.sizes(1) : stated;
  if (!wanted) return reshaped(std::nullopt, input);
  Shape shape = *wanted;
  const bool zero_is_zero = call.integer("allowzero", 0) != 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < kUnknown) return fail(ErrorCode::corrupt, "a dimension of {} is not possible", shape[i]);
    if (shape[i] != 0 || zero_is_zero) continue;
    shape[i] = input.shape && i < input.shape->size() ? (*input.shape)[i] : kUnknown;
  }
  if (input.shape) NEPH_CHECK(deduce_open_dimension(*input.shape, shape));
  return reshaped(std::move(shape), input);
}

Result<Effect> squeeze(const Call& call) {
  const Tensor& input = call.input(0);
  const auto axes = call.integers("axes", 1);
  if (!input.shape) return reshaped(std::nullopt, input);
  if (!axes && call.has(1)) {  // only axes of size 1 can go: which they are is told where all of them do
    const auto count = call.length(1);
    const auto ones = static_cast<std::size_t>(std::count(input.shape->begin(), input.shape->end(), 1));
    if (!count || *count > input.shape->size()) return reshaped(std::nullopt, input);
    if (!is_known(input.shape) || *count != ones)
      return reshaped(Shape(input.shape->size() - *count, kUnknown), input);
  }
  if (!axes && !is_known(input.shape)) return reshaped(std::nullopt, input);  // an open one may be 1
  std::vector<bool> dropped(input.shape->size());
  for (std::size_t i = 0; i < dropped.size(); ++i) dropped[i] = !axes && (*input.shape)[i] == 1;
  for (const auto axis : axes.value_or(Integers{})) {
    NEPH_TRY(const auto place, axis_index(axis, dropped.size()));
    dropped[place] = true;
  }
  Shape shape;
  for (std::size_t i = 0; i < dropped.size(); ++i)
    if (!dropped[i]) shape.push_back((*input.shape)[i]);
  return reshaped(std::move(shape), input);
}

Result<Effect> unsqueeze(const Call& call) {
  const Tensor& input = call.input(0);
  const auto axes = call.integers("axes", 1);
  if (const auto count = call.length(1); input.shape && !axes && count && *count <= kMostDimensions)
    return reshaped(Shape(input.shape->size() + *count, kUnknown), input);
  if (!input.shape || !axes) return reshaped(std::nullopt, input);
  const std::size_t rank = input.shape->size() + axes->size();
  std::vector<bool> added(rank);
  for (const auto axis : *axes) {
    NEPH_TRY(const auto place, axis_index(axis, rank));
    if (added[place]) return fail(ErrorCode::corrupt, "axis {} is added twice", axis);
    added[place] = true;
  }
  Shape shape;
  auto next = input.shape->begin();
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(added[i] ? 1 : *next++);
  return reshaped(std::move(shape), input);
}

/// Shape: the dimensions as integers, from which exporters compute the target of a Reshape.
Result<Effect> shape_of(const Call& call) {
  const MaybeShape& input = call.shape(0);
  if (!input) return Effect{.outputs = {{.type = kInt64}}};
  const auto rank = static_cast<std::int64_t>(input->size());
  const auto place = [rank](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const auto first = place(call.integer("start", 0));
  const auto last = std::max(first, place(call.integer("end", rank)));
  Tensor output{.shape = Shape{last - first}, .type = kInt64, .constant = true};
  if (input->size() <= kMostDimensions) {
    output.values.emplace(input->begin() + first, input->begin() + last);
    std::replace(output.values->begin(), output.values->end(), kUnknown, kOpen);
  }
  return Effect{.outputs = {std::move(output)}};
}

Result<Effect> size_of(const Call& call) {
  Tensor output{.shape = Shape{}, .type = kInt64, .constant = true, .values = Integers{kOpen}};
  if (is_known(call.shape(0))) {
    NEPH_TRY(output.values->front(), element_count(*call.shape(0)));
  }
  return Effect{.outputs = {std::move(output)}};
}

Result<Effect> constant_of_shape(const Call& call) {
  const Tensor* value = call.tensor("value");
  const Tensor& wanted = call.input(0);
  Tensor output{.shape = call.sizes(0), .type = value ? value->type : kFloat, .constant = wanted.constant};
  for (const auto size : wanted.values.value_or(Integers{}))
    if (size < 0 && size != kOpen) return fail(ErrorCode::corrupt, "a size of {} is not possible", size);
  return Effect{.outputs = {std::move(output)}};
}

/// Numbers from start to limit, of which only how many there are matters here.
template <class Numbers>
std::optional<std::int64_t> count_between(const std::optional<Numbers>& start,
                                          const std::optional<Numbers>& limit,
                                          const std::optional<Numbers>& step) {
  for (const auto* one : {&start, &limit, &step})
    if (!*one || (*one)->size() != 1 || (*one)->front() == static_cast<typename Numbers::value_type>(kOpen))
      return std::nullopt;
  const auto length = static_cast<double>(limit->front()) - static_cast<double>(start->front());
  const auto count = std::ceil(length / static_cast<double>(step->front()));
  if (!(std::abs(count) < 1e15)) return std::nullopt;  // NaN, a step of 0
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(count));
}

Result<Effect> range(const Call& call) {
  const Tensor &start = call.input(0), &limit = call.input(1), &step = call.input(2);
  const auto count = start.values ? count_between(start.values, limit.values, step.values)
                                  : count_between(start.reals, limit.reals, step.reals);
  return Effect{.outputs = {{.shape = Shape{count.value_or(kUnknown)},
                             .type = start.type,
                             .constant = start.constant && limit.constant && step.constant}}};
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"Flatten", Kind::movement, flatten, 0b1},
    Operator{"Reshape", Kind::movement, reshape, 0b1},
    Operator{"Squeeze", Kind::movement, squeeze, 0b1},
    Operator{"Unsqueeze", Kind::movement, unsqueeze, 0b1},
    Operator{"Shape", Kind::movement, shape_of, kNone, false},
    Operator{"Size", Kind::movement, size_of, kNone, false},
    Operator{"ConstantOfShape", Kind::movement, constant_of_shape, kNone},
    Operator{"Range", Kind::movement, range, kNone},
};

}  // namespace

std::span<const Operator> reshape_operators() { return kOperators; }

}  // namespace neph::net
