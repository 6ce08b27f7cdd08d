#include "engine/openvino/row_facts.hpp"

#include <algorithm>
#include <exception>
#include <openvino/op/ops.hpp>
#include <openvino/op/util/arithmetic_reduction.hpp>
#include <openvino/op/util/binary_elementwise_comparison.hpp>
#include <openvino/op/util/gather_base.hpp>
#include <openvino/op/util/logical_reduction.hpp>
#include <openvino/op/util/multi_subgraph_base.hpp>
#include <openvino/op/util/shape_of_base.hpp>
#include <set>
#include <utility>
#include <vector>

#include "engine/openvino/shapes.hpp"

namespace neph::engine {
namespace {

using Nodes = std::vector<std::shared_ptr<ov::Node>>;

std::string named(const ov::Node& node) {
  return fmt::format("'{}' ({})", node.get_friendly_name(), node.get_type_name());
}

// ---- Ways through the graph that the data choose

/// Whether it is computed from what an input holds; shapes alone are the same for all requests.
bool depends_on_data(const ov::Output<ov::Node>& value) {
  std::vector<const ov::Node*> open{value.get_node()};
  std::set<const ov::Node*> seen;
  while (!open.empty()) {
    const auto* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second || dynamic_cast<const ov::op::util::ShapeOfBase*>(node) != nullptr)
      continue;
    if (dynamic_cast<const ov::op::v0::Parameter*>(node) != nullptr) return true;
    for (std::size_t i = 0; i < node->get_input_size(); ++i) open.push_back(node->get_input_node_ptr(i));
  }
  return false;
}

/// A body's condition that is handed on unchanged is the one that the loop began with.
bool body_decides(const ov::op::v5::Loop& loop) {
  const auto place = loop.get_special_body_ports().body_condition_output_idx;
  const auto& results = loop.get_function()->get_results();
  if (place < 0 || place >= std::ssize(results)) return false;
  const auto condition = results[static_cast<std::size_t>(place)]->input_value(0);
  return !ov::is_type<ov::op::v0::Parameter>(condition.get_node_shared_ptr()) && depends_on_data(condition);
}

bool data_decide(const std::shared_ptr<ov::Node>& node) {
  if (ov::is_type<ov::op::v8::If>(node)) return depends_on_data(node->input_value(0));
  const auto loop = ov::as_type_ptr<ov::op::v5::Loop>(node);
  return loop && (depends_on_data(loop->input_value(0)) || depends_on_data(loop->input_value(1)) ||
                  body_decides(*loop));
}

// ---- What goes over the batch

/// The shapes of all tensors when the model's batch is this; empty where it cannot be.
std::shared_ptr<ov::Model> with_batch(const ov::Model& model, std::int64_t batch) {
  auto sized = model.clone();
  return set_shapes(*sized, {.batch = batch}) ? sized : nullptr;
}

/// How many of a tensor's dimensions grow with the batch: those that are not the same for another one.
std::size_t growing(const ov::PartialShape& two, const ov::PartialShape& three) {
  if (two.rank().is_dynamic() || two.rank() != three.rank()) return 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < two.size(); ++i)
    if (two[i].is_static() && three[i].is_static() && two[i] != three[i]) ++count;
  return count;
}

bool is_reduction(const std::shared_ptr<ov::Node>& node) {
  return ov::is_type<ov::op::util::ArithmeticReduction>(node) ||
         ov::is_type<ov::op::util::LogicalReduction>(node);
}

/// Whether each step of a recurrent loop takes another row.
bool steps_over_rows(const std::shared_ptr<ov::Node>& two, const std::shared_ptr<ov::Node>& three) {
  const auto loop = ov::as_type_ptr<ov::op::util::SubGraphOp>(two);
  if (!loop) return false;
  using Base = ov::op::util::SubGraphOp;
  bool remembers = false, over_rows = false;
  for (const auto& input : loop->get_input_descriptions()) {
    remembers = remembers || ov::as_type_ptr<Base::MergedInputDescription>(input);
    const auto slice = ov::as_type_ptr<Base::SliceInputDescription>(input);
    if (!slice) continue;
    const auto& a = two->get_input_partial_shape(slice->m_input_index);
    const auto& b = three->get_input_partial_shape(slice->m_input_index);
    if (a.rank().is_dynamic() || a.rank() != b.rank() || slice->m_axis < 0 || slice->m_axis >= std::ssize(a))
      continue;
    const auto axis = static_cast<std::size_t>(slice->m_axis);
    over_rows = over_rows || a[axis] != b[axis];
  }
  return remembers && over_rows;
}

std::string over_the_batch(const ov::Model& model) {
  const auto two = with_batch(model, 2);
  const auto three = two ? with_batch(model, 3) : nullptr;
  if (!three) return {};
  const auto a = two->get_ordered_ops(), b = three->get_ordered_ops();
  if (a.size() != b.size()) return {};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool reduces = is_reduction(a[i]) &&
                         growing(a[i]->get_input_partial_shape(0), b[i]->get_input_partial_shape(0)) >
                             growing(a[i]->get_output_partial_shape(0), b[i]->get_output_partial_shape(0));
    if (reduces || steps_over_rows(a[i], b[i]))
      return fmt::format("{} goes over the rows of a batch", named(*a[i]));
  }
  return {};
}

std::string coupling_of(const ov::Model& model) {
  for (const auto& node : model.get_ordered_ops())
    if (data_decide(node))
      return fmt::format("what {} does depends on what all rows of a batch hold", named(*node));
  return over_the_batch(model);
}

std::string state_of(const ov::Model& model) {
  const auto& variables = model.get_variables();
  if (variables.empty()) return {};
  return fmt::format("it keeps state (variable '{}')", variables.front()->get_info().variable_id);
}

// ---- Integers

constexpr std::int64_t widest = 100;
constexpr std::int64_t narrowest = 2;

bool hands_on(const ov::Node& node) {
  return dynamic_cast<const ov::op::v0::Unsqueeze*>(&node) != nullptr ||
         dynamic_cast<const ov::op::v0::Squeeze*>(&node) != nullptr ||
         dynamic_cast<const ov::op::v1::Transpose*>(&node) != nullptr ||
         dynamic_cast<const ov::op::v1::Reshape*>(&node) != nullptr;
}

/// The bound that one reader of integers sets; those that it hands on go to `more`.
std::int64_t bound_of(const ov::Input<ov::Node>& reader, Nodes& more) {
  auto& node = *reader.get_node();
  const auto shared = node.shared_from_this();
  if (dynamic_cast<ov::op::v0::Result*>(&node) != nullptr ||
      dynamic_cast<ov::op::util::ShapeOfBase*>(&node) != nullptr ||
      dynamic_cast<ov::op::util::BinaryElementwiseComparison*>(&node) != nullptr)
    return widest;
  if (dynamic_cast<ov::op::v0::Convert*>(&node) != nullptr) {
    if (node.get_output_element_type(0).is_integral_number()) more.push_back(shared);
    return widest;
  }
  if (dynamic_cast<ov::op::util::GatherBase*>(&node) != nullptr && reader.get_index() == 1) {
    const auto& table = node.get_input_partial_shape(0);
    const auto* axis = dynamic_cast<const ov::op::v0::Constant*>(node.get_input_node_ptr(2));
    if (axis == nullptr || table.rank().is_dynamic()) return narrowest;
    const auto place = axis->cast_vector<std::int64_t>().at(0);
    const auto& entries = table[static_cast<std::size_t>(place < 0 ? place + std::ssize(table) : place)];
    return entries.is_static() ? std::max(narrowest, entries.get_length()) : narrowest;
  }
  const bool adds = dynamic_cast<ov::op::v1::Add*>(&node) != nullptr;  // past a table's end Gather gives 0
  if ((hands_on(node) && reader.get_index() == 0) || adds) {
    more.push_back(shared);
    return widest;
  }
  return narrowest;
}

std::int64_t integers_below(const ov::Model& model) {
  Nodes open;
  for (const auto& input : model.get_parameters())
    if (input->get_element_type().is_integral_number()) open.push_back(input);
  std::int64_t bound = widest;
  std::set<const ov::Node*> seen;
  while (!open.empty()) {
    const auto node = open.back();
    open.pop_back();
    if (!seen.insert(node.get()).second) continue;
    for (const auto& output : node->outputs())
      for (const auto& reader : output.get_target_inputs()) bound = std::min(bound, bound_of(reader, open));
  }
  return bound;
}

}  // namespace

RowFacts row_facts_of(const ov::Model& model) {
  RowFacts facts{.state = state_of(model)};
  try {
    facts.coupling = coupling_of(model);
    facts.integers_below = integers_below(model);
  } catch (const std::exception&) {  // shapes that cannot be had
  }
  return facts;
}

}  // namespace neph::engine
