// Add, Mul and Concat: what has more than one input.
#include <algorithm>

#include "engine/torch/elementwise.hpp"
#include "engine/torch/operand.hpp"

namespace neph::engine::torch_plugin {
namespace {

bool same_sizes(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.sizes(), b.sizes()); }

class Add final : public Layer {
 public:
  Operand left;
  Operand right;

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto& a = left.of(pass);
    const auto& b = right.of(pass);
    left_.assign(a.sizes().begin(), a.sizes().end());
    right_.assign(b.sizes().begin(), b.sizes().end());
    pass.set(outputs[0], same_sizes(a, b) ? add_alike(ops, a, ops.ordered(b, a.strides()), false)
                                          : ops.usual(ops.add(a, b)));
  }

  void backward(Pass& pass) override {
    const auto gradient = pass.take_gradient(outputs[0]);
    if (left.wants(pass)) left.give(pass, gradient.tensor, left_, false);
    if (right.wants(pass)) right.give(pass, gradient.tensor, right_, false);
  }

 private:
  Sizes left_;
  Sizes right_;
};

class Multiply final : public Layer {
 public:
  Operand left;
  Operand right;

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto& a = left.of(pass);
    const auto& b = right.of(pass);
    if (pass.training()) a_ = a, b_ = b;
    pass.set(outputs[0], ops.usual(ops.multiply(a, b)));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto gradient = pass.take_gradient(outputs[0]).tensor;
    if (left.wants(pass)) left.give(pass, ops.multiply(gradient, b_), a_.sizes(), true);
    if (right.wants(pass)) right.give(pass, ops.multiply(gradient, a_), b_.sizes(), true);
    a_ = b_ = {};
  }

 private:
  Tensor a_;
  Tensor b_;
};

class Concat final : public Layer {
 public:
  std::int64_t axis = 1;

  void forward(Pass& pass) override {
    std::vector<Tensor> parts;
    lengths_.clear();
    for (const auto slot : inputs) {
      parts.push_back(pass.value(slot));
      lengths_.push_back(parts.back().size(at(parts.back())));
    }
    pass.set(outputs[0], pass.ops().usual(pass.ops().cat(parts, axis)));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto gradient = pass.take_gradient(outputs[0]).tensor;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (pass.wants(inputs[i])) {
        const auto part = ops.narrow(gradient, static_cast<std::int64_t>(at(gradient)), begin, lengths_[i]);
        pass.give(inputs[i], ops.usual(part), inputs.size() > 1);
      }
      begin += lengths_[i];
    }
  }

 private:
  std::size_t at(const Tensor& x) const {
    return static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
  }

  Sizes lengths_;
};

template <class Kind>
Status make_pair(Builder& builder, const net::Node& node, bool overwritable, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Kind>();
  NEPH_TRY(layer->left, operand(builder, node, 0, *layer));
  NEPH_TRY(layer->right, operand(builder, node, 1, *layer));
  if (layer->inputs.empty()) return not_trained(node, "both of its inputs are stored");
  builder.output(node, *layer, overwritable);
  made = std::move(layer);
  return {};
}

}  // namespace

Status make_add(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  return make_pair<Add>(builder, node, true, made);
}

Status make_multiply(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  return make_pair<Multiply>(builder, node, true, made);
}

Status make_concat(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Concat>();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) NEPH_CHECK(builder.input(node, i, *layer));
  layer->axis = node.attribute<std::int64_t>("axis", 1);
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace neph::engine::torch_plugin
