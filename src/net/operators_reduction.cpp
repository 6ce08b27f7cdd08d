// One number made of many: along axes, or of all predictions at once.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

Tensor like(const Call& call, MaybeShape shape) {
  Tensor output = outline(call.input(0));
  if (call.op().starts_with("Arg")) output.type = kInt64;
  output.shape = std::move(shape);
  return output;
}

/// Where the file tells no more of the axes than how many there are, if that.
MaybeShape reduced_somewhere(const Shape& shape, std::optional<std::size_t> axes, bool keep) {
  if (!keep && axes) return Shape(shape.size() - std::min(shape.size(), *axes), kUnknown);
  if (!keep) return std::nullopt;
  Shape kept = shape;
  for (auto& size : kept)
    if (size != 1) size = kUnknown;
  return kept;
}

/// ReduceMean and its like, ArgMax, ArgMin: the axes reduced become 1, or vanish.
Result<Effect> reduce(const Call& call) {
  const MaybeShape& shape = call.shape(0);
  if (!shape) return Effect{.outputs = {like(call, std::nullopt)}};
  const bool index = call.op().starts_with("Arg"), keep = call.integer("keepdims", 1) != 0;
  auto axes = index ? Integers{call.integer("axis", 0)} : call.integers("axes", 1);
  if (!axes && call.has(1)) {
    const auto count = call.length(1);
    if (!count || (*count > 0 && *count < shape->size()))
      return Effect{.outputs = {like(call, reduced_somewhere(*shape, count, keep))}};
    for (std::size_t i = 0; i < *count && i < shape->size(); ++i)  // all there are
      axes.emplace(axes.value_or(Integers{})).push_back(static_cast<std::int64_t>(i));
  }
  const bool none = !axes || axes->empty();
  if (none && call.integer("noop_with_empty_axes", 0) != 0) return Effect{.outputs = {like(call, *shape)}};
  std::vector<bool> reduced(shape->size(), none);
  for (const auto axis : axes.value_or(Integers{})) {
    NEPH_TRY(const auto place, axis_index(axis, shape->size()));
    reduced[place] = true;
  }
  Shape output;
  for (std::size_t i = 0; i < shape->size(); ++i)
    if (!reduced[i] || keep) output.push_back(reduced[i] ? 1 : (*shape)[i]);
  return Effect{.outputs = {like(call, std::move(output))}};
}

/// Losses of scores [batch, classes, ...] against labels [batch, ...]: one of each label, or one of all.
Result<Effect> loss(const Call& call) {
  const int type = call.input(0).type;
  auto effect = made(call.text("reduction") == "none" ? call.shape(1) : Shape{}, type);
  if (call.output_count() > 1) effect.outputs.push_back({.shape = call.shape(0), .type = type});
  return effect;
}

/// Of the matrices in the last two axes.
Result<Effect> determinant(const Call& call) {
  MaybeShape shape = call.shape(0);
  if (shape && shape->size() < 2) return fail(ErrorCode::corrupt, "{} is no matrix", to_string(*shape));
  if (shape) shape->resize(shape->size() - 2);
  return made(std::move(shape), call.input(0).type);
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"ReduceMean", Kind::pooling, reduce, kNone},
    Operator{"ReduceSum", Kind::pooling, reduce, kNone},
    Operator{"ReduceMax", Kind::pooling, reduce, kNone},
    Operator{"ReduceMin", Kind::pooling, reduce, kNone},
    Operator{"ReduceProd", Kind::pooling, reduce, kNone},
    Operator{"ReduceL1", Kind::pooling, reduce, kNone},
    Operator{"ReduceL2", Kind::pooling, reduce, kNone},
    Operator{"ReduceSumSquare", Kind::pooling, reduce, kNone},
    Operator{"ReduceLogSum", Kind::pooling, reduce, kNone},
    Operator{"ReduceLogSumExp", Kind::pooling, reduce, kNone},
    Operator{"ArgMax", Kind::pooling, reduce, kNone},
    Operator{"ArgMin", Kind::pooling, reduce, kNone},
    Operator{"NegativeLogLikelihoodLoss", Kind::pooling, loss, kNone},
    Operator{"SoftmaxCrossEntropyLoss", Kind::pooling, loss, kNone},
    Operator{"Det", Kind::pooling, determinant, kNone},
};

}  // namespace

std::span<const Operator> reduction_operators() { return kOperators; }

}  // namespace neph::net
