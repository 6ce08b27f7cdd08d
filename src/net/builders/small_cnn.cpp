// The two small convolutional networks that measurements of training commonly use: the Keras examples for
// MNIST (mnist_cnn) and CIFAR-10 (cifar10_cnn). Under their plain names they are without their dropouts,
// which do nothing in inference; mnist-cnn and cifar10-cnn have them, for training. Weights of a seed are the
// same.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

Value conv_relu(Graph& graph, int number, const Value& x, std::int64_t filters, std::int64_t padding) {
  const ConvSpec spec{.filters = filters, .kernel = 3, .padding = padding, .bias = true};
  return graph.relu(fmt::format("relu{}", number), graph.conv(fmt::format("conv{}", number), x, spec));
}

enum class Dropouts { none, after_pools_and_dense };

Value dropout(Graph& graph, const std::string& name, const Value& x, double share, Dropouts dropouts) {
  return dropouts == Dropouts::none ? x : graph.dropout(name, x, share);
}

Value pool(Graph& graph, int number, const Value& x, Dropouts dropouts) {
  const auto pooled = graph.max_pool(fmt::format("pool{}", number), x, {});
  return dropout(graph, fmt::format("dropout{}", number), pooled, 0.25, dropouts);
}

/// A hidden dense layer, then one that gives the logits.
Value classify(Graph& graph, const Value& x, std::int64_t units, std::int64_t classes, Dropouts dropouts) {
  const auto hidden = graph.relu("relu_dense1", graph.dense("dense1", graph.flatten("flatten", x), units));
  return graph.dense("dense2", dropout(graph, "dropout_dense1", hidden, 0.5, dropouts), classes);
}

template <Dropouts dropouts>
Value mnist(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = conv_relu(graph, 1, picture, 32, 0);
  x = conv_relu(graph, 2, x, 64, 0);
  return classify(graph, pool(graph, 1, x, dropouts), 128, classes, dropouts);
}

template <Dropouts dropouts>
Value cifar10(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = conv_relu(graph, 1, picture, 32, 1);
  x = pool(graph, 1, conv_relu(graph, 2, x, 32, 0), dropouts);
  x = conv_relu(graph, 3, x, 64, 1);
  x = pool(graph, 2, conv_relu(graph, 4, x, 64, 0), dropouts);
  return classify(graph, x, 512, classes, dropouts);
}

Recipe of_mnist(std::string name, std::string title, decltype(Recipe::layers) layers) {
  return {.name = std::move(name),
          .title = std::move(title),
          .classes = 10,
          .side = 28,
          .channels = 1,
          .layers = std::move(layers)};
}

Recipe of_cifar10(std::string name, std::string title, decltype(Recipe::layers) layers) {
  return {.name = std::move(name),
          .title = std::move(title),
          .classes = 10,
          .side = 32,
          .layers = std::move(layers)};
}

}  // namespace

std::vector<Recipe> small_cnns() {
  constexpr auto none = Dropouts::none, all = Dropouts::after_pools_and_dense;
  return {of_mnist("mnist", "small convolutional network for MNIST's digits", mnist<none>),
          of_cifar10("cifar10", "small convolutional network for CIFAR-10's images", cifar10<none>),
          of_mnist("mnist-cnn", "the same as mnist with its dropouts, for training", mnist<all>),
          of_cifar10("cifar10-cnn", "the same as cifar10 with its dropouts, for training", cifar10<all>)};
}

}  // namespace neph::net
