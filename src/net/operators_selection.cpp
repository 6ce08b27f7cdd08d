// Elements chosen by their value or by an index, and tensors made from nothing: none of it multiplies.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

Effect made(MaybeShape shape, int type) { return {.outputs = {{.shape = std::move(shape), .type = type}}}; }

/// One element of the data for each index.
Result<Effect> gather_elements(const Call& call) {
  return Effect{.outputs = {{.shape = call.shape(1), .type = call.input(0).type, .constant = true}}};
}

/// The last axis of the indices addresses the data's first axes (behind those of the batch).
Result<Effect> gather_nd(const Call& call) {
  const auto& data = call.shape(0);
  const auto& indices = call.shape(1);
  if (!data || !indices || indices->empty() || indices->back() == kUnknown)
    return made(std::nullopt, call.input(0).type);
  NEPH_TRY(const auto addressed, checked_sum(call.integer("batch_dims", 0), indices->back()));
  if (addressed > static_cast<std::int64_t>(data->size()))
    return fail(ErrorCode::corrupt, "indices {} do not go with {}", to_string(*indices), to_string(*data));
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + addressed, data->end());
  return Effect{.outputs = {{.shape = std::move(shape), .type = call.input(0).type, .constant = true}}};
}

/// TopK: values and indices, of which the second input says how many.
Result<Effect> top(const Call& call) {
  MaybeShape shape = call.shape(0);
  if (shape) {
    NEPH_TRY(const auto axis, axis_index(call.integer("axis", -1), shape->size()));
    const auto count = call.has(1) ? call.sizes(1) : MaybeShape(Shape{call.integer("k", kUnknown)});
    (*shape)[axis] = count && count->size() == 1 ? std::max(count->front(), kUnknown) : kUnknown;
  }
  return Effect{.outputs = {{.shape = shape, .type = call.input(0).type}, {.shape = shape, .type = kInt64}}};
}

/// How many there are depends on the values.
Result<Effect> nonzero(const Call& call) {
  if (!call.shape(0)) return made(Shape(2, kUnknown), kInt64);
  return made(Shape{static_cast<std::int64_t>(call.shape(0)->size()), kUnknown}, kInt64);
}

Result<Effect> suppressed_boxes(const Call&) { return made(Shape{kUnknown, 3}, kInt64); }

Result<Effect> one_hot(const Call& call) {
  MaybeShape shape = call.shape(0);
  if (!shape) return made(std::nullopt, call.input(2).type);
  auto axis = call.integer("axis", -1);
  const auto rank = static_cast<std::int64_t>(shape->size());
  if (axis < 0) axis += rank + 1;
  if (axis < 0 || axis > rank)
    return fail(ErrorCode::corrupt, "axis {} is outside of {}", axis, to_string(*shape));
  const auto depth = call.sizes(1);
  shape->insert(shape->begin() + axis,
                depth && depth->size() == 1 ? std::max(depth->front(), kUnknown) : kUnknown);
  return made(std::move(shape), call.input(2).type);
}

Result<Effect> random_like(const Call& call) { return made(call.shape(0), call.input(0).type); }

Result<Effect> random(const Call& call) {
  Shape shape = call.integers("shape");
  if (std::any_of(shape.begin(), shape.end(), [](auto size) { return size < 0; }))
    return fail(ErrorCode::corrupt, "a size of {} is not possible", to_string(shape));
  return made(std::move(shape), kFloat);
}

/// Sampling at the places that the second input [batch, sizes..., coordinates] states.
Result<Effect> grid_sample(const Call& call) {
  const auto& input = call.shape(0);
  const auto& grid = call.shape(1);
  if (!input || !grid || input->size() != grid->size() || input->size() < 3)
    return made(std::nullopt, call.input(0).type);
  Shape shape{(*input)[0], (*input)[1]};
  shape.insert(shape.end(), grid->begin() + 1, grid->end() - 1);
  return made(std::move(shape), call.input(0).type);
}

/// A window of fixed size from each region [regions, 4].
Result<Effect> region_pool(const Call& call) {
  const auto &input = call.shape(0), &regions = call.shape(1);
  if (!input || !regions || input->size() != 4 || regions->empty())
    return made(std::nullopt, call.input(0).type);
  return made(
      Shape{regions->front(), (*input)[1], call.integer("output_height", 1), call.integer("output_width", 1)},
      call.input(0).type);
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"GatherElements", Kind::movement, gather_elements, 0b1},
    Operator{"GatherND", Kind::movement, gather_nd, 0b1},
    Operator{"TopK", Kind::pooling, top, kNone},
    Operator{"NonZero", Kind::movement, nonzero, kNone},
    Operator{"NonMaxSuppression", Kind::pooling, suppressed_boxes, kNone},
    Operator{"OneHot", Kind::movement, one_hot, kNone},
    Operator{"RandomNormalLike", Kind::movement, random_like, kNone},
    Operator{"RandomUniformLike", Kind::movement, random_like, kNone},
    Operator{"RandomNormal", Kind::movement, random, kNone},
    Operator{"RandomUniform", Kind::movement, random, kNone},
    Operator{"GridSample", Kind::pooling, grid_sample, kNone},
    Operator{"RoiAlign", Kind::pooling, region_pool, kNone},
};

}  // namespace

std::span<const Operator> selection_operators() { return kOperators; }

}  // namespace neph::net
