// What Inception networks are put together from: convolutions with batch norm and ReLU, and modules whose
// branches are joined side by side.
#pragma once

#include <string>
#include <vector>

#include "net/graph.hpp"

namespace neph::net {

/// Keeps the picture's size.
inline ConvSpec unit(std::int64_t filters, Extent kernel) {
  return {.filters = filters, .kernel = kernel, .padding = {kernel.height / 2, kernel.width / 2}};
}
/// 3x3 without padding.
inline ConvSpec narrowing(std::int64_t filters, std::int64_t stride) {
  return {.filters = filters, .kernel = 3, .stride = stride};
}

class InceptionModule {
 public:
  InceptionModule(Graph& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  /// Convolutions one behind the other, each with batch norm and ReLU.
  Value chain(Value x, const std::vector<ConvSpec>& convolutions) {
    for (const auto& spec : convolutions) {
      const auto name = fmt::format("{}.{}", name_, ++layers_);
      x = graph_.relu(name + ".relu", graph_.batch_norm(name + ".bn", graph_.conv(name + ".conv", x, spec)));
    }
    return x;
  }
  void branch(const Value& x, const std::vector<ConvSpec>& convolutions) {
    branches_.push_back(chain(x, convolutions));
  }
  Value averaged(const Value& x) {
    return graph_.average_pool(name_ + ".average", x, {.kernel = 3, .stride = 1, .padding = 1});
  }
  Value pooled(const Value& x) { return graph_.max_pool(name_ + ".pool", x, {.kernel = 3, .stride = 2}); }
  void add(const Value& branch) { branches_.push_back(branch); }
  Value joined() { return graph_.concat(name_ + ".concat", branches_); }

 private:
  Graph& graph_;
  std::string name_;
  int layers_ = 0;
  std::vector<Value> branches_;
};

/// The layers before the first module, the same in Inception-v3 and Inception-ResNet-v2 as Keras has them:
/// 192 channels, an eighth of the picture's side less the borders.
inline Value inception_stem(Graph& graph, const Value& picture) {
  InceptionModule first(graph, "stem1"), second(graph, "stem2");
  const auto x = first.chain(picture, {narrowing(32, 2), narrowing(32, 1), unit(64, 3)});
  return second.pooled(second.chain(first.pooled(x), {unit(80, 1), narrowing(192, 1)}));
}

}  // namespace neph::net
