#include <algorithm>

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {
namespace {

using net::Node;

class Simplifier {
 public:
  explicit Simplifier(net::Program program) : program_(std::move(program)), constants_(program_.constants) {}

  Simplified run() && {
    take_constants();
    drop_identities("Identity");
    drop_last_softmax();
    join_bias();
    pool_before_relu();
    join_relu_dropout();
    join_flatten_gemm();
    std::erase_if(program_.nodes, [](const Node& node) { return node.op.empty(); });
    return {std::move(program_), std::move(constants_)};
  }

  Simplified run_for_inference() && {
    take_constants();
    drop_identities("Dropout");
    drop_identities("Identity");
    fold_batch_norms(program_);
    join_bias();
    pool_before_relu();
    std::erase_if(program_.nodes, [](const Node& node) { return node.op.empty(); });
    return {std::move(program_), std::move(constants_)};
  }

 private:
  /// A node is removed by taking its operator away.
  static void remove(Node& node) { node.op.clear(); }

  std::vector<Node*> readers(const std::string& name) {
    std::vector<Node*> found;
    for (auto& node : program_.nodes)
      if (!node.op.empty() && std::find(node.inputs.begin(), node.inputs.end(), name) != node.inputs.end())
        found.push_back(&node);
    return found;
  }

  bool is_output(const std::string& name) const {
    return std::any_of(program_.outputs.begin(), program_.outputs.end(),
                       [&](auto& port) { return port.name == name; });
  }

  /// The node that alone reads the one output of `node`; null if that is not so.
  Node* only_reader(const Node& node) {
    if (is_output(node.outputs[0])) return nullptr;
    const auto found = readers(node.outputs[0]);
    if (found.size() != 1) return nullptr;
    return std::count(found[0]->inputs.begin(), found[0]->inputs.end(), node.outputs[0]) == 1 ? found[0]
                                                                                              : nullptr;
  }

  void take_constants() {
    for (auto& node : program_.nodes) {
      if (node.op != "Constant" || node.outputs.empty()) continue;
      net::StoredTensor tensor;
      if (const auto* value = attribute<net::StoredTensor>(node, "value"))
        tensor = *value;
      else if (const auto* number = attribute<float>(node, "value_float"))
        tensor.floats = {*number};
      else if (const auto* integer = attribute<std::int64_t>(node, "value_int"))
        tensor.integers = {*integer};
      else if (const auto* list = attribute<Sizes>(node, "value_ints")) {
        tensor.shape = {static_cast<std::int64_t>(list->size())};
        tensor.integers = *list;
      } else {
        continue;
      }
      program_.tensors[node.outputs[0]] = std::move(tensor);
      constants_.insert(node.outputs[0]);
      remove(node);
    }
  }

  template <class T>
  static const T* attribute(const Node& node, std::string_view name) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  }

  /// `op` hands on its first input. A second output (a dropout's mask) is not read where it is dropped.
  void drop_identities(std::string_view op) {
    for (auto& node : program_.nodes) {
      if (node.op != op || node.inputs.empty() || is_output(node.outputs[0])) continue;
      if (node.outputs.size() > 1 && (is_output(node.outputs[1]) || !readers(node.outputs[1]).empty()))
        continue;
      for (auto* reader : readers(node.outputs[0]))
        std::replace(reader->inputs.begin(), reader->inputs.end(), node.outputs[0], node.inputs[0]);
      remove(node);
    }
  }

  /// The losses take its place: they begin with it.
  void drop_last_softmax() {
    for (auto& node : program_.nodes) {
      if ((node.op != "Softmax" && node.op != "LogSoftmax") || program_.outputs.size() != 1) continue;
      if (node.outputs[0] != program_.outputs[0].name || !readers(node.outputs[0]).empty()) continue;
      program_.outputs[0].name = node.inputs[0];
      remove(node);
    }
  }

  const net::StoredTensor* stored(const std::string& name) const {
    const auto found = program_.tensors.find(name);
    return found == program_.tensors.end() ? nullptr : &found->second;
  }

  /// MatMul and then Add of a stored vector: one Gemm. A bias of more dimensions may give the sum more.
  void join_bias() {
    for (auto& node : program_.nodes) {
      if (node.op != "MatMul" || node.inputs.size() != 2) continue;
      const auto* matrix = stored(node.inputs[1]);
      auto* next = only_reader(node);
      if (matrix == nullptr || matrix->shape.size() != 2 || next == nullptr || next->op != "Add") continue;
      const auto& bias = next->inputs[0] == node.outputs[0] ? next->inputs[1] : next->inputs[0];
      const auto* vector = stored(bias);
      if (vector == nullptr || constants_.contains(bias)) continue;
      if (vector->shape.size() != 1 || vector->shape[0] != matrix->shape[1]) continue;
      node.op = "Gemm";
      node.inputs.push_back(bias);
      node.outputs = next->outputs;
      remove(*next);
    }
  }

  /// max(max over a window, 0) is the max over the window of max(., 0), on fewer elements.
  void pool_before_relu() {
    for (auto& node : program_.nodes) {
      if (node.op != "Relu") continue;
      auto* next = only_reader(node);
      if (next == nullptr || next->op != "MaxPool" || next->outputs.size() != 1) continue;
      std::swap(node.op, next->op);
      std::swap(node.name, next->name);
      std::swap(node.attributes, next->attributes);
    }
  }

  void join_relu_dropout() {
    for (auto& node : program_.nodes) {
      if (node.op != "Relu") continue;
      auto* next = only_reader(node);
      if (next == nullptr || next->op != "Dropout") continue;
      next->op = relu_dropout_operator;
      next->inputs[0] = node.inputs[0];
      remove(node);
    }
  }

  /// Of a weight that nothing else reads, since its columns change their order.
  void join_flatten_gemm() {
    for (auto& node : program_.nodes) {
      if (node.op != "Flatten" || node.attribute<std::int64_t>("axis", 1) != 1) continue;
      auto* next = only_reader(node);
      if (next == nullptr || next->op != "Gemm" || next->inputs.size() < 2) continue;
      if (next->inputs[0] != node.outputs[0] || next->attribute<std::int64_t>("transB", 0) == 0) continue;
      if (stored(next->inputs[1]) == nullptr || readers(next->inputs[1]).size() != 1) continue;
      next->op = flatten_gemm_operator;
      next->inputs[0] = node.inputs[0];
      remove(node);
    }
  }

  net::Program program_;
  std::set<std::string, std::less<>> constants_;
};

}  // namespace

Simplified simplify(net::Program program) { return Simplifier(std::move(program)).run(); }

Simplified simplify_for_inference(net::Program program) {
  return Simplifier(std::move(program)).run_for_inference();
}

}  // namespace neph::engine::torch_plugin
