#include "net/assembly.hpp"

#include <algorithm>

#include "net/fold.hpp"

namespace neph::net {
namespace {

/// Those that are numbers or text.
std::map<std::string, NodeAttribute, std::less<>> plain_attributes(const NodeOutline& node) {
  std::map<std::string, NodeAttribute, std::less<>> plain;
  for (const auto& [name, value] : node.attributes) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) plain[name] = *number;
    if (const auto* number = std::get_if<double>(&value)) plain[name] = static_cast<float>(*number);
    if (const auto* text = std::get_if<std::string>(&value)) plain[name] = *text;
    if (const auto* numbers = std::get_if<Integers>(&value)) plain[name] = *numbers;
    if (const auto* numbers = std::get_if<Reals>(&value))
      plain[name] = std::vector<float>(numbers->begin(), numbers->end());
  }
  return plain;
}

/// "node 'conv1' (Conv): " before a rule's complaint.
Error in_node(const NodeOutline& node, Error error) {
  error.message = fmt::format("node '{}' ({}): {}", node.name, node.op, error.message);
  return error;
}

/// Numbers of small constants that are followed in all: far more than any model computes shapes from, and a
/// limit for hostile files.
constexpr std::size_t kMostFollowed = std::size_t{1} << 22;

bool is_trained_place(const Operator* op, std::size_t input) {
  return !op || (input < 32 ? (op->trained_inputs >> input & 1U) != 0 : op->trained_inputs == ~0U);
}

/// Takes from `stated` what `found` leaves open.
void complete_shape(Tensor& found, const Tensor& stated) {
  if (!found.shape) {
    found.shape = stated.shape;
    found.type = stated.type;
  } else if (stated.shape && stated.shape->size() == found.shape->size()) {
    for (std::size_t i = 0; i < found.shape->size(); ++i)
      if ((*found.shape)[i] == kUnknown) (*found.shape)[i] = (*stated.shape)[i];
  }
}

std::size_t numbers_in(const Tensor& tensor) {
  return (tensor.values ? tensor.values->size() : 0) + (tensor.reals ? tensor.reals->size() : 0);
}

}  // namespace

Assembly::Assembly(std::string name, std::int64_t opset) {
  network_.name = std::move(name);
  network_.opset = opset;
}

Assembly::Assembly(Assembly& outer, std::string prefix) : outer_(&outer), prefix_(std::move(prefix)) {}

const Known* Assembly::find(const std::string& name) const {
  for (const Assembly* at = this; at; at = at->outer_)
    if (const auto found = at->known_.find(name); found != at->known_.end()) return &found->second;
  return nullptr;
}

Result<std::vector<const Known*>> Assembly::find_all(const std::vector<std::string>& names) const {
  std::vector<const Known*> all;
  for (const auto& name : names) {
    all.push_back(find(name));
    if (!all.back()) return fail(ErrorCode::corrupt, "nothing makes the output '{}'", name);
  }
  return all;
}

Status Assembly::add_known(const std::string& name, Known known) {
  const auto [place, is_new] = known_.emplace(name, std::move(known));
  if (!is_new) return fail(ErrorCode::corrupt, "there are two tensors called '{}'", name);
  place->second.name = place->first;
  return {};
}

Status Assembly::add_input(const std::string& name, MaybeShape shape, int type) {
  network_.inputs.push_back({.name = name, .shape = shape});
  return add_known(name, {.tensor = {.shape = std::move(shape), .type = type}, .maker = name});
}

Status Assembly::add_given(const std::string& name, Tensor tensor, const Known* from) {
  Known known{.tensor = std::move(tensor), .maker = from ? from->maker : std::string()};
  if (const auto stated = stated_.find(name); stated != stated_.end())
    complete_shape(known.tensor, stated->second);
  if (from && known.tensor.constant) known.made_of.push_back(from);
  return add_known(name, std::move(known));
}

Status Assembly::add_stored(const std::string& name, Tensor tensor) {
  tensor.constant = true;
  return add_known(name, {.tensor = std::move(tensor)});
}

void Assembly::state_shape(const std::string& name, MaybeShape shape, int type) {
  const auto [place, is_new] = stated_.try_emplace(name, Tensor{.shape = shape, .type = type});
  if (!is_new) complete_shape(place->second, {.shape = std::move(shape), .type = type});
}

Status Assembly::contradict(const Error& error) {
  if (!outer_) return tl::unexpected(error);
  if (!contradiction_) contradiction_ = error;
  return {};
}

/// Fills in small constants, until there are more of them than a model can mean.
void Assembly::follow_numbers(const Call& call, Effect& effect) {
  if (effect.outputs.empty() || !effect.outputs[0].constant) return;
  Assembly* root = this;
  while (root->outer_) root = root->outer_;
  for (std::size_t i = 0; i < call.input_count(); ++i) root->followed_ += numbers_in(call.input(i));
  if (is_known(effect.outputs[0].shape))
    if (const auto count = element_count(*effect.outputs[0].shape); count)
      root->followed_ += std::min(static_cast<std::size_t>(*count), kMostValues);
  if (root->followed_ > kMostFollowed) return;
  fold(call, effect);
  for (auto& output : effect.outputs)
    if (output.reals && output.reals->size() > kMostReals) output.reals.reset();
}

/// What the rule says, with the numbers of small constants. A result is constant if all that was read is.
Result<Effect> Assembly::effect_of(const NodeOutline& node, const Operator* op) {
  std::vector<const Tensor*> inputs;
  bool constant = true;
  for (const auto& name : node.inputs) {
    const Known* known = name.empty() ? nullptr : find(name);
    if (!known && !name.empty())
      return fail(ErrorCode::corrupt, "node '{}' ({}) reads '{}', which nothing before it makes", node.name,
                  node.op, name);
    inputs.push_back(known ? &known->tensor : nullptr);
    constant = constant && (!known || known->tensor.constant);
  }
  if (!op) return Effect{.macs = std::nullopt};
  const Call call(node, inputs);
  auto effect = op->rule(call);
  if (!effect) {
    NEPH_CHECK(contradict(in_node(node, std::move(effect).error())));
    return Effect{.macs = std::nullopt};
  }
  if (op->reads_elements)
    for (auto& output : effect->outputs) output.constant = output.constant && constant;
  follow_numbers(call, *effect);
  return effect;
}

/// What the rule leaves open and the file states, and the multiply-accumulates that follow from it.
Status Assembly::complete(const NodeOutline& node, Effect& effect) const {
  effect.outputs.resize(node.outputs.size());
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (const auto stated = stated_.find(node.outputs[i]); stated != stated_.end())
      complete_shape(effect.outputs[i], stated->second);
    if (const auto& shape = effect.outputs[i].shape; shape && shape->size() > kMostDimensions)
      return fail(ErrorCode::corrupt, "an output with {} dimensions is not possible", shape->size());
  }
  if (effect.macs || !effect.macs_per_output || !is_known(effect.outputs[0].shape)) return {};
  NEPH_TRY(const auto count, element_count(*effect.outputs[0].shape));
  NEPH_TRY(effect.macs, checked_product(count, *effect.macs_per_output));
  return {};
}

Status Assembly::add_node(const NodeOutline& node) {
  const Operator* op = find_operator(node.op);
  NEPH_TRY(auto effect, effect_of(node, op));
  Layer layer{.name = prefix_ + node.name,
              .op = node.op,
              .tensors = node.outputs,
              .attributes = plain_attributes(node)};
  auto status = complete(node, effect);
  const bool passes_on = op && !effect.outputs.empty() && effect.outputs[0].constant;
  if (status) status = list_weights(node, op, passes_on, layer);
  if (status) status = list_inputs(node, layer);
  if (status) status = list_outputs(effect.outputs, node, layer);
  if (!status) return tl::unexpected(in_node(node, std::move(status).error()));
  layer.kind = effect.kind.value_or(op ? op->kind : Kind::unknown);
  layer.macs = effect.macs;
  layer.window = std::move(effect.window);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    Known known{.tensor = std::move(effect.outputs[i]), .maker = layer.name};
    if (passes_on) known.made_of = passed_on(node, *op);
    if (auto added = add_known(node.outputs[i], std::move(known)); !added)
      return tl::unexpected(in_node(node, std::move(added).error()));
  }
  network_.layers.push_back(std::move(layer));
  return {};
}

Status Assembly::add_control(const NodeOutline& node, std::vector<Made> results) {
  Layer layer{.name = prefix_ + node.name, .op = node.op, .kind = Kind::control, .tensors = node.outputs};
  results.resize(node.outputs.size());
  NEPH_CHECK(list_weights(node, nullptr, false, layer));
  NEPH_CHECK(list_inputs(node, layer));
  layer.input_bytes = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    Known known{.tensor = std::move(results[i].tensor), .maker = layer.name};
    if (const auto stated = stated_.find(node.outputs[i]); stated != stated_.end())
      complete_shape(known.tensor, stated->second);
    layer.outputs.push_back(known.tensor.shape);
    for (const Known* from : results[i].from) {
      if (!from->maker.empty()) layer.inputs.push_back(from->maker);
      if (known.tensor.constant) {
        known.made_of.push_back(from);
      } else if (from->tensor.constant) {
        NEPH_CHECK(list_behind(*from, true, layer));
      }
    }
    NEPH_CHECK(add_known(node.outputs[i], std::move(known)));
  }
  network_.layers.push_back(std::move(layer));
  return {};
}

Status Assembly::add_unread(const NodeOutline& node) {
  open_.unread = true;
  return add_node(node);
}

bool Assembly::is_counted(const Known* known) const {
  for (const Assembly* at = this; at; at = at->outer_)
    if (at->counted_.contains(known)) return true;
  return false;
}

Status Assembly::list_weight(const Known& stored, bool trained_place, Layer& layer) {
  const Tensor& tensor = stored.tensor;
  Weight weight{.name = std::string(stored.name), .shape = tensor.shape.value_or(Shape{})};
  weight.trained = trained_place && !weight.shape.empty() && holds_learned_numbers(tensor.type);
  if (tensor.values) weight.numbers = StoredTensor{weight.shape, {}, *tensor.values};
  if (tensor.reals && weight.shape.empty())
    weight.numbers = StoredTensor{{}, {static_cast<float>(tensor.reals->front())}, {}};
  NEPH_TRY(weight.bytes, byte_count(weight.shape, tensor.type));
  NEPH_TRY(layer.weight_bytes, checked_sum(layer.weight_bytes, weight.bytes));
  if (weight.trained) {
    NEPH_TRY(const auto elements, element_count(weight.shape));
    NEPH_TRY(layer.parameters, checked_sum(layer.parameters, elements));
  }
  layer.weights.push_back(std::move(weight));
  return {};
}

/// Lists the stored tensors whose numbers `constant` has, where no layer before has listed them.
Status Assembly::list_behind(const Known& constant, bool trained_place, Layer& layer) {
  std::vector<const Known*> open{&constant};
  while (!open.empty()) {
    const Known* known = open.back();
    open.pop_back();
    if (is_counted(known)) continue;
    counted_.insert(known);
    open.insert(open.end(), known->made_of.begin(), known->made_of.end());
    if (known->made_of.empty() && known->maker.empty()) NEPH_CHECK(list_weight(*known, trained_place, layer));
  }
  return {};
}

/// Weights are listed with the layer that reads them together with activations, not with those that prepare
/// them (`passes_on`: Identity, Cast, DequantizeLinear of a stored tensor), and count as trained by their
/// place there.
Status Assembly::list_weights(const NodeOutline& node, const Operator* op, bool passes_on, Layer& layer) {
  if (op && !op->reads_elements) return {};
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Known* known = node.inputs[i].empty() ? nullptr : find(node.inputs[i]);
    if (!known || !known->tensor.constant) continue;
    const bool trained_place = is_trained_place(op, i);
    if (!passes_on || !trained_place) NEPH_CHECK(list_behind(*known, trained_place, layer));
  }
  return {};
}

std::vector<const Known*> Assembly::passed_on(const NodeOutline& node, const Operator& op) const {
  std::vector<const Known*> from;
  for (std::size_t i = 0; op.reads_elements && i < node.inputs.size(); ++i)
    if (const Known* known = node.inputs[i].empty() ? nullptr : find(node.inputs[i]);
        known && is_trained_place(&op, i))
      from.push_back(known);
  return from;
}

Status Assembly::list_inputs(const NodeOutline& node, Layer& layer) const {
  for (const auto& name : node.inputs) {
    const Known* known = name.empty() ? nullptr : find(name);
    if (!known) continue;
    if (!known->maker.empty()) layer.inputs.push_back(known->maker);
    if (known->tensor.constant) continue;
    std::optional<std::int64_t> bytes;
    if (is_known(known->tensor.shape)) {
      NEPH_TRY(bytes, byte_count(*known->tensor.shape, known->tensor.type));
    }
    NEPH_CHECK(add_to(layer.input_bytes, bytes));
  }
  return {};
}

Status Assembly::list_outputs(const std::vector<Tensor>& outputs, const NodeOutline& node,
                              Layer& layer) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    layer.outputs.push_back(outputs[i].shape);
    if (outputs[i].constant) continue;
    std::optional<std::int64_t> elements, bytes;
    if (is_known(outputs[i].shape)) {
      NEPH_TRY(elements, element_count(*outputs[i].shape));
      NEPH_TRY(bytes, byte_count(*outputs[i].shape, outputs[i].type));
    }
    NEPH_CHECK(add_to(layer.activations, elements));
    NEPH_CHECK(add_to(layer.output_bytes, bytes));
  }
  return {};
}

Assembly::Part Assembly::move_over() && {
  auto& layers = outer_->network_.layers;
  const std::size_t first = layers.size();
  std::move(network_.layers.begin(), network_.layers.end(), std::back_inserter(layers));
  outer_->open_.add(open_, first);
  outer_->counted_.merge(counted_);
  outer_->of_bodies_.push_back(std::move(known_));
  for (auto& body : of_bodies_) outer_->of_bodies_.push_back(std::move(body));
  return {first, layers.size()};
}

std::span<Layer> Assembly::layers_of(const Part& part) {
  return std::span(network_.layers).subspan(part.first, part.last - part.first);
}

Status Assembly::repeat(const Part& part, std::optional<std::int64_t> runs) {
  if (!runs) open_.loops.push_back(network_.layers.size());
  return net::repeat(layers_of(part), runs);
}

void Assembly::leave_open(const Part& yes, const Part& no) {
  open_.branches.push_back({.first = yes.first, .second = no.first, .layer = no.last});
}

Result<Network> Assembly::finish(const std::vector<std::string>& outputs) && {
  for (const auto& name : outputs) {
    const Known* known = find(name);
    if (!known) return fail(ErrorCode::corrupt, "nothing makes the output '{}'", name);
    network_.outputs.push_back({.name = name, .shape = known->tensor.shape, .layer = known->maker});
  }
  if (!network_.inputs.empty())
    if (const auto& shape = network_.inputs[0].shape;
        shape && shape->size() > 1 && shape->front() != kUnknown)
      network_.batch = shape->front();
  NEPH_CHECK(sum_up(network_, open_));
  return std::move(network_);
}

}  // namespace neph::net
