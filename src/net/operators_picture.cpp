// Other sizes of pictures and volumes: by scales, sampling, padding, blocks that become channels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "net/operator.hpp"

namespace neph::net {
namespace {

Effect one(MaybeShape shape, const Tensor& like) {
  return {.outputs = {{.shape = std::move(shape), .type = like.type, .constant = like.constant}}};
}

/// The axes that a node is about: those of its attribute or input, else all. Nothing: not told. Errors:
/// corrupt (one that the tensor does not have).
Result<std::optional<std::vector<std::size_t>>> axes_of(const Call& call, std::size_t input,
                                                        std::size_t rank) {
  std::vector<std::size_t> places(rank);
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto axes = call.integers("axes", input);
  if (!axes && call.has(input)) return std::optional<std::vector<std::size_t>>();
  if (axes) places.clear();
  for (const auto axis : axes.value_or(Integers{})) {
    NEPH_TRY(const auto place, axis_index(axis, rank));
    places.push_back(place);
  }
  return std::optional(std::move(places));
}

Result<Effect> pad(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return one(std::nullopt, input);
  Shape shape = *input.shape;
  NEPH_TRY(const auto axes, axes_of(call, 3, shape.size()));
  if (!axes) return one(Shape(shape.size(), kUnknown), input);
  auto pads = call.partly_open("pads", 1);
  if (!pads) pads = call.partly_open("paddings", 1);  // their name in the first operator set
  for (const auto axis : *axes)
    if (!pads) shape[axis] = kUnknown;
  if (!pads) return one(std::move(shape), input);
  if (pads->size() != 2 * axes->size())
    return fail(ErrorCode::corrupt, "{} pads for {} dimensions", pads->size(), axes->size());
  for (std::size_t i = 0; i < axes->size(); ++i) {
    auto& size = shape[(*axes)[i]];
    const auto before = (*pads)[i], after = (*pads)[axes->size() + i];
    std::int64_t padded = 0;
    if (size == kUnknown || before == kOpen || after == kOpen) {
      size = kUnknown;
      continue;
    }
    if (__builtin_add_overflow(before, after, &padded) || __builtin_add_overflow(size, padded, &padded) ||
        padded < 0)
      return fail(ErrorCode::corrupt, "pads of {} and {} are not possible", before, after);
    size = padded;
  }
  return one(std::move(shape), input);
}

/// A picture's side times a scale, in floats as engines calculate it.
Result<std::int64_t> scaled(std::int64_t size, double scale) {
  if (size == kUnknown || std::isnan(scale)) return kUnknown;
  const float grown = static_cast<float>(size) * static_cast<float>(scale);
  if (!(grown >= 0 && grown < 1e15F)) return fail(ErrorCode::corrupt, "a scale of {} is not possible", scale);
  return static_cast<std::int64_t>(grown);
}

/// The sizes that keep the picture's proportions: with one scale for all axes, the smallest or the largest of
/// those that the wanted sizes ask for.
void keep_proportions(const Shape& input, const std::vector<std::size_t>& axes, bool smallest, Shape& shape) {
  double scale = smallest ? std::numeric_limits<double>::infinity() : 0;
  bool told = true;
  for (const auto axis : axes) {
    told = told && input[axis] > 0 && shape[axis] != kUnknown;
    const double own = static_cast<double>(shape[axis]) / static_cast<double>(input[axis]);
    scale = smallest ? std::min(scale, own) : std::max(scale, own);
  }
  for (const auto axis : axes)
    shape[axis] = told ? static_cast<std::int64_t>(std::floor(scale * static_cast<double>(input[axis]) + 0.5))
                       : kUnknown;
}

/// Resize and Upsample: the new size is stated (input 3), or is the old one times scales (input 2, in
/// operator sets before 11 input 1), rounded down, of the region (input 1) where it is cropped too.
Result<Effect> resize(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return one(std::nullopt, input);
  Shape shape = *input.shape;
  NEPH_TRY(const auto stated_axes, axes_of(call, 4, shape.size()));
  if (!stated_axes) return one(Shape(shape.size(), kUnknown), input);
  const auto& axes = *stated_axes;
  const auto scales = call.reals("scales", call.input_count() > 2 ? 2 : 1);
  const auto sizes = call.has(3) ? call.sizes(3) : std::nullopt;
  const bool cropped = call.text("coordinate_transformation_mode") == "tf_crop_and_resize";
  const auto region = cropped ? call.input(1).reals : std::nullopt;
  const bool by_sizes = sizes && sizes->size() == axes.size();
  const bool by_scales = !by_sizes && scales && scales->size() == axes.size() &&
                         (!cropped || (region && region->size() == 2 * axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto& size = shape[axes[i]];
    if (by_sizes && (*sizes)[i] < kUnknown)
      return fail(ErrorCode::corrupt, "a size of {} is not possible", (*sizes)[i]);
    if (by_scales) {
      const double part = cropped ? (*region)[axes.size() + i] - (*region)[i] : 1;
      NEPH_TRY(size, scaled(size, part * (*scales)[i]));
    } else {
      size = by_sizes ? (*sizes)[i] : kUnknown;
    }
  }
  const auto policy = call.text("keep_aspect_ratio_policy");
  if (by_sizes && (policy == "not_larger" || policy == "not_smaller"))
    keep_proportions(*input.shape, axes, policy == "not_larger", shape);
  return one(std::move(shape), input);
}

/// Cut or padded at both ends to the sizes stated.
Result<Effect> center(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.shape) return one(std::nullopt, input);
  Shape shape = *input.shape;
  NEPH_TRY(const auto axes, axes_of(call, 2, shape.size()));
  const auto sizes = call.sizes(1);
  if (sizes && axes && sizes->size() != axes->size())
    return fail(ErrorCode::corrupt, "{} sizes for {} axes", sizes->size(), axes->size());
  for (std::size_t i = 0; axes && i < axes->size(); ++i) shape[(*axes)[i]] = sizes ? (*sizes)[i] : kUnknown;
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

/// The grid of coordinates for a picture of stated size [batch, channels, sizes...].
Result<Effect> affine_grid(const Call& call) {
  auto sizes = call.sizes(1);
  if (!sizes || sizes->size() < 3) return made(std::nullopt, call.input(0).type);
  const auto axes = static_cast<std::int64_t>(sizes->size()) - 2;
  sizes->erase(sizes->begin() + 1);
  sizes->push_back(axes);
  return made(std::move(*sizes), call.input(0).type);
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

/// MaxRoiPool: the same with the window as a list, and regions [regions, 5].
Result<Effect> max_region_pool(const Call& call) {
  const auto &input = call.shape(0), &regions = call.shape(1);
  const auto window = call.integers("pooled_shape");
  if (!input || !regions || input->size() != 4 || regions->empty() || window.size() != 2)
    return made(std::nullopt, call.input(0).type);
  return made(Shape{regions->front(), (*input)[1], window[0], window[1]}, call.input(0).type);
}

/// Columns of blocks [batch, channels x block, blocks] put back into pictures of stated size.
Result<Effect> columns_to_picture(const Call& call) {
  const auto &columns = call.shape(0), sizes = call.sizes(1), block = call.sizes(2);
  if (!columns || columns->size() != 3 || !sizes) return made(std::nullopt, call.input(0).type);
  Shape shape{(*columns)[0], kUnknown};
  if (is_known(block) && (*columns)[1] != kUnknown) {
    NEPH_TRY(const auto each, element_count(*block));
    if (each < 1 || (*columns)[1] % each != 0)
      return fail(ErrorCode::corrupt, "{} rows are no blocks of {}", (*columns)[1], to_string(*block));
    shape[1] = (*columns)[1] / each;
  }
  shape.insert(shape.end(), sizes->begin(), sizes->end());
  return made(std::move(shape), call.input(0).type);
}

/// What a decoder makes of a file's bytes: rows and columns only they tell.
Result<Effect> decoded(const Call& call) {
  const auto channels = call.text("pixel_format") == "Grayscale" ? 1 : 3;
  return made(Shape{kUnknown, kUnknown, channels}, kUint8);
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"Pad", Kind::movement, pad, kNone},
    Operator{"Resize", Kind::movement, resize, kNone},
    Operator{"Upsample", Kind::movement, resize, kNone},
    Operator{"CenterCropPad", Kind::movement, center, kNone},
    Operator{"DepthToSpace", Kind::movement, blocks, kNone},
    Operator{"SpaceToDepth", Kind::movement, blocks, kNone},
    Operator{"Col2Im", Kind::movement, columns_to_picture, kNone},
    Operator{"GridSample", Kind::pooling, grid_sample, kNone},
    Operator{"AffineGrid", Kind::elementwise, affine_grid, kNone},
    Operator{"RoiAlign", Kind::pooling, region_pool, kNone},
    Operator{"MaxRoiPool", Kind::pooling, max_region_pool, kNone},
    Operator{"ImageDecoder", Kind::movement, decoded, kNone},
};

}  // namespace

std::span<const Operator> picture_operators() { return kOperators; }

}  // namespace neph::net
