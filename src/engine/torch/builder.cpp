#include "engine/torch/builder.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

struct Entry {
  std::string_view op;
  Maker make;
};

constexpr std::array operators{
    Entry{"Conv", make_convolution},
    Entry{"Gemm", make_linear},
    Entry{flatten_gemm_operator, make_linear},
    Entry{"MatMul", make_product},
    Entry{"BatchNormalization", make_batch_norm},
    Entry{"Relu", make_relu},
    Entry{"Clip", make_clip},
    Entry{"Sigmoid", make_sigmoid},
    Entry{"Tanh", make_tanh},
    Entry{"Dropout", make_dropout},
    Entry{relu_dropout_operator, make_relu_dropout},
    Entry{"MaxPool", make_max_pool},
    Entry{"AveragePool", make_average_pool},
    Entry{"GlobalAveragePool", make_global_average},
    Entry{"ReduceMean", make_reduce},
    Entry{"ReduceSum", make_reduce},
    Entry{"Add", make_add},
    Entry{"Mul", make_multiply},
    Entry{"Concat", make_concat},
    Entry{"Flatten", make_flatten},
    Entry{"Reshape", make_reshape},
    Entry{"Squeeze", make_squeeze},
    Entry{"Unsqueeze", make_unsqueeze},
    Entry{"Transpose", make_transpose},
    Entry{"GRU", make_gru},
    Entry{"Erf", make_unary},
    Entry{"Exp", make_unary},
    Entry{"Log", make_unary},
    Entry{"Sqrt", make_unary},
    Entry{"Neg", make_unary},
    Entry{"Abs", make_unary},
    Entry{"Reciprocal", make_unary},
    Entry{"Sin", make_unary},
    Entry{"Cos", make_unary},
    Entry{"Tan", make_unary},
    Entry{"Atan", make_unary},
    Entry{"Sinh", make_unary},
    Entry{"Cosh", make_unary},
    Entry{"Floor", make_unary},
    Entry{"Ceil", make_unary},
    Entry{"Round", make_unary},
    Entry{"Sign", make_unary},
    Entry{"Not", make_unary},
    Entry{"IsNaN", make_unary},
    Entry{"Mish", make_unary},
    Entry{"Gelu", make_gelu},
    Entry{"HardSwish", make_hard_swish},
    Entry{"HardSigmoid", make_hard_sigmoid},
    Entry{"LeakyRelu", make_bent_line},
    Entry{"Elu", make_bent_line},
    Entry{"Selu", make_bent_line},
    Entry{"Softplus", make_bent_line},
    Entry{"Softmax", make_softmax},
    Entry{"LogSoftmax", make_softmax},
    Entry{"LayerNormalization", make_layer_norm},
    Entry{"LRN", make_response_norm},
    Entry{"Sub", make_binary},
    Entry{"Div", make_binary},
    Entry{"Pow", make_binary},
    Entry{"Max", make_binary},
    Entry{"Min", make_binary},
    Entry{"Sum", make_sum},
    Entry{"Where", make_where},
    Entry{"PRelu", make_prelu},
    Entry{"Gather", make_gather},
    Entry{"Slice", make_slice},
    Entry{"Split", make_split},
    Entry{"Expand", make_expand},
    Entry{expand_to_batch_operator, make_expand_to_batch},
    Entry{"Pad", make_pad},
    Entry{"ReduceMax", make_any_reduce},
    Entry{"ReduceMin", make_any_reduce},
};

}  // namespace

Readers count_readers(const net::Program& program) {
  Readers readers;
  for (const auto& node : program.nodes)
    if (!node.op.empty())
      for (const auto& input : node.inputs) ++readers[input];
  for (const auto& output : program.outputs) ++readers[output.name];
  return readers;
}

bool has_gradient(std::string_view op) {
  return std::ranges::find(operators, op, &Entry::op) != operators.end();
}

std::string title(const net::Node& node) {
  return node.name.empty() ? fmt::format("operator {}", node.op)
                           : fmt::format("operator {} (node '{}')", node.op, node.name);
}

tl::unexpected<Error> not_trained(const net::Node& node, const std::string& why) {
  return fail(ErrorCode::unsupported, "{} does not run on engine torch: {}", title(node), why);
}

Builder::Builder(const Simplified& simple, const Ops& ops, Arithmetic arithmetic)
    : simple_(&simple), ops_(&ops), arithmetic_(arithmetic), readers_(count_readers(simple.program)) {}

const net::StoredTensor* Builder::stored(const std::string& name) const {
  if (trial_)
    if (const auto folded = trial_->folded.find(name); folded != trial_->folded.end()) return &folded->second;
  const auto found = program().tensors.find(name);
  return found == program().tensors.end() ? nullptr : &found->second;
}

Result<Sizes> Builder::integers(const net::Node& node, std::size_t index) const {
  const auto* tensor = has(node, index) ? stored(node.inputs[index]) : nullptr;
  if (tensor == nullptr || tensor->integers.size() != static_cast<std::size_t>(product(tensor->shape)))
    return not_trained(node, fmt::format("its input {} must be integers that the file stores", index));
  return tensor->integers;
}

Result<Slot> Builder::input(const net::Node& node, std::size_t index, Layer& layer) {
  if (!has(node, index)) return not_trained(node, fmt::format("its input {} is missing", index));
  const auto found = known_.find(node.inputs[index]);
  if (found == known_.end() && trial_)
    if (const auto* tensor = stored(node.inputs[index]); tensor != nullptr) {
      layer.inputs.push_back(constant_slot(node.inputs[index], *tensor));
      return layer.inputs.back();
    }
  if (found == known_.end())
    return not_trained(
        node, fmt::format("its input {} ('{}') must be computed, not stored", index, node.inputs[index]));
  layer.inputs.push_back(found->second.slot);
  return found->second.slot;
}

Slot Builder::output(const net::Node& node, Layer& layer, bool overwritable, std::size_t index) {
  const Slot slot = plan_.wanted.size();
  const bool wanted =
      std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](Slot s) { return plan_.wanted[s]; });
  plan_.wanted.push_back(wanted);
  known_[node.outputs[index]] = {slot, overwritable};
  layer.outputs.push_back(slot);
  return slot;
}

bool Builder::may_overwrite(const net::Node& node, std::size_t index) const {
  const auto found = known_.find(node.inputs[index]);
  const auto readers = readers_.find(node.inputs[index]);
  return found != known_.end() && found->second.overwritable && readers != readers_.end() &&
         readers->second == 1;
}

Tensor Builder::upload(const std::string& name, const net::StoredTensor& stored) const {
  const bool shared = trial_ && !trial_->of_sizes.contains(name);
  if (shared)
    if (const auto there = trial_->uploaded->find(name); there != trial_->uploaded->end())
      return there->second;
  const bool integers = stored.floats.empty();  // also of no elements: parts of shapes
  const auto given = integers ? ops_->wrap(stored.integers.data(), stored.shape)
                              : ops_->wrap(stored.floats.data(), stored.shape, row_major(stored.shape));
  auto made = ops_->empty(stored.shape, usual_order(stored.shape), given.dtype());
  ops_->copy(made, given);
  if (shared) trial_->uploaded->emplace(name, made);
  return made;
}

Result<std::size_t> Builder::parameter(const net::Node& node, std::size_t index, bool trained) {
  if (!has(node, index)) return not_trained(node, fmt::format("its input {} is missing", index));
  const auto& name = node.inputs[index];
  learns_ = learns_ || trained;
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  const auto* tensor = stored(name);
  if (tensor == nullptr)
    return not_trained(node, fmt::format("its input {} ('{}') must be stored in the file", index, name));
  if (tensor->floats.size() != static_cast<std::size_t>(product(tensor->shape)))
    return not_trained(node, fmt::format("its input {} ('{}') must be floating-point numbers", index, name));
  plan_.parameters.push_back({.name = name,
                              .value = upload(name, *tensor),
                              .gradient = {},
                              .trained = trained,
                              .constant = is_constant(name)});
  by_name_[name] = plan_.parameters.size() - 1;
  return plan_.parameters.size() - 1;
}

Status Builder::make(const net::Node& node, std::unique_ptr<Layer>& layer) {
  if (trial_)
    if (const auto special = inference_maker(node.op); special != nullptr) return special(*this, node, layer);
  const auto found = std::find_if(operators.begin(), operators.end(),
                                  [&](const Entry& entry) { return entry.op == node.op; });
  if (found == operators.end())
    return not_trained(node, trial_ ? "it is not known here" : "it has no gradient here");
  return found->make(*this, node, layer);
}

Status Builder::add(const net::Node& node) {
  learns_ = false;
  std::unique_ptr<Layer> layer;
  NEPH_CHECK(make(node, layer));
  // What is computed from a parameter is learnt from, whatever its other inputs are.
  if (learns_)
    for (const auto slot : layer->outputs) plan_.wanted[slot] = true;
  plan_.layers.push_back(std::move(layer));
  return {};
}

void Builder::find_last_readers() {
  plan_.last_reader.assign(plan_.wanted.size(), plan_.layers.size());
  for (std::size_t i = 0; i < plan_.layers.size(); ++i)
    for (const auto slot : plan_.layers[i]->inputs) plan_.last_reader[slot] = i;
  for (const auto slot : plan_.outputs) plan_.last_reader[slot] = plan_.layers.size();
}

Result<Plan> Builder::finish() && {
  if (program().inputs.size() != 1 || program().outputs.size() != 1)
    return fail(ErrorCode::unsupported,
                "{} has {} inputs and {} outputs; a network that is trained has one of each", program().name,
                program().inputs.size(), program().outputs.size());
  const auto& port = program().inputs[0];
  if (port.integers || port.shape.size() < 2)
    return fail(ErrorCode::unsupported, "input '{}' is not [batch, ...] of floating-point numbers",
                port.name);
  plan_.input_shape.assign(port.shape.begin() + 1, port.shape.end());
  if (std::any_of(plan_.input_shape.begin(), plan_.input_shape.end(), [](auto size) { return size <= 0; }))
    return fail(ErrorCode::unsupported,
                "input '{}' leaves dimensions besides the batch open; fix them in the model", port.name);
  plan_.wanted.push_back(false);
  known_[port.name] = {0, false};
  for (const auto& node : program().nodes) NEPH_CHECK(add(node));
  const auto output = known_.find(program().outputs[0].name);
  if (output == known_.end())
    return fail(ErrorCode::unsupported, "output '{}' is not computed", program().outputs[0].name);
  plan_.output = output->second.slot;
  plan_.outputs = {plan_.output};
  find_last_readers();
  if (!plan_.wanted[plan_.output])
    return fail(ErrorCode::unsupported, "{} has nothing that training changes", program().name);
  return std::move(plan_);
}

Result<Plan> make_plan(const net::Program& program, const Ops& ops, Arithmetic arithmetic) {
  NEPH_TRY(const auto simple, with_fixed_shapes(simplify(program), ops, arithmetic));
  return Builder(simple, ops, arithmetic).finish();
}

}  // namespace neph::engine::torch_plugin
