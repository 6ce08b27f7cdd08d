// Parts, joins and copies of tensors.
#include <algorithm>
#include <limits>
#include <numeric>

#include "net/operator.hpp"

namespace neph::net {
namespace {

Effect one(MaybeShape shape, const Tensor& like) {
  return {.outputs = {{.shape = std::move(shape), .type = like.type, .constant = like.constant}}};
}

/// Makes `whole` longer by a part along the axis; what one of them leaves open elsewhere, the other tells.
Status join(const Shape& part, std::int64_t along, Shape& whole) {
  bool fits = part.size() == whole.size();
  NEPH_TRY(const auto axis, axis_index(along, whole.size()));
  for (std::size_t i = 0; fits && i < whole.size(); ++i) {
    const bool open = whole[i] == kUnknown || part[i] == kUnknown;
    if (i != axis) {
      fits = open || whole[i] == part[i];
      whole[i] = std::max(whole[i], part[i]);
    } else if (open) {
      whole[i] = kUnknown;
    } else {
      NEPH_TRY(whole[i], checked_sum(whole[i], part[i]));
    }
  }
  if (!fits) return fail(ErrorCode::corrupt, "{} cannot be joined to {}", to_string(part), to_string(whole));
  return {};
}

/// Joins along an axis.
Result<Effect> concat(const Call& call) {
  Tensor output = outline(call.input(0));
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    const Tensor& input = call.input(i);
    output.constant = output.constant && input.constant;
    if (!output.shape || !input.shape) {
      output.shape.reset();
    } else {
      NEPH_CHECK(join(*input.shape, call.integer("axis", 1), *output.shape));
    }
  }
  return Effect{.outputs = {std::move(output)}};
}

/// Even parts, of which the last may be smaller.
Shape even_parts(std::size_t count, std::int64_t whole) {
  if (whole == kUnknown) return Shape(count, kUnknown);
  const auto parts = static_cast<std::int64_t>(count), even = (whole + parts - 1) / parts;
  Shape sizes;
  for (std::int64_t i = 0; i < parts; ++i)
    sizes.push_back(std::clamp<std::int64_t>(whole - i * even, 0, even));
  return sizes;
}

Result<Shape> stated_parts(std::size_t count, std::int64_t whole, const Integers& stated) {
  if (stated.size() != count) return fail(ErrorCode::corrupt, "{} sizes for {} parts", stated.size(), count);
  std::int64_t together = 0;
  Shape sizes;
  for (const auto size : stated) {
    if (size < 0 && size != kOpen)
      return fail(ErrorCode::corrupt, "a part of {} elements is not possible", size);
    sizes.push_back(size == kOpen ? kUnknown : size);
    NEPH_TRY(together, checked_sum(together, size == kOpen ? 0 : size));
  }
  if (whole != kUnknown && is_known(sizes) && together != whole)
    return fail(ErrorCode::corrupt, "parts of {} elements in all cannot be made of {}", together, whole);
  return sizes;
}

/// Sizes of the parts along the split axis: those that an attribute or an input states; unknown where the
/// file does not tell the input's numbers.
Result<Shape> part_sizes(const Call& call, std::int64_t whole) {
  const auto count = call.output_count();
  const auto attribute = call.integers("split");
  if (!attribute.empty()) return stated_parts(count, whole, attribute);
  if (!call.has(1)) return even_parts(count, whole);
  const auto& stated = call.input(1).values;
  return stated ? stated_parts(count, whole, *stated) : Shape(count, kUnknown);
}

Result<Effect> split(const Call& call) {
  const Tensor& input = call.input(0);
  Effect effect;
  effect.outputs.assign(call.output_count(), outline(input));
  if (!input.shape) return effect;
  NEPH_TRY(const auto axis, axis_index(call.integer("axis", 0), input.shape->size()));
  NEPH_TRY(const auto sizes, part_sizes(call, (*input.shape)[axis]));
  for (std::size_t i = 0; i < sizes.size(); ++i) (*effect.outputs[i].shape)[axis] = sizes[i];
  return effect;
}

Result<Effect> transpose(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return one(std::nullopt, input);
  Shape shape(input.shape->rbegin(), input.shape->rend());
  if (const auto order = call.integers("perm"); !order.empty()) {
    if (order.size() != shape.size())
      return fail(ErrorCode::corrupt, "perm has {} numbers for {} dimensions", order.size(), shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      NEPH_TRY(const auto from, axis_index(order[i], shape.size()));
      shape[i] = (*input.shape)[from];
    }
  }
  return one(std::move(shape), input);
}

/// Number of elements that a slice of a dimension takes (ONNX Slice: limits are clamped, negative ones count
/// from the end).
std::int64_t slice_size(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size == 0) return 0;
  const auto place = [size](std::int64_t at, std::int64_t low, std::int64_t high) {
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  if (step > 0) {
    const auto from = place(start, 0, size), to = place(end, 0, size);
    return to <= from ? 0 : (to - from - 1) / step + 1;
  }
  const auto from = place(start, 0, size - 1), to = place(end, -1, size - 1);
  const auto stride =
      step == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : -step;
  return from <= to ? 0 : (from - to - 1) / stride + 1;
}

Result<Effect> slice(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return one(std::nullopt, input);
  const auto starts = call.partly_open("starts", 1);
  const auto ends = call.partly_open("ends", 2);
  auto axes = call.integers("axes", 3);
  const auto steps = call.integers("steps", 4);
  Shape shape = *input.shape;
  if (!starts || !ends || starts->size() != ends->size() || (call.has(3) && !axes) ||
      (call.has(4) && !steps)) {
    if (const auto count = call.length(1); !axes && !call.has(3) && count && *count <= shape.size()) {
      axes.emplace(*count);  // where none are stated, the first ones
      std::iota(axes->begin(), axes->end(), 0);
    }
    if (!axes) return one(Shape(shape.size(), kUnknown), input);
    for (const auto axis : *axes) {
      NEPH_TRY(const auto place, axis_index(axis, shape.size()));
      shape[place] = kUnknown;
    }
    return one(std::move(shape), input);
  }
  if (!axes) {
    axes.emplace();
    for (std::size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  }
  if (axes->size() != starts->size() || (steps && steps->size() != starts->size()))
    return fail(ErrorCode::corrupt, "{} starts do not go with {} axes", starts->size(), axes->size());
  for (std::size_t i = 0; i < axes->size(); ++i) {
    NEPH_TRY(const auto axis, axis_index((*axes)[i], shape.size()));
    const auto step = steps ? (*steps)[i] : 1;
    if (step == 0) return fail(ErrorCode::corrupt, "a step of 0 is not possible");
    if ((*starts)[i] == kOpen || (*ends)[i] == kOpen) shape[axis] = kUnknown;
    if (shape[axis] != kUnknown) shape[axis] = slice_size(shape[axis], (*starts)[i], (*ends)[i], step);
  }
  return one(std::move(shape), input);
}

/// Rows of a table by index: an embedding, or one number of a shape.
Result<Effect> gather(const Call& call) {
  const Tensor& data = call.input(0);
  const Tensor& indices = call.input(1);
  if (!data.shape || !indices.shape) return one(std::nullopt, data);
  NEPH_TRY(const auto axis, axis_index(call.integer("axis", 0), data.shape->size()));
  Shape shape(data.shape->begin(), data.shape->begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.shape->begin(), indices.shape->end());
  shape.insert(shape.end(), data.shape->begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.shape->end());
  return one(std::move(shape), data);
}

Result<Effect> expand(const Call& call) {
  const Tensor& input = call.input(0);
  const auto wanted = call.sizes(1);
  if (!input.shape || !wanted) return one(std::nullopt, input);
  for (const auto size : call.input(1).values.value_or(Integers{}))
    if (size < 0 && size != kOpen) return fail(ErrorCode::corrupt, "a size of {} is not possible", size);
  NEPH_TRY(auto shape, broadcast(*input.shape, *wanted));
  return one(std::move(shape), input);
}

Result<Effect> tile(const Call& call) {
  const Tensor& input = call.input(0);
  const auto times = call.sizes(1);
  if (!input.shape || !times || times->size() != input.shape->size()) return one(std::nullopt, input);
  Shape shape = *input.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == kUnknown || (*times)[i] == kUnknown) {
      shape[i] = kUnknown;
    } else {
      NEPH_TRY(shape[i], checked_product(shape[i], (*times)[i]));
    }
  }
  return one(std::move(shape), input);
}

constexpr std::array kOperators{
    Operator{"Concat", Kind::movement, concat},
    Operator{"Split", Kind::movement, split, 0b1},
    Operator{"Transpose", Kind::movement, transpose, 0b1},
    Operator{"Slice", Kind::movement, slice, 0b1},
    Operator{"Gather", Kind::movement, gather, 0b1},
    Operator{"Expand", Kind::movement, expand, 0b1},
    Operator{"Tile", Kind::movement, tile, 0b1},
};

}  // namespace

std::span<const Operator> movement_operators() { return kOperators; }

}  // namespace neph::net
