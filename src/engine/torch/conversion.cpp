// Of inference: Cast, Clip, Identity, and tensors that a file tells how to make.
#include <algorithm>
#include <limits>

#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

constexpr std::int64_t onnx_boolean = 9;
constexpr std::array<std::int64_t, 4> onnx_floats{1, 10, 11, 16};

/// Floats of every width are 32 bits here, integers 64.
std::int32_t type_of(const Ops& ops, std::int64_t onnx) {
  if (onnx == onnx_boolean) return ops.abi().boolean();
  return std::ranges::count(onnx_floats, onnx) > 0 ? ops.abi().float32() : ops.abi().int64();
}

Tensor converted(const Ops& ops, const Tensor& x, std::int32_t type) {
  return x.dtype() == type ? x : ops.convert(x, type);
}

/// A limit that is not given is an empty tensor. Integers stay integers, whatever their limits are.
Tensor clip_any(const Ops& ops, std::span<const Tensor> in, const Tensor& low, const Tensor& high) {
  if (is_float(ops, in[0])) return ops.clamp(in[0], low, high);
  const auto given = [&](const Tensor& limit) {
    return limit ? converted(ops, limit, ops.abi().int64()) : Tensor();
  };
  return ops.clamp(in[0], given(low), given(high));
}

/// The tensor of a limit: an attribute before opset 11, then an input that the file stores.
Result<Tensor> limit(const Builder& builder, const net::Node& node, const char* name, std::size_t index) {
  const auto& ops = builder.ops();
  if (!Builder::has(node, index)) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? Tensor() : number(ops, node.attribute<float>(name, 0));
  }
  const auto* stored = builder.stored(node.inputs[index]);
  if (stored == nullptr) return not_trained(node, fmt::format("its {} is computed", name));
  if (stored->floats.size() == 1) return number(ops, stored->floats[0]);
  if (stored->integers.size() == 1) return integer(ops, stored->integers[0]);
  return not_trained(node, fmt::format("its {} is no number", name));
}

}  // namespace

Status make_cast(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto type = type_of(builder.ops(), node.attribute<std::int64_t>("to", 1));
  Function function{[type](const Ops& ops, auto in) { return converted(ops, in[0], type); }, {}};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_identity(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  return make_function(builder, node, 1, {[](const Ops&, auto in) { return in[0]; }, {}}, made);
}

Status make_any_clip(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto low, limit(builder, node, "min", 1));
  NEPH_TRY(const auto high, limit(builder, node, "max", 2));
  if (!low && !high) return make_identity(builder, node, made);
  Function function{[=](const Ops& ops, auto in) { return clip_any(ops, in, low, high); }, {}};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_constant_of_shape(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto sizes, builder.integers(node, 0));
  const auto value = node.attribute<net::StoredTensor>("value", {.shape = {}, .floats = {0}, .integers = {}});
  Function function{[=](const Ops& ops, auto) {
                      const auto one = value.floats.empty() ? integer(ops, value.integers.at(0))
                                                            : number(ops, value.floats[0]);
                      return ops.expand(one, sizes);
                    },
                    {}};
  return make_function(builder, node, 0, std::move(function), made);
}

Status make_range(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  std::array<std::int64_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    NEPH_TRY(const auto given, builder.integers(node, i));
    if (given.size() != 1) return not_trained(node, "its limits are no single numbers");
    numbers[i] = given[0];
  }
  const auto [start, limit_of_range, delta] = numbers;
  if (delta == 0) return not_trained(node, "its step is 0");
  Sizes values;
  for (auto i = start; delta > 0 ? i < limit_of_range : i > limit_of_range; i += delta) values.push_back(i);
  Function function{
      [values](const Ops& ops, auto) {
        return ops.own(ops.wrap(values.data(), Sizes{static_cast<std::int64_t>(values.size())}));
      },
      {}};
  return make_function(builder, node, 0, std::move(function), made);
}

}  // namespace neph::engine::torch_plugin
