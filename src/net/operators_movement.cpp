// Parts, joins and copies of tensors, reductions, and the picture's size changed by copying.
#include <algorithm>
#include <limits>

#include "net/operator.hpp"

namespace neph::net {
namespace {

Effect one(MaybeShape shape, const Tensor& like) {
  return {.outputs = {{.shape = std::move(shape), .type = like.type, .constant = like.constant}}};
}

/// Joins along an axis; one-dimensional small integers keep their values.
Result<Effect> concat(const Call& call) {
  Tensor output = call.input(0);
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    const Tensor& input = call.input(i);
    output.constant = output.constant && input.constant;
    if (!output.shape || !input.shape) {
      output.shape.reset();
    } else {
      if (input.shape->size() != output.shape->size())
        return fail(ErrorCode::corrupt, "{} cannot be joined to {}", to_string(*input.shape),
                    to_string(*output.shape));
      NEPH_TRY(const auto axis, axis_index(call.integer("axis", 1), output.shape->size()));
      auto& size = (*output.shape)[axis];
      const auto more = (*input.shape)[axis];
      if (size == kUnknown || more == kUnknown) {
        size = kUnknown;
      } else {
        NEPH_TRY(size, checked_sum(size, more));
      }
    }
    if (output.values && input.values && output.values->size() + input.values->size() <= kMostValues &&
        output.shape && output.shape->size() == 1) {
      output.values->insert(output.values->end(), input.values->begin(), input.values->end());
    } else {
      output.values.reset();
    }
  }
  return Effect{.outputs = {std::move(output)}};
}

Result<Effect> split(const Call& call) {
  const Tensor& input = call.input(0);
  Effect effect;
  if (!input.shape) return effect;
  NEPH_TRY(const auto axis, axis_index(call.integer("axis", 0), input.shape->size()));
  const auto sizes = call.integers("split", 1);
  const auto parts = static_cast<std::int64_t>(call.output_count());
  if (sizes && static_cast<std::int64_t>(sizes->size()) != parts)
    return fail(ErrorCode::corrupt, "{} sizes for {} parts", sizes->size(), parts);
  const auto whole = (*input.shape)[axis];
  const auto even = whole == kUnknown ? kUnknown : (whole + parts - 1) / parts;
  for (std::int64_t i = 0; i < parts; ++i) {
    Shape shape = *input.shape;
    if (sizes) {
      shape[axis] = (*sizes)[static_cast<std::size_t>(i)];
    } else {
      shape[axis] = whole == kUnknown ? kUnknown : std::clamp<std::int64_t>(whole - i * even, 0, even);
    }
    if (shape[axis] < kUnknown)
      return fail(ErrorCode::corrupt, "a part of {} elements is not possible", shape[axis]);
    effect.outputs.push_back({.shape = std::move(shape), .type = input.type, .constant = input.constant});
  }
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
  const auto starts = call.integers("starts", 1);
  const auto ends = call.integers("ends", 2);
  auto axes = call.integers("axes", 3);
  const auto steps = call.integers("steps", 4);
  Shape shape = *input.shape;
  if (!starts || !ends || starts->size() != ends->size() || (call.has(3) && !axes) || (call.has(4) && !steps))
    return one(Shape(shape.size(), kUnknown), input);
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
    if (shape[axis] != kUnknown) shape[axis] = slice_size(shape[axis], (*starts)[i], (*ends)[i], step);
  }
  auto effect = one(shape, input);
  if (input.values && input.shape->size() == 1 && shape[0] >= 0 && (!steps || (*steps)[0] == 1)) {
    const auto size = static_cast<std::int64_t>(input.values->size());
    const auto start = (*starts)[0] < 0 ? (*starts)[0] + size : (*starts)[0];
    const auto from = input.values->begin() + std::clamp<std::int64_t>(start, 0, size - shape[0]);
    effect.outputs[0].values = Integers(from, from + shape[0]);
  }
  return effect;
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
  auto effect = one(std::move(shape), data);
  effect.outputs[0].constant = data.constant && indices.constant;
  if (!data.values || !indices.values || data.shape->size() != 1) return effect;
  Integers values;
  for (const auto index : *indices.values) {
    NEPH_TRY(const auto place, axis_index(index, data.values->size()));
    values.push_back((*data.values)[place]);
  }
  effect.outputs[0].values = std::move(values);
  return effect;
}

Result<Effect> pad(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return one(std::nullopt, input);
  Shape shape = *input.shape;
  auto pads = call.integers("pads", 1);
  if (!pads || call.has(3)) return one(Shape(shape.size(), kUnknown), input);  // (3): pads for some axes only
  if (pads->size() != 2 * shape.size())
    return fail(ErrorCode::corrupt, "{} pads for {} dimensions", pads->size(), shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == kUnknown) continue;
    std::int64_t padded = 0;
    if (__builtin_add_overflow((*pads)[i], (*pads)[shape.size() + i], &padded) ||
        __builtin_add_overflow(shape[i], padded, &padded) || padded < 0)
      return fail(ErrorCode::corrupt, "pads of {} and {} are not possible", (*pads)[i],
                  (*pads)[shape.size() + i]);
    shape[i] = padded;
  }
  return one(std::move(shape), input);
}

/// Resize and Upsample: the new size is stated (input 3), or is the old one times scales (input 2, in
/// operator sets before 11 input 1), rounded down.
Result<Effect> resize(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return one(std::nullopt, input);
  Shape shape(input.shape->size(), kUnknown);
  const auto& scales = call.input(call.has(2) ? 2 : 1).scales;
  if (const auto& sizes = call.input(3).values; sizes && sizes->size() == shape.size()) {
    shape = *sizes;
  } else if (scales.size() == shape.size()) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const double size = static_cast<double>((*input.shape)[i]) * scales[i];
      if ((*input.shape)[i] == kUnknown) continue;
      if (!(size >= 0 && size < 1e15))
        return fail(ErrorCode::corrupt, "a scale of {} is not possible", scales[i]);
      shape[i] = static_cast<std::int64_t>(size);
    }
  }
  if (std::any_of(shape.begin(), shape.end(), [](auto size) { return size < kUnknown; }))
    return fail(ErrorCode::corrupt, "a size of {} is not possible", to_string(shape));
  return one(std::move(shape), input);
}

Result<Effect> expand(const Call& call) {
  const Tensor& input = call.input(0);
  const auto& wanted = call.input(1).values;
  if (!input.shape || !wanted) return one(std::nullopt, input);
  if (std::any_of(wanted->begin(), wanted->end(), [](auto size) { return size < 0; }))
    return fail(ErrorCode::corrupt, "a size of {} is not possible", to_string(*wanted));
  NEPH_TRY(auto shape, broadcast(*input.shape, *wanted));
  return one(std::move(shape), input);
}

Result<Effect> tile(const Call& call) {
  const Tensor& input = call.input(0);
  const auto& times = call.input(1).values;
  if (!input.shape || !times || times->size() != input.shape->size()) return one(std::nullopt, input);
  Shape shape = *input.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == kUnknown) continue;
    NEPH_TRY(shape[i], checked_product(shape[i], (*times)[i]));
  }
  return one(std::move(shape), input);
}

/// DepthToSpace and SpaceToDepth: blocks of b x b pixels become channels, or the reverse.
Result<Effect> blocks(const Call& call) {
  const Tensor& input = call.input(0);
  const auto block = call.integer("blocksize", 0);
  if (!input.shape) return one(std::nullopt, input);
  if (input.shape->size() != 4 || block < 1 || block > 1 << 15)
    return fail(ErrorCode::corrupt, "blocks of {} do not go with {}", block, to_string(*input.shape));
  Shape shape = *input.shape;
  const bool to_space = call.op() == "DepthToSpace";
  for (std::size_t i = 1; i < 4; ++i) {
    if (shape[i] == kUnknown) continue;
    const auto factor = i == 1 ? block * block : block;
    if ((i == 1) == to_space) {
      shape[i] /= factor;
    } else {
      NEPH_TRY(shape[i], checked_product(shape[i], factor));
    }
  }
  return one(std::move(shape), input);
}

/// ReduceMean and its like, ArgMax, ArgMin: the axes reduced become 1, or vanish.
Result<Effect> reduce(const Call& call) {
  Tensor input = call.input(0);
  const bool index = call.op().starts_with("Arg");
  if (index) input.type = kInt64;
  if (!input.shape) return one(std::nullopt, input);
  const bool keep = call.integer("keepdims", 1) != 0;
  std::optional<Integers> axes = index ? Integers{call.integer("axis", 0)} : call.integers("axes", 1);
  if (!axes && call.has(1)) return one(std::nullopt, input);
  Shape shape = *input.shape;
  std::vector<bool> reduced(shape.size(), !axes || axes->empty());
  if ((!axes || axes->empty()) && call.integer("noop_with_empty_axes", 0) != 0)
    return one(std::move(shape), input);
  for (const auto axis : axes.value_or(Integers{})) {
    NEPH_TRY(const auto place, axis_index(axis, shape.size()));
    reduced[place] = true;
  }
  Shape output;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!reduced[i] || keep) output.push_back(reduced[i] ? 1 : shape[i]);
  return one(std::move(output), input);
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"Concat", Kind::movement, concat, kNone},
    Operator{"Split", Kind::movement, split, kNone},
    Operator{"Transpose", Kind::movement, transpose, 0b1},
    Operator{"Slice", Kind::movement, slice, kNone},
    Operator{"Gather", Kind::movement, gather, 0b1},
    Operator{"Pad", Kind::movement, pad, kNone},
    Operator{"Resize", Kind::movement, resize, kNone},
    Operator{"Upsample", Kind::movement, resize, kNone},
    Operator{"Expand", Kind::movement, expand, 0b1},
    Operator{"Tile", Kind::movement, tile, kNone},
    Operator{"DepthToSpace", Kind::movement, blocks, kNone},
    Operator{"SpaceToDepth", Kind::movement, blocks, kNone},
    Operator{"ReduceMean", Kind::pooling, reduce, kNone},
    Operator{"ReduceSum", Kind::pooling, reduce, kNone},
    Operator{"ReduceMax", Kind::pooling, reduce, kNone},
    Operator{"ReduceMin", Kind::pooling, reduce, kNone},
    Operator{"ReduceProd", Kind::pooling, reduce, kNone},
    Operator{"ReduceL1", Kind::pooling, reduce, kNone},
    Operator{"ReduceL2", Kind::pooling, reduce, kNone},
    Operator{"ReduceSumSquare", Kind::pooling, reduce, kNone},
    Operator{"ReduceLogSumExp", Kind::pooling, reduce, kNone},
    Operator{"ArgMax", Kind::pooling, reduce, kNone},
    Operator{"ArgMin", Kind::pooling, reduce, kNone},
};

}  // namespace

std::span<const Operator> movement_operators() { return kOperators; }

}  // namespace neph::net
