// Batch norms by running statistics are a scale and a shift of each channel: where one alone reads a
// convolution, its weights and bias take both in.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {
namespace {

using net::Node;
using net::StoredTensor;

/// y = scale x + shift, for each channel.
struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;
};

const StoredTensor* floats_of(const net::Program& program, const Node& node, std::size_t input) {
  if (input >= node.inputs.size()) return nullptr;
  const auto found = program.tensors.find(node.inputs[input]);
  return found != program.tensors.end() && !found->second.floats.empty() ? &found->second : nullptr;
}

std::optional<Affine> affine_of(const net::Program& program, const Node& norm) {
  std::array<const StoredTensor*, 4> stored{};
  for (std::size_t i = 0; i < stored.size(); ++i) {
    stored[i] = floats_of(program, norm, i + 1);
    if (stored[i] == nullptr || stored[i]->floats.size() != stored[0]->floats.size()) return std::nullopt;
  }
  const auto [scale, bias, mean, variance] = stored;
  const double epsilon = norm.attribute<float>("epsilon", 1e-5F);
  Affine affine;
  for (std::size_t i = 0; i < scale->floats.size(); ++i) {
    const double factor = scale->floats[i] / std::sqrt(double{variance->floats[i]} + epsilon);
    affine.scale.push_back(factor);
    affine.shift.push_back(bias->floats[i] - factor * mean->floats[i]);
  }
  return affine;
}

/// The convolution's weights with the norm in them, under names of their own: others may share the old ones.
bool take_in(net::Program& program, Node& convolution, const Affine& affine) {
  const auto* weight = floats_of(program, convolution, 1);
  if (weight == nullptr || weight->shape.empty() || weight->shape[0] != std::ssize(affine.scale))
    return false;
  const bool has_bias = convolution.inputs.size() > 2 && !convolution.inputs[2].empty();
  const auto* bias = floats_of(program, convolution, 2);
  if (has_bias && (bias == nullptr || bias->floats.size() != affine.scale.size())) return false;

  StoredTensor folded = *weight;
  const auto each = folded.floats.size() / affine.scale.size();
  StoredTensor shift{.shape = {weight->shape[0]}, .floats = {}, .integers = {}};
  for (std::size_t i = 0; i < affine.scale.size(); ++i) {
    for (std::size_t j = i * each; j < (i + 1) * each; ++j)
      folded.floats[j] = static_cast<float>(folded.floats[j] * affine.scale[i]);
    const double before = has_bias ? bias->floats[i] : 0.0;
    shift.floats.push_back(static_cast<float>(before * affine.scale[i] + affine.shift[i]));
  }
  const auto name = convolution.outputs[0] + "/with batch norm";
  convolution.inputs.resize(3);
  convolution.inputs[1] = name + ".weight";
  convolution.inputs[2] = name + ".bias";
  program.tensors[convolution.inputs[1]] = std::move(folded);
  program.tensors[convolution.inputs[2]] = std::move(shift);
  return true;
}

/// Frees what no node reads any more.
void drop_unread(net::Program& program) {
  const auto readers = count_readers(program);
  std::erase_if(program.tensors, [&](const auto& tensor) { return !readers.contains(tensor.first); });
}

}  // namespace

void fold_batch_norms(net::Program& program) {
  const auto readers = count_readers(program);
  std::map<std::string, Node*, std::less<>> convolutions;  ///< by their outputs
  for (auto& node : program.nodes) {
    if (node.op == "Conv") convolutions[node.outputs[0]] = &node;
    if (node.op != "BatchNormalization" || node.inputs.size() != 5) continue;
    const auto before = convolutions.find(node.inputs[0]);
    if (before == convolutions.end() || readers.find(node.inputs[0])->second != 1) continue;
    const auto more = [&](const std::string& name) { return !name.empty() && readers.contains(name); };
    if (std::any_of(node.outputs.begin() + 1, node.outputs.end(), more)) continue;
    const auto affine = affine_of(program, node);
    if (!affine || !take_in(program, *before->second, *affine)) continue;
    before->second->outputs[0] = node.outputs[0];
    node.op.clear();
  }
  drop_unread(program);
}

}  // namespace neph::engine::torch_plugin
