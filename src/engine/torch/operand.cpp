#include "engine/torch/operand.hpp"

#include <algorithm>

namespace neph::engine::torch_plugin {
namespace {

/// The sum of a gradient over what was broadcast to its sizes from `sizes`.
Tensor reduced(const Ops& ops, Tensor gradient, std::span<const std::int64_t> sizes) {
  while (gradient.rank() > static_cast<std::int64_t>(sizes.size()))
    gradient = ops.sum(gradient, Sizes{0}, false);
  Sizes spread;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 1 && gradient.size(i) != 1) spread.push_back(static_cast<std::int64_t>(i));
  return spread.empty() ? gradient : ops.sum(gradient, spread, true);
}

}  // namespace

void Operand::give(Pass& pass, const Tensor& gradient, std::span<const std::int64_t> sizes,
                   bool owned) const {
  const auto& ops = pass.ops();
  const bool whole = std::ranges::equal(gradient.sizes(), sizes);
  auto part = whole ? gradient : reduced(ops, gradient, sizes);
  if (slot) return pass.give(*slot, std::move(part), owned || !whole);
  pass.give_parameter(parameter, std::move(part));
}

Result<Operand> operand(Builder& builder, const net::Node& node, std::size_t index, Layer& layer) {
  Operand made;
  if (!builder.for_inference() && Builder::has(node, index) &&
      builder.stored(node.inputs[index]) != nullptr) {
    made.trained = !builder.is_constant(node.inputs[index]);
    NEPH_TRY(made.parameter, builder.parameter(node, index, made.trained));
    return made;
  }
  NEPH_TRY(made.slot, builder.input(node, index, layer));
  return made;
}

}  // namespace neph::engine::torch_plugin
