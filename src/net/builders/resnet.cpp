// ResNet-18 to -152: He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", CVPR 2016, Table 1,
// with the stride of a bottleneck in its 3x3 convolution ("v1.5", as torchvision and MLPerf have it) and with
// their layer names.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

constexpr std::int64_t kExpansion =
    4;  // the last convolution of a bottleneck has 4 times the others' filters

struct Depth {
  std::int64_t layers;  ///< convolutions and dense layers on the longest path
  bool bottleneck;
  std::array<std::int64_t, 4> blocks;  ///< per stage
};

Value conv_norm(Graph& graph, const std::string& conv, const std::string& norm, const Value& x,
                const ConvSpec& spec) {
  return graph.batch_norm(norm, graph.conv(conv, x, spec));
}

/// The block's input, brought to its output's shape where that differs.
Value shortcut(Graph& graph, const std::string& block, const Value& x, std::int64_t filters,
               std::int64_t stride) {
  if (stride == 1 && graph.channels(x) == filters) return x;
  return conv_norm(graph, block + ".downsample.0", block + ".downsample.1", x,
                   {.filters = filters, .stride = stride});
}

/// 3x3, 3x3.
Value basic_branch(Graph& graph, const std::string& block, const Value& x, std::int64_t filters,
                   std::int64_t stride) {
  const ConvSpec first{.filters = filters, .kernel = 3, .stride = stride, .padding = 1};
  const ConvSpec second{.filters = filters, .kernel = 3, .padding = 1};
  const auto inner =
      graph.relu(block + ".relu1", conv_norm(graph, block + ".conv1", block + ".bn1", x, first));
  return conv_norm(graph, block + ".conv2", block + ".bn2", inner, second);
}

/// 1x1 to fewer channels, 3x3, 1x1 to more.
Value bottleneck_branch(Graph& graph, const std::string& block, const Value& x, std::int64_t filters,
                        std::int64_t stride) {
  const ConvSpec middle{.filters = filters, .kernel = 3, .stride = stride, .padding = 1};
  auto inner = conv_norm(graph, block + ".conv1", block + ".bn1", x, {.filters = filters});
  inner = conv_norm(graph, block + ".conv2", block + ".bn2", graph.relu(block + ".relu1", inner), middle);
  inner = graph.relu(block + ".relu2", inner);
  return conv_norm(graph, block + ".conv3", block + ".bn3", inner, {.filters = filters * kExpansion});
}

/// The branch comes first in the sum: seeded weights find the last batch norm of a block by that
/// (weights.cpp).
Value residual_block(Graph& graph, const Depth& depth, const std::string& block, const Value& x,
                     std::int64_t filters, std::int64_t stride) {
  const auto branch = depth.bottleneck ? bottleneck_branch(graph, block, x, filters, stride)
                                       : basic_branch(graph, block, x, filters, stride);
  const auto straight = shortcut(graph, block, x, depth.bottleneck ? filters * kExpansion : filters, stride);
  return graph.relu(block + ".relu", graph.add(block + ".add", branch, straight));
}

Value resnet(const Depth& depth, Graph& graph, const Value& picture, std::int64_t classes) {
  const ConvSpec stem{.filters = 64, .kernel = 7, .stride = 2, .padding = 3};
  auto x = graph.relu("relu", conv_norm(graph, "conv1", "bn1", picture, stem));
  x = graph.max_pool("maxpool", x, {.kernel = 3, .stride = 2, .padding = 1});
  std::int64_t filters = 64;
  for (std::size_t stage = 0; stage < depth.blocks.size(); ++stage, filters *= 2)
    for (std::int64_t i = 0; i < depth.blocks[stage]; ++i)
      x = residual_block(graph, depth, fmt::format("layer{}.{}", stage + 1, i), x, filters,
                         stage > 0 && i == 0 ? 2 : 1);
  return graph.dense("fc", graph.flatten("flatten", graph.global_average_pool("avgpool", x)), classes);
}

}  // namespace

std::vector<Recipe> resnets() {
  constexpr std::array<Depth, 5> depths{{{18, false, {2, 2, 2, 2}},
                                         {34, false, {3, 4, 6, 3}},
                                         {50, true, {3, 4, 6, 3}},
                                         {101, true, {3, 4, 23, 3}},
                                         {152, true, {3, 8, 36, 3}}}};
  std::vector<Recipe> recipes;
  for (const auto& depth : depths)
    recipes.push_back(
        {.name = fmt::format("resnet{}", depth.layers),
         .title = fmt::format(
             "ResNet-{} (He et al. 2016), {}", depth.layers,
             depth.bottleneck ? "bottlenecks with the stride in the 3x3 convolution" : "basic blocks"),
         .classes = 1000,
         .side = 224,
         .layers = [depth](Graph& graph, const Value& picture, std::int64_t classes) {
           return resnet(depth, graph, picture, classes);
         }});
  return recipes;
}

}  // namespace neph::net
