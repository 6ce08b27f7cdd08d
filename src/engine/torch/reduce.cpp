// Reductions over dimensions: the largest, smallest, norms, and in inference means and sums over any.
#include <algorithm>

#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

using Reduction = Tensor (*)(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep);

Tensor sum(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) { return ops.sum(x, axes, keep); }
Tensor squares(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  return ops.sum(ops.multiply(x, x), axes, keep);
}
Tensor length(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  return aten(ops, "aten::sqrt", "", squares(ops, x, axes, keep));
}
Tensor absolute(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  return ops.sum(aten(ops, "aten::abs", "", x), axes, keep);
}
Tensor log_sum(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  return aten(ops, "aten::log", "", ops.sum(x, axes, keep));
}
Tensor log_sum_exp(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  return aten(ops, "aten::logsumexp", "", x, axes, keep);
}
Tensor mean(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  if (is_float(ops, x)) return ops.mean(x, axes, keep);
  return ops.convert(ops.mean(ops.to_float(x), axes, keep), ops.abi().int64());
}
Tensor largest(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  return aten(ops, "aten::amax", "", x, axes, keep);
}
Tensor smallest(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  return aten(ops, "aten::amin", "", x, axes, keep);
}
Tensor multiplied(const Ops& ops, const Tensor& x, const Sizes& axes, bool keep) {
  auto result = x;
  auto order = axes;  // from the last on, so that those before keep their places
  std::ranges::sort(order, std::greater<>());
  for (const auto axis : order) result = aten(ops, "aten::prod", "dim_int", result, axis, keep, None{});
  return result;
}

struct Entry {
  std::string_view op;
  Reduction compute;
};
constexpr std::array reductions{
    Entry{"ReduceSum", sum},
    Entry{"ReduceMean", mean},
    Entry{"ReduceMax", largest},
    Entry{"ReduceMin", smallest},
    Entry{"GlobalMaxPool", largest},
    Entry{"ReduceProd", multiplied},
    Entry{"ReduceL1", absolute},
    Entry{"ReduceL2", length},
    Entry{"ReduceSumSquare", squares},
    Entry{"ReduceLogSum", log_sum},
    Entry{"ReduceLogSumExp", log_sum_exp},
};

Sizes all_of(const Tensor& x, const Sizes& axes) {
  Sizes made;
  for (const auto axis : axes) made.push_back(from_front(axis, x.rank()));
  if (made.empty())
    for (std::int64_t i = 0; i < x.rank(); ++i) made.push_back(i);
  return made;
}

/// Of the largest or smallest: shared by all places that have it.
Tensor extreme_gradient(const Ops& ops, const Known& known, const Sizes& axes) {
  const auto& x = known.inputs[0];
  const auto over = all_of(x, axes);
  Sizes kept(x.sizes().begin(), x.sizes().end());
  for (const auto axis : over) kept[static_cast<std::size_t>(axis)] = 1;
  const auto value = ops.expand(ops.reshape(known.result, kept), x.sizes());
  const auto here = ops.to_float(aten(ops, "aten::eq", "Tensor", x, value));
  const auto share = aten(ops, "aten::div", "Tensor", here, ops.sum(here, over, true));
  return ops.multiply(share, ops.reshape(known.gradient, kept));
}

Result<Sizes> axes_of(const Builder& builder, const net::Node& node) {
  if (Builder::has(node, 1)) return builder.integers(node, 1);
  return node.attribute<Sizes>("axes", {});
}

}  // namespace

Status make_any_reduce(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(auto axes, axes_of(builder, node));
  if (node.op == "GlobalMaxPool")
    for (std::int64_t i = 2; i < std::ssize(builder.sizes(node, 0)); ++i) axes.push_back(i);
  const bool keep = node.attribute<std::int64_t>("keepdims", 1) != 0;
  const bool nothing = axes.empty() && node.attribute<std::int64_t>("noop_with_empty_axes", 0) != 0;
  const auto* found = std::find_if(reductions.begin(), reductions.end(),
                                   [&](const Entry& entry) { return entry.op == node.op; });
  const auto compute = found->compute;
  Function function{[=](const Ops& ops, auto in) {
                      return nothing ? in[0] : compute(ops, in[0], all_of(in[0], axes), keep);
                    },
                    {}};
  if ((compute == largest || compute == smallest) && !axes.empty())
    function.backward = [=](const Ops& ops, const Known& known, std::size_t) {
      return extreme_gradient(ops, known, axes);
    };
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_arg_max(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto axis = node.attribute<std::int64_t>("axis", 0);
  const bool keep = node.attribute<std::int64_t>("keepdims", 1) != 0;
  const char* const name = node.op == "ArgMax" ? "aten::argmax" : "aten::argmin";
  if (node.attribute<std::int64_t>("select_last_index", 0) != 0)
    return not_trained(node, "select_last_index");
  Function function{
      [=](const Ops& ops, auto in) { return aten(ops, name, "", in[0], Given<std::int64_t>{axis}, keep); },
      {}};
  return make_function(builder, node, 1, std::move(function), made);
}

}  // namespace neph::engine::torch_plugin
