// Elements chosen by their value or by an index, and tensors made from nothing: none of it multiplies.
#include <algorithm>
#include <limits>
#include <utility>

#include "net/operator.hpp"

namespace neph::net {
namespace {

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
    (*shape)[axis] = call.has(1) ? call.size(1) : std::max(call.integer("k", kUnknown), kUnknown);
  }
  return Effect{.outputs = {{.shape = shape, .type = call.input(0).type}, {.shape = shape, .type = kInt64}}};
}

/// How many there are depends on the values.
Result<Effect> nonzero(const Call& call) {
  if (!call.shape(0) || call.shape(0)->empty()) return made(Shape(2, kUnknown), kInt64);
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
  shape->insert(shape->begin() + axis, call.size(1));
  return made(std::move(shape), call.input(2).type);
}

Result<Effect> random(const Call& call) {
  Shape shape = call.integers("shape");
  if (std::any_of(shape.begin(), shape.end(), [](auto size) { return size < 0; }))
    return fail(ErrorCode::corrupt, "a size of {} is not possible", to_string(shape));
  return made(std::move(shape), call.type("dtype", kFloat));
}

/// Of a table of weights [batch, classes]: so many draws.
Result<Effect> multinomial(const Call& call) {
  const auto& weights = call.shape(0);
  return made(Shape{weights && !weights->empty() ? weights->front() : kUnknown,
                    std::max(call.integer("sample_size", 1), kUnknown)},
              call.type("dtype", kInt32));
}

/// Rows along an axis, or elements where none is stated, for which a flag is set.
Result<Effect> compress(const Call& call) {
  auto kept = kUnknown;
  if (const auto& flags = call.input(1).values)
    if (std::find(flags->begin(), flags->end(), kOpen) == flags->end())
      kept = static_cast<std::int64_t>(flags->size()) - std::count(flags->begin(), flags->end(), 0);
  constexpr auto kNowhere = std::numeric_limits<std::int64_t>::min();
  const auto axis = call.integer("axis", kNowhere);
  if (axis == kNowhere) return made(Shape{kept}, call.input(0).type);
  MaybeShape shape = call.shape(0);
  if (!shape) return made(std::nullopt, call.input(0).type);
  NEPH_TRY(const auto place, axis_index(axis, shape->size()));
  (*shape)[place] = kept;
  return made(std::move(shape), call.input(0).type);
}

/// How many differ, the values tell; the third output says of each element, or each row along an axis, which
/// of them it is.
Result<Effect> unique(const Call& call) {
  constexpr auto kNowhere = std::numeric_limits<std::int64_t>::min();
  const auto axis = call.integer("axis", kNowhere);
  MaybeShape shape = call.shape(0);
  auto positions = kUnknown;
  if (axis == kNowhere) {
    if (is_known(shape)) {
      NEPH_TRY(positions, element_count(*shape));
    }
    shape = Shape{kUnknown};
  } else if (shape) {
    NEPH_TRY(const auto place, axis_index(axis, shape->size()));
    positions = std::exchange((*shape)[place], kUnknown);
  }
  const Tensor counts{.shape = Shape{kUnknown}, .type = kInt64};
  return Effect{.outputs = {{.shape = std::move(shape), .type = call.input(0).type},
                            counts,
                            {.shape = Shape{positions}, .type = kInt64},
                            counts}};
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"GatherElements", Kind::movement, gather_elements, 0b1},
    Operator{"GatherND", Kind::movement, gather_nd, 0b1},
    Operator{"TopK", Kind::pooling, top, kNone},
    Operator{"NonZero", Kind::movement, nonzero, kNone},
    Operator{"NonMaxSuppression", Kind::pooling, suppressed_boxes, kNone},
    Operator{"OneHot", Kind::movement, one_hot, kNone},
    Operator{"RandomNormal", Kind::movement, random, kNone},
    Operator{"RandomUniform", Kind::movement, random, kNone},
    Operator{"Multinomial", Kind::movement, multinomial, kNone},
    Operator{"Compress", Kind::movement, compress, kNone},
    Operator{"Unique", Kind::movement, unique, kNone},
};

}  // namespace

std::span<const Operator> selection_operators() { return kOperators; }

}  // namespace neph::net
