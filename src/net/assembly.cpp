#include "net/assembly.hpp"

#include <algorithm>

namespace neph::net {
namespace {

/// "node 'conv1' (Conv): " before a rule's complaint.
Error in_node(const Node& node, Error error) {
  error.message = fmt::format("node '{}' ({}): {}", node.name, node.op, error.message);
  return error;
}

bool may_be_trained(const Operator* op, std::size_t input, const Tensor& tensor) {
  const bool place =
      !op || (input < 32 ? (op->trained_inputs >> input & 1U) != 0 : op->trained_inputs == ~0U);
  const bool scalar = tensor.shape && tensor.shape->empty();
  return place && !scalar && holds_learned_numbers(tensor.type);
}

/// Takes from `stated` what `found` leaves open.
void complete(Tensor& found, const Tensor& stated) {
  if (!found.shape) {
    found.shape = stated.shape;
    found.type = stated.type;
  } else if (stated.shape && stated.shape->size() == found.shape->size()) {
    for (std::size_t i = 0; i < found.shape->size(); ++i)
      if ((*found.shape)[i] == kUnknown) (*found.shape)[i] = (*stated.shape)[i];
  }
}

}  // namespace

Assembly::Assembly(std::string name, std::int64_t opset) {
  network_.name = std::move(name);
  network_.opset = opset;
}

const Tensor* Assembly::find(const std::string& name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? nullptr : &found->second.tensor;
}

Status Assembly::add_known(const std::string& name, Known known) {
  if (!known_.emplace(name, std::move(known)).second)
    return fail(ErrorCode::corrupt, "there are two tensors called '{}'", name);
  return {};
}

Status Assembly::add_input(const std::string& name, MaybeShape shape, int type) {
  network_.inputs.push_back({.name = name, .shape = shape});
  return add_known(name, {.tensor = {.shape = std::move(shape), .type = type}, .maker = name});
}

Status Assembly::add_stored(const std::string& name, Tensor tensor) {
  tensor.constant = true;
  return add_known(name, {.tensor = std::move(tensor)});
}

void Assembly::state_shape(const std::string& name, MaybeShape shape, int type) {
  stated_[name] = {.shape = std::move(shape), .type = type};
}

Status Assembly::add_node(const Node& node) {
  std::vector<const Tensor*> inputs;
  for (const auto& name : node.inputs) {
    const Tensor* tensor = name.empty() ? nullptr : find(name);
    if (!tensor && !name.empty())
      return fail(ErrorCode::corrupt, "node '{}' ({}) reads '{}', which nothing before it makes", node.name,
                  node.op, name);
    inputs.push_back(tensor);
  }
  Layer layer{.name = node.name, .op = node.op};
  const Operator* op = find_operator(node.op);
  Effect effect;
  if (op) {
    auto result = op->rule(Call(node, inputs));
    if (!result) return tl::unexpected(in_node(node, std::move(result).error()));
    effect = std::move(*result);
    layer.kind = effect.kind.value_or(op->kind);
    layer.macs = effect.macs.value_or(0);
    layer.window = effect.window;
  } else {
    ++network_.unknown_operators[node.op];
  }
  const bool unsized = !effect.macs;
  auto status = list_weights(node, op, layer);
  if (status) status = list_inputs(node, layer);
  if (status) status = list_outputs(node, std::move(effect), layer);
  if (!status) return tl::unexpected(in_node(node, std::move(status).error()));
  if (unsized || !std::all_of(layer.outputs.begin(), layer.outputs.end(), is_known))
    ++network_.unsized_layers;
  network_.layers.push_back(std::move(layer));
  return {};
}

Status Assembly::list_weights(const Node& node, const Operator* op, Layer& layer) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto found = known_.find(node.inputs[i]);
    if (node.inputs[i].empty() || !found->second.maker.empty() || found->second.counted) continue;
    const Tensor& tensor = found->second.tensor;
    found->second.counted = true;
    Weight weight{.name = node.inputs[i], .shape = tensor.shape.value_or(Shape{})};
    weight.trained = may_be_trained(op, i, tensor);
    NEPH_TRY(weight.bytes, byte_count(weight.shape, tensor.type));
    NEPH_TRY(layer.weight_bytes, checked_sum(layer.weight_bytes, weight.bytes));
    if (weight.trained) {
      NEPH_TRY(const auto elements, element_count(weight.shape));
      NEPH_TRY(layer.parameters, checked_sum(layer.parameters, elements));
    }
    layer.weights.push_back(std::move(weight));
  }
  return {};
}

Status Assembly::list_inputs(const Node& node, Layer& layer) const {
  for (const auto& name : node.inputs) {
    if (name.empty()) continue;
    const Known& known = known_.at(name);
    if (known.maker.empty()) continue;
    layer.inputs.push_back(known.maker);
    if (!is_known(known.tensor.shape)) continue;
    NEPH_TRY(const auto bytes, byte_count(*known.tensor.shape, known.tensor.type));
    NEPH_TRY(layer.input_bytes, checked_sum(layer.input_bytes, bytes));
  }
  return {};
}

Status Assembly::list_outputs(const Node& node, Effect effect, Layer& layer) {
  effect.outputs.resize(node.outputs.size());
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    Tensor& output = effect.outputs[i];
    if (output.shape && output.shape->size() > kMostDimensions)
      return fail(ErrorCode::corrupt, "an output with {} dimensions is not possible", output.shape->size());
    if (const auto stated = stated_.find(node.outputs[i]); stated != stated_.end())
      complete(output, stated->second);
    layer.outputs.push_back(output.shape);
    if (is_known(output.shape)) {
      NEPH_TRY(const auto elements, element_count(*output.shape));
      NEPH_TRY(const auto bytes, byte_count(*output.shape, output.type));
      NEPH_TRY(layer.activations, checked_sum(layer.activations, elements));
      NEPH_TRY(layer.output_bytes, checked_sum(layer.output_bytes, bytes));
    }
    NEPH_CHECK(add_known(node.outputs[i], {.tensor = std::move(output), .maker = node.name}));
  }
  return {};
}

Status Assembly::sum_up() {
  Totals& totals = network_.totals;
  std::unordered_map<std::string, std::int64_t> depths;
  for (const Layer& layer : network_.layers) {
    const auto kind = std::string(enum_name(layer.kind));
    auto& macs_of_kind = totals.macs_by_kind[kind];
    NEPH_TRY(macs_of_kind, checked_sum(macs_of_kind, layer.macs));
    NEPH_TRY(totals.parameters, checked_sum(totals.parameters, layer.parameters));
    NEPH_TRY(totals.macs, checked_sum(totals.macs, layer.macs));
    NEPH_TRY(totals.activations, checked_sum(totals.activations, layer.activations));
    NEPH_TRY(totals.weight_bytes, checked_sum(totals.weight_bytes, layer.weight_bytes));
    NEPH_TRY(totals.input_bytes, checked_sum(totals.input_bytes, layer.input_bytes));
    NEPH_TRY(totals.output_bytes, checked_sum(totals.output_bytes, layer.output_bytes));
    ++totals.layers_by_kind[kind];
    ++totals.layers;
    std::int64_t above = 0;
    for (const auto& input : layer.inputs)
      if (const auto found = depths.find(input); found != depths.end())
        above = std::max(above, found->second);
    const auto depth = above + (layer.macs > 0 ? 1 : 0);
    auto& own = depths[layer.name];
    own = std::max(own, depth);
    totals.depth = std::max(totals.depth, depth);
  }
  std::erase_if(totals.macs_by_kind, [](const auto& entry) { return entry.second == 0; });
  return {};
}

Result<Network> Assembly::finish(const std::vector<std::string>& outputs) && {
  for (const auto& name : outputs) {
    const auto found = known_.find(name);
    if (found == known_.end()) return fail(ErrorCode::corrupt, "nothing makes the output '{}'", name);
    network_.outputs.push_back(
        {.name = name, .shape = found->second.tensor.shape, .layer = found->second.maker});
  }
  if (!network_.inputs.empty())
    if (const auto& shape = network_.inputs[0].shape;
        shape && shape->size() > 1 && shape->front() != kUnknown)
      network_.batch = shape->front();
  NEPH_CHECK(sum_up());
  return std::move(network_);
}

}  // namespace neph::net
