// Networks as the measurements of PROFET have them (Lee, Lee, Lee, Park, "PROFET: Profiling-based CNN
// Training Latency Prophet for GPU Cloud Instances", arXiv 2208.05130; the layers are facts from its public
// repository): what differs from the published networks of the same names. "Same" padding keeps the picture's
// size where the stride is 1.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

ConvSpec conv(std::int64_t filters, std::int64_t kernel, std::int64_t padding = 0) {
  return {.filters = filters, .kernel = kernel, .padding = padding, .bias = true};
}

Value conv_relu(Graph& graph, const std::string& name, const Value& x, const ConvSpec& spec) {
  return graph.relu(name + ".relu", graph.conv(name, x, spec));
}

Value lenet5(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = graph.max_pool("pool1", conv_relu(graph, "conv1", picture, conv(6, 5)), {});
  x = graph.max_pool("pool2", conv_relu(graph, "conv2", x, conv(16, 5)), {});
  x = graph.relu("relu3", graph.dense("fc1", graph.flatten("flatten", x), 120));
  return graph.dense("fc3", graph.relu("relu4", graph.dense("fc2", x, 84)), classes);
}

Value mnist_cnn(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = graph.max_pool("pool1", conv_relu(graph, "conv1", picture, conv(32, 3)), {});
  x = graph.max_pool("pool2", conv_relu(graph, "conv2", x, conv(64, 3)), {});
  return graph.dense("fc", graph.flatten("flatten", x), classes);
}

Value cifar10_cnn(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = conv_relu(graph, "conv1", picture, conv(32, 3, 1));
  x = graph.max_pool("pool1", conv_relu(graph, "conv2", x, conv(32, 3)), {});
  x = conv_relu(graph, "conv3", x, conv(64, 3, 1));
  x = graph.max_pool("pool2", conv_relu(graph, "conv4", x, conv(64, 3)), {});
  x = graph.relu("relu5", graph.dense("fc1", graph.flatten("flatten", x), 512));
  return graph.dense("fc2", x, classes);
}

/// Stride 1 in every convolution, so far heavier than the published one.
Value alexnet(Graph& graph, const Value& picture, std::int64_t classes) {
  int number = 0;
  const auto stage = [&](const Value& x, const ConvSpec& spec) {
    const auto name = fmt::format("conv{}", ++number);
    return graph.relu(name + ".relu", graph.batch_norm(name + ".bn", graph.conv(name, x, spec)));
  };
  const auto pool = [&](const Value& x) { return graph.max_pool(fmt::format("pool{}", number), x, {}); };
  const auto dense = [&](const Value& x, std::int64_t units) {
    const auto name = fmt::format("fc{}", ++number);
    return graph.batch_norm(name + ".bn", graph.dense(name, x, units));
  };
  auto x = pool(stage(picture, conv(96, 11, 5)));
  x = pool(stage(x, conv(256, 5, 2)));
  x = pool(stage(x, conv(512, 3, 2)));  // zeros around the picture, then "same" padding
  x = stage(x, conv(1024, 3, 2));
  x = pool(stage(x, conv(1024, 3, 2)));
  x = graph.relu("relu6", dense(graph.flatten("flatten", x), 3072));
  return dense(graph.relu("relu7", dense(x, 4096)), classes);
}

Recipe recipe(std::string name, std::string title, decltype(Recipe::layers) layers) {
  return {.name = "profet-" + std::move(name),
          .title = std::move(title) + " of PROFET's measurements",
          .classes = 10,
          .side = 32,
          .layers = std::move(layers)};
}

}  // namespace

std::vector<Recipe> profet_cnns() {
  return {recipe("lenet5", "LeNet-5", lenet5), recipe("mnist-cnn", "CNN for MNIST", mnist_cnn),
          recipe("cifar10-cnn", "CNN for CIFAR-10", cifar10_cnn),
          recipe("alexnet", "AlexNet with stride 1", alexnet)};
}

}  // namespace neph::net
