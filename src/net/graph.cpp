#include "net/graph.hpp"

namespace neph::net {
namespace {

constexpr std::int64_t kOpset = 13;  // old enough for every engine in use; nothing here needs a newer one

std::map<std::string, Attribute, std::less<>> window_attributes(Extent kernel, Extent stride,
                                                                Extent padding) {
  return {{"kernel_shape", Integers{kernel.height, kernel.width}},
          {"strides", Integers{stride.height, stride.width}},
          {"pads", Integers{padding.height, padding.width, padding.height, padding.width}}};
}

}  // namespace

Graph::Graph(std::string name) : name_(name), assembly_(std::move(name), kOpset) {}

Value Graph::layer(const std::string& name, std::string op, const std::vector<Value>& inputs,
                   std::map<std::string, Attribute, std::less<>> attributes) {
  NodeOutline node{.name = name, .op = std::move(op), .outputs = {name}, .attributes = std::move(attributes)};
  for (const auto& input : inputs) node.inputs.push_back(input.name);
  if (status_) status_ = assembly_.add_node(node);
  return {name};
}

Value Graph::stored(const std::string& name, Shape shape) {
  if (status_) status_ = assembly_.add_stored(name, {.shape = std::move(shape)});
  return {name};
}

Value Graph::constant(const std::string& name, double number) {
  if (status_) status_ = assembly_.add_stored(name, {.shape = Shape{}, .reals = Reals{number}});
  return {name};
}

Value Graph::constant(const std::string& name, const Integers& numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (status_)
    status_ = assembly_.add_stored(name, {.shape = Shape{count}, .type = kInt64, .values = numbers});
  return {name};
}

Value Graph::input(std::int64_t channels, Extent size) {
  if (status_) status_ = assembly_.add_input("input", Shape{1, channels, size.height, size.width}, kFloat);
  return {"input"};
}

Value Graph::conv(const std::string& name, const Value& x, const ConvSpec& spec) {
  const auto weight = stored(
      name + ".weight", {spec.filters, channels(x) / spec.groups, spec.kernel.height, spec.kernel.width});
  auto attributes = window_attributes(spec.kernel, spec.stride, spec.padding);
  attributes["group"] = spec.groups;
  if (!spec.bias) return layer(name, "Conv", {x, weight}, std::move(attributes));
  return layer(name, "Conv", {x, weight, stored(name + ".bias", {spec.filters})}, std::move(attributes));
}

Value Graph::batch_norm(const std::string& name, const Value& x) {
  const Shape shape{channels(x)};
  return layer(name, "BatchNormalization",
               {x, stored(name + ".weight", shape), stored(name + ".bias", shape),
                stored(name + ".running_mean", shape), stored(name + ".running_var", shape)});
}

Value Graph::relu(const std::string& name, const Value& x) { return layer(name, "Relu", {x}); }

Value Graph::relu6(const std::string& name, const Value& x) { return clipped_relu(name, x, 6); }

Value Graph::clipped_relu(const std::string& name, const Value& x, double largest) {
  return layer(name, "Clip", {x, constant(name + ".min", 0), constant(name + ".max", largest)});
}

Value Graph::dropout(const std::string& name, const Value& x, double share) {
  return layer(name, "Dropout", {x, constant(name + ".ratio", share)});
}

Value Graph::max_pool(const std::string& name, const Value& x, const PoolSpec& spec) {
  return layer(name, "MaxPool", {x}, window_attributes(spec.kernel, spec.stride, spec.padding));
}

Value Graph::average_pool(const std::string& name, const Value& x, const PoolSpec& spec) {
  return layer(name, "AveragePool", {x}, window_attributes(spec.kernel, spec.stride, spec.padding));
}

Value Graph::global_average_pool(const std::string& name, const Value& x) {
  return layer(name, "GlobalAveragePool", {x});
}

Value Graph::add(const std::string& name, const Value& a, const Value& b) {
  return layer(name, "Add", {a, b});
}

Value Graph::concat(const std::string& name, const std::vector<Value>& parts) {
  return layer(name, "Concat", parts, {{"axis", std::int64_t{1}}});
}

Value Graph::flatten(const std::string& name, const Value& x) { return layer(name, "Flatten", {x}); }

Value Graph::dense(const std::string& name, const Value& x, std::int64_t units) {
  const auto weight = stored(name + ".weight", {units, channels(x)});
  return layer(name, "Gemm", {x, weight, stored(name + ".bias", {units})}, {{"transB", std::int64_t{1}}});
}

Value Graph::steps(const std::string& name, const Value& picture) {
  const auto columns = layer(name + ".columns", "Transpose", {picture}, {{"perm", Integers{3, 0, 1, 2}}});
  // 0: as it is there, -1: all that is left.
  return layer(name, "Reshape", {columns, constant(name + ".shape", Integers{0, 0, -1})});
}

Value Graph::gru(const std::string& name, const Value& sequence, std::int64_t width) {
  constexpr std::int64_t kDirections = 2, kGates = 3;
  const auto both =
      layer(name + ".both", "GRU",
            {sequence, stored(name + ".weight", {kDirections, kGates * width, features(sequence)}),
             stored(name + ".recurrence", {kDirections, kGates * width, width}),
             stored(name + ".bias", {kDirections, 2 * kGates * width})},
            {{"direction", std::string("bidirectional")},
             {"hidden_size", width},
             {"linear_before_reset", std::int64_t{1}}});
  return layer(name, "ReduceSum", {both, constant(name + ".axes", Integers{1})},
               {{"keepdims", std::int64_t{0}}});
}

Value Graph::dense_steps(const std::string& name, const Value& sequence, std::int64_t units) {
  const auto product =
      layer(name + ".product", "MatMul", {sequence, stored(name + ".weight", {features(sequence), units})});
  return layer(name, "Add", {product, stored(name + ".bias", {units})});
}

std::int64_t Graph::dimension(const Value& x, std::size_t axis) const {
  const Known* known = status_ ? assembly_.find(x.name) : nullptr;
  const auto shape = known ? known->tensor.shape : std::nullopt;
  return shape && shape->size() > axis ? (*shape)[axis] : 0;
}

Result<Network> Graph::finish(const Value& output) && {
  auto network = status_ ? std::move(assembly_).finish({output.name}) : tl::unexpected(status_.error());
  if (!network)
    return fail(ErrorCode::invalid_argument, "{} cannot be built so: {}", name_, network.error().message);
  network->outputs.front().name = "output";
  return network;
}

}  // namespace neph::net
