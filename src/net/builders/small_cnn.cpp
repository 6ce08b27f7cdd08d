// The two small convolutional networks that measurements of training commonly use: the Keras examples for
// MNIST (mnist_cnn) and CIFAR-10 (cifar10_cnn), without their dropout, which does nothing in inference.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

Value conv_relu(Graph& graph, int number, const Value& x, std::int64_t filters, std::int64_t padding) {
  const ConvSpec spec{.filters = filters, .kernel = 3, .padding = padding, .bias = true};
  return graph.relu(fmt::format("relu{}", number), graph.conv(fmt::format("conv{}", number), x, spec));
}

/// A hidden dense layer, then one that gives the logits.
Value classify(Graph& graph, const Value& x, std::int64_t units, std::int64_t classes) {
  const auto hidden = graph.relu("relu_dense1", graph.dense("dense1", graph.flatten("flatten", x), units));
  return graph.dense("dense2", hidden, classes);
}

Value mnist(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = conv_relu(graph, 1, picture, 32, 0);
  x = conv_relu(graph, 2, x, 64, 0);
  return classify(graph, graph.max_pool("pool1", x, {}), 128, classes);
}

Value cifar10(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = conv_relu(graph, 1, picture, 32, 1);
  x = conv_relu(graph, 2, x, 32, 0);
  x = graph.max_pool("pool1", x, {});
  x = conv_relu(graph, 3, x, 64, 1);
  x = conv_relu(graph, 4, x, 64, 0);
  return classify(graph, graph.max_pool("pool2", x, {}), 512, classes);
}

}  // namespace

std::vector<Recipe> small_cnns() {
  return {{.name = "mnist",
           .title = "small convolutional network for MNIST's digits",
           .classes = 10,
           .side = 28,
           .channels = 1,
           .layers = mnist},
          {.name = "cifar10",
           .title = "small convolutional network for CIFAR-10's images",
           .classes = 10,
           .side = 32,
           .layers = cifar10}};
}

}  // namespace neph::net
