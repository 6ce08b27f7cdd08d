// Networks before residual connections: LeNet-5 (LeCun, Bottou, Bengio, Haffner, Proceedings of the IEEE
// 86(11), 1998; its third layer connected to all maps, with maximum pooling and ReLU, as it is built today),
// AlexNet (Krizhevsky, "One weird trick for parallelizing convolutional neural networks", 2014, as
// torchvision has it) and VGG (Simonyan, Zisserman, "Very Deep Convolutional Networks for Large-Scale Image
// Recognition", ICLR 2015, columns A, B, D, E). Dropout does nothing in inference and is left out.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

Value dense_relu(Graph& graph, const std::string& name, const Value& x, std::int64_t units) {
  return graph.relu(name + ".relu", graph.dense(name, x, units));
}

Value conv_relu(Graph& graph, const std::string& name, const Value& x, ConvSpec spec) {
  spec.bias = true;
  return graph.relu(name + ".relu", graph.conv(name, x, spec));
}

Value lenet5(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = graph.max_pool("pool1", conv_relu(graph, "conv1", picture, {.filters = 6, .kernel = 5}), {});
  x = graph.max_pool("pool2", conv_relu(graph, "conv2", x, {.filters = 16, .kernel = 5}), {});
  x = dense_relu(graph, "fc1", graph.flatten("flatten", x), 120);
  return graph.dense("fc3", dense_relu(graph, "fc2", x, 84), classes);
}

Value alexnet(Graph& graph, const Value& picture, std::int64_t classes) {
  const PoolSpec pool{.kernel = 3, .stride = 2};
  const ConvSpec first{.filters = 64, .kernel = 11, .stride = 4, .padding = 2};
  auto x = graph.max_pool("pool1", conv_relu(graph, "conv1", picture, first), pool);
  x = conv_relu(graph, "conv2", x, {.filters = 192, .kernel = 5, .padding = 2});
  x = graph.max_pool("pool2", x, pool);
  x = conv_relu(graph, "conv3", x, {.filters = 384, .kernel = 3, .padding = 1});
  x = conv_relu(graph, "conv4", x, {.filters = 256, .kernel = 3, .padding = 1});
  x = conv_relu(graph, "conv5", x, {.filters = 256, .kernel = 3, .padding = 1});
  x = dense_relu(graph, "fc1", graph.flatten("flatten", graph.max_pool("pool5", x, pool)), 4096);
  return graph.dense("fc3", dense_relu(graph, "fc2", x, 4096), classes);
}

/// Convolutions before each of the five pools.
using Depths = std::array<std::int64_t, 5>;

Value vgg(const Depths& depths, Graph& graph, const Value& picture, std::int64_t classes) {
  constexpr std::array<std::int64_t, 5> filters{64, 128, 256, 512, 512};
  auto x = picture;
  for (std::size_t block = 0; block < depths.size(); ++block) {
    for (std::int64_t i = 1; i <= depths[block]; ++i)
      x = conv_relu(graph, fmt::format("conv{}_{}", block + 1, i), x,
                    {.filters = filters[block], .kernel = 3, .padding = 1});
    x = graph.max_pool(fmt::format("pool{}", block + 1), x, {});
  }
  x = dense_relu(graph, "fc6", graph.flatten("flatten", x), 4096);
  return graph.dense("fc8", dense_relu(graph, "fc7", x, 4096), classes);
}

Recipe vgg_recipe(std::int64_t layers, const Depths& depths) {
  return {.name = fmt::format("vgg{}", layers),
          .title = fmt::format("VGG-{} (Simonyan and Zisserman 2015)", layers),
          .classes = 1000,
          .side = 224,
          .layers = [depths](Graph& graph, const Value& picture, std::int64_t classes) {
            return vgg(depths, graph, picture, classes);
          }};
}

}  // namespace

std::vector<Recipe> early_cnns() {
  return {{.name = "lenet5",
           .title = "LeNet-5 (LeCun et al. 1998), fully connected maps, maximum pooling and ReLU",
           .classes = 10,
           .side = 32,
           .channels = 1,
           .layers = lenet5},
          {.name = "alexnet",
           .title = "AlexNet (Krizhevsky 2014), one column",
           .classes = 1000,
           .side = 224,
           .layers = alexnet},
          vgg_recipe(11, {1, 1, 2, 2, 2}),
          vgg_recipe(13, {2, 2, 2, 2, 2}),
          vgg_recipe(16, {2, 2, 3, 3, 3}),
          vgg_recipe(19, {2, 2, 4, 4, 4})};
}

}  // namespace neph::net
