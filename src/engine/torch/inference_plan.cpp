// Of Builder: plans for inference. Each layer is computed once while the plan is built, so that every shape
// is known; what depends on no input of the network is kept as a tensor, and its layers go.
#include <algorithm>

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// A node with padding "the same as the input", with the numbers that this means here.
net::Node with_pads(const net::Node& node, const Sizes& input, const Sizes& kernel) {
  const auto automatic = node.attribute<std::string>("auto_pad", "NOTSET");
  const auto axes = kernel.size();
  if (!automatic.starts_with("SAME") || input.size() != axes + 2) return node;
  const auto strides = node.attribute<Sizes>("strides", Sizes(axes, 1));
  const auto dilations = node.attribute<Sizes>("dilations", Sizes(axes, 1));
  Sizes pads(2 * axes, 0);
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = input[i + 2];
    const auto outputs = (size + strides[i] - 1) / strides[i];
    const auto reach = dilations[i] * (kernel[i] - 1) + 1;
    const auto all = std::max<std::int64_t>(0, (outputs - 1) * strides[i] + reach - size);
    pads[i] = automatic == "SAME_UPPER" ? all / 2 : (all + 1) / 2;
    pads[i + axes] = all - pads[i];
  }
  auto given = node;
  given.attributes["auto_pad"] = std::string("NOTSET");
  given.attributes["pads"] = pads;
  return given;
}

bool has_window(std::string_view op) {
  return op == "Conv" || op == "MaxPool" || op == "AveragePool" || op == "LpPool";
}

}  // namespace

Builder::Builder(const Simplified& simple, const Ops& ops, Arithmetic arithmetic, std::vector<Sizes> inputs,
                 Uploaded& uploaded)
    : Builder(simple, ops, arithmetic) {
  trial_ = std::make_unique<Trial>(ops, plan_.parameters, std::move(inputs), uploaded);
  trial_->left = readers_;
}

Sizes Builder::sizes(const net::Node& node, std::size_t index) const {
  if (!has(node, index)) return {};
  if (const auto* tensor = stored(node.inputs[index]); tensor != nullptr) return tensor->shape;
  const auto found = known_.find(node.inputs[index]);
  if (found == known_.end()) return {};
  const auto sizes = trial_->pass.value(found->second.slot).sizes();
  return {sizes.begin(), sizes.end()};
}

Slot Builder::constant_slot(const std::string& name, const net::StoredTensor& stored) {
  const Slot slot = plan_.wanted.size();
  plan_.wanted.push_back(false);
  known_[name] = {slot, false};
  plan_.constants.emplace_back(slot, upload(name, stored));
  trial_->pass.grow(slot + 1);
  trial_->pass.set(slot, plan_.constants.back().second);
  return slot;
}

/// Keeps a value as a tensor that the file might have stored.
void Builder::fold(const std::string& name, const Tensor& value) {
  net::StoredTensor made{.shape = {value.sizes().begin(), value.sizes().end()}, .floats = {}, .integers = {}};
  const bool floats = value.dtype() == ops_->abi().float32();
  const auto kept =
      floats || value.dtype() == ops_->abi().int64() ? value : ops_->convert(value, ops_->abi().int64());
  const auto read = ops_->for_reading(kept);
  const auto count = read.count();
  if (floats)
    made.floats.assign(read.floats(), read.floats() + count);
  else
    made.integers.assign(static_cast<const std::int64_t*>(read.data()),
                         static_cast<const std::int64_t*>(read.data()) + count);
  trial_->folded[name] = std::move(made);
  known_.erase(name);
}

/// Of a node whose inputs are all known.
void Builder::fold_outputs(const net::Node& node) {
  const bool of_sizes = std::ranges::any_of(
      node.inputs, [&](const std::string& name) { return trial_->of_sizes.contains(name); });
  for (const auto& name : node.outputs) {
    const auto found = known_.find(name);
    if (found == known_.end()) continue;
    fold(name, trial_->pass.value(found->second.slot));
    if (of_sizes) trial_->of_sizes.insert(name);
  }
}

/// Shape and Size: known while the plan is built.
bool Builder::fold_sizes(const net::Node& node) {
  if (node.op != "Shape" && node.op != "Size") return false;
  const auto sizes = this->sizes(node, 0);
  net::StoredTensor made;
  if (node.op == "Size") {
    made.integers = {product(sizes)};
  } else {
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const auto at = [&](std::int64_t axis) {
      return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
    };
    const auto begin = at(node.attribute<std::int64_t>("start", 0));
    const auto end = std::max(begin, at(node.attribute<std::int64_t>("end", rank)));
    made.integers.assign(sizes.begin() + begin, sizes.begin() + end);
    made.shape = {end - begin};
  }
  trial_->folded[node.outputs[0]] = std::move(made);
  trial_->of_sizes.insert(node.outputs[0]);
  return true;
}

void Builder::release_inputs(const net::Node& node) {
  for (const auto& name : node.inputs) {
    const auto found = known_.find(name);
    if (--trial_->left[name] == 0 && found != known_.end()) trial_->pass.drop(found->second.slot);
  }
}

Status Builder::compute(const net::Node& node) {
  if (fold_sizes(node)) {
    release_inputs(node);
    return {};
  }
  const bool fixed = std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& name) {
    return name.empty() || stored(name) != nullptr;
  });
  std::unique_ptr<Layer> layer;
  if (has_window(node.op)) {
    auto kernel = node.attribute<Sizes>("kernel_shape", {});
    if (const auto weight = sizes(node, 1); node.op == "Conv" && weight.size() > 2)
      kernel.assign(weight.begin() + 2, weight.end());
    NEPH_CHECK(make(with_pads(node, sizes(node, 0), kernel), layer));
  } else {
    NEPH_CHECK(make(node, layer));
  }
  trial_->pass.grow(plan_.wanted.size());
  try {
    layer->forward(trial_->pass);
  } catch (const Failure& failure) {
    throw Failure(fmt::format("{}, in {}", failure.what(), title(node)));
  }
  for (const auto& name : node.outputs)
    if (const auto found = known_.find(name); found != known_.end()) {
      const auto sizes = trial_->pass.value(found->second.slot).sizes();
      trial_->seen[name] = {sizes.begin(), sizes.end()};
    }
  if (fixed) {
    fold_outputs(node);
  } else {
    layer->name = node.name;
    layer->op = node.op;
    plan_.layers.push_back(std::move(layer));
  }
  release_inputs(node);
  return {};
}

Status Builder::set_outputs() {
  for (const auto& port : program().outputs) {
    const auto found = known_.find(port.name);
    const auto* tensor = stored(port.name);
    if (found == known_.end() && tensor == nullptr)
      return fail(ErrorCode::unsupported, "output '{}' is not computed", port.name);
    plan_.outputs.push_back(found != known_.end() ? found->second.slot : constant_slot(port.name, *tensor));
  }
  return {};
}

Status Builder::compute_all() {
  const auto& ports = program().inputs;
  trial_->pass.grow(ports.size());
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& sizes = trial_->inputs[i];
    plan_.wanted.push_back(false);
    known_[ports[i].name] = {i, false};
    auto zeros = ops_->filled(sizes, usual_order(sizes), 0);
    if (ports[i].integers) zeros = ops_->convert(zeros, ops_->abi().int64());
    trial_->pass.set(i, ports[i].element == "boolean" ? ops_->convert(zeros, ops_->abi().boolean()) : zeros);
  }
  for (const auto& node : program().nodes) NEPH_CHECK(compute(node));
  return {};
}

Result<Tried> Builder::try_out() && {
  NEPH_CHECK(compute_all());
  return Tried{std::move(trial_->folded), std::move(trial_->seen)};
}

Result<Plan> Builder::finish_inference() && {
  NEPH_CHECK(compute_all());
  NEPH_CHECK(set_outputs());
  for (const auto slot : plan_.outputs) {
    const auto sizes = trial_->pass.value(slot).sizes();
    plan_.output_sizes.emplace_back(sizes.begin(), sizes.end());
  }
  plan_.peak_bytes = trial_->pass.peak_bytes();
  find_last_readers();
  std::erase_if(plan_.constants, [&](const auto& constant) {
    const auto slot = constant.first;
    return plan_.last_reader[slot] == plan_.layers.size() &&
           std::find(plan_.outputs.begin(), plan_.outputs.end(), slot) == plan_.outputs.end();
  });
  return std::move(plan_);
}

Result<Plan> make_inference_plan(const Simplified& simple, const Ops& ops, Arithmetic arithmetic,
                                 std::vector<Sizes> inputs, Uploaded& uploaded) {
  return Builder(simple, ops, arithmetic, std::move(inputs), uploaded).finish_inference();
}

}  // namespace neph::engine::torch_plugin
