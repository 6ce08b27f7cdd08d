// Exporters compute shapes in the graph: of Shape, Gather, Concat and their like. For training they are
// computed once, while the plan is built, so that no layer has to learn through them. What depends on the
// batch, which is another at the end of an epoch, is told by trials of two batches.
#include <algorithm>

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {
namespace {

constexpr std::int64_t smaller = 2, larger = 3;  // batches of the trials: a size of 1 may be broadcast

/// How one number goes with the batch.
enum class Growth { none, with_batch, other };

Growth growth_of(std::int64_t of_smaller, std::int64_t of_larger) {
  if (of_smaller == of_larger) return Growth::none;
  return of_smaller * larger == of_larger * smaller ? Growth::with_batch : Growth::other;
}

/// Sizes of which at most one grows with the batch.
struct GrowingSizes {
  Sizes sizes;                      ///< with 1 for the one that grows
  std::optional<std::size_t> axis;  ///< which that is
  std::int64_t times = 1;           ///< how often it has the batch
};

class ShapeFixer {
 public:
  ShapeFixer(Simplified simple, Tried two, Tried three)
      : simple_(std::move(simple)), two_(std::move(two)), three_(std::move(three)) {}

  Result<Simplified> run() && {
    for (auto& node : simple_.program.nodes) {
      if (is_fixed(node)) {
        const bool of_sizes = comes_of_sizes(node);
        for (const auto& name : node.outputs) store(name, of_sizes);
        node.op.clear();
      } else {
        NEPH_CHECK(fix_inputs(node));
      }
    }
    std::erase_if(simple_.program.nodes, [](const net::Node& node) { return node.op.empty(); });
    return std::move(simple_);
  }

 private:
  const net::StoredTensor* stored(const std::string& name) const {
    const auto found = simple_.program.tensors.find(name);
    return found == simple_.program.tensors.end() ? nullptr : &found->second;
  }
  /// Not learnt, and no example's: numbers that the computation needs.
  bool is_number(const std::string& name) const {
    if (name.empty() || growing_.contains(name) || simple_.constants.contains(name)) return true;
    const auto* tensor = stored(name);
    return tensor != nullptr && tensor->floats.empty();
  }
  /// A factor that an exporter stores beside the weights.
  bool is_factor(const std::string& name) const {
    const auto* tensor = stored(name);
    return tensor != nullptr && tensor->floats.size() == 1;
  }
  bool is_fixed(const net::Node& node) const {
    const auto is_known = [&](const auto& name) { return name.empty() || two_.folded.contains(name); };
    if (!std::ranges::all_of(node.outputs, is_known)) return false;
    if (reads_sizes(node)) return true;
    const bool of_sizes = comes_of_sizes(node);
    return std::ranges::all_of(
        node.inputs, [&](const auto& name) { return is_number(name) || (of_sizes && is_factor(name)); });
  }
  bool comes_of_sizes(const net::Node& node) const {
    return reads_sizes(node) ||
           std::ranges::any_of(node.inputs, [&](const auto& name) { return of_sizes_.contains(name); });
  }
  static bool reads_sizes(const net::Node& node) { return node.op == "Shape" || node.op == "Size"; }

  void store(const std::string& name, bool of_sizes) {
    if (name.empty()) return;
    if (of_sizes) of_sizes_.insert(name);
    const auto& two = two_.folded.at(name);
    const auto& three = three_.folded.at(name);
    if (two.shape != three.shape || two.integers != three.integers || two.floats != three.floats) {
      growing_.insert(name);
      return;
    }
    simple_.program.tensors[name] = two;
    simple_.constants.insert(name);
  }

  Status fix_inputs(net::Node& node) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!growing_.contains(node.inputs[i])) continue;
      const bool is_shape = i == 1 && (node.op == "Reshape" || node.op == "Expand");
      if (!is_shape)
        return not_trained(node, fmt::format("its input {} ('{}') depends on the batch", i, node.inputs[i]));
      NEPH_TRY(const auto sizes, sizes_of(node));
      if (node.op == "Reshape")
        fix_reshape(node, sizes);
      else
        fix_expand(node, sizes);
    }
    return {};
  }

  /// Of what the node computes.
  Result<GrowingSizes> sizes_of(const net::Node& node) const {
    const auto& two = two_.seen.at(node.outputs[0]);
    const auto& three = three_.seen.at(node.outputs[0]);
    GrowingSizes all{.sizes = two, .axis = {}};
    for (std::size_t i = 0; i < two.size(); ++i) {
      const auto growth = growth_of(two[i], three[i]);
      if (growth == Growth::none) continue;
      if (growth == Growth::other || all.axis)
        return not_trained(node,
                           "its shape depends on the batch, and not as one dimension that grows with it");
      all.axis = i;
      all.times = two[i] / smaller;
      all.sizes[i] = 1;
    }
    return all;
  }

  /// A constant of its own, beside the shape that others may read.
  std::string add_numbers(const net::Node& node, Sizes numbers) {
    auto name = node.outputs[0] + "/shape";
    simple_.program.tensors[name] = {
        .shape = {static_cast<std::int64_t>(numbers.size())}, .floats = {}, .integers = std::move(numbers)};
    simple_.constants.insert(name);
    return name;
  }

  void fix_reshape(net::Node& node, GrowingSizes sizes) {
    if (sizes.axis) sizes.sizes[*sizes.axis] = -1;
    node.inputs[1] = add_numbers(node, std::move(sizes.sizes));
    node.attributes.erase("allowzero");
  }

  void fix_expand(net::Node& node, GrowingSizes sizes) {
    const auto shape = add_numbers(node, std::move(sizes.sizes));
    if (!sizes.axis) {
      node.inputs[1] = shape;
      return;
    }
    node.op = expand_to_batch_operator;
    node.inputs = {node.inputs[0], simple_.program.inputs[0].name, shape};
    node.attributes["axis"] = static_cast<std::int64_t>(*sizes.axis);
    node.attributes["times"] = sizes.times;
  }

  Simplified simple_;
  Tried two_, three_;
  std::set<std::string, std::less<>> of_sizes_;  ///< numbers that come of sizes
  std::set<std::string, std::less<>> growing_;   ///< those of them that differ between the trials
};

bool can_be_tried(const net::Program& program) {
  if (program.inputs.size() != 1 || program.inputs[0].shape.size() < 2) return false;
  const auto& shape = program.inputs[0].shape;
  return std::all_of(shape.begin() + 1, shape.end(), [](auto size) { return size > 0; });
}

Result<Tried> tried(const Simplified& simple, const Ops& ops, Arithmetic arithmetic, std::int64_t batch) {
  auto sizes = simple.program.inputs[0].shape;
  sizes[0] = batch;
  Uploaded uploaded;
  return Builder(simple, ops, arithmetic, {std::move(sizes)}, uploaded).try_out();
}

}  // namespace

Result<Simplified> with_fixed_shapes(Simplified simple, const Ops& ops, Arithmetic arithmetic) {
  const bool needs_it =
      std::ranges::any_of(simple.program.nodes, [](const net::Node& node) { return !has_gradient(node.op); });
  if (!needs_it || !can_be_tried(simple.program)) return simple;
  auto two = tried(simple, ops, arithmetic, smaller);
  if (!two) return simple;  // why it cannot be computed is said where it is planned
  auto three = tried(simple, ops, arithmetic, larger);
  if (!three) return simple;
  return ShapeFixer(std::move(simple), std::move(*two), std::move(*three)).run();
}

}  // namespace neph::engine::torch_plugin
