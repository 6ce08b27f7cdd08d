// Residual networks as the measurements of PROFET have them (profet_cnn.cpp): batch norm and ReLU come before
// each convolution (He, Zhang, Ren, Sun, "Identity Mappings in Deep Residual Networks", ECCV 2016), a
// bottleneck's stride is in its first convolution, and ResNetSmall has 1x1 convolutions alone.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

ConvSpec conv(std::int64_t filters, std::int64_t kernel, std::int64_t stride = 1) {
  return {.filters = filters, .kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = true};
}

Value norm_relu(Graph& graph, const std::string& name, const Value& x) {
  return graph.relu(name + ".relu", graph.batch_norm(name + ".bn", x));
}

/// Convolutions behind each other, each with batch norm and ReLU before it, added to the input: the input
/// itself, or where the shapes differ a 1x1 convolution of what the first of them sees.
Value pre_activated(Graph& graph, const std::string& block, const Value& x,
                    const std::vector<ConvSpec>& specs) {
  const auto& first = specs.front();
  const auto filters = specs.back().filters;
  auto inner = norm_relu(graph, block + ".1", x);
  const auto straight = graph.channels(x) == filters && first.stride.height == 1
                            ? x
                            : graph.conv(block + ".shortcut", inner, conv(filters, 1, first.stride.height));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (i > 0) inner = norm_relu(graph, fmt::format("{}.{}", block, i + 1), inner);
    inner = graph.conv(fmt::format("{}.conv{}", block, i + 1), inner, specs[i]);
  }
  return graph.add(block + ".add", inner, straight);
}

Value stem(Graph& graph, const Value& picture) {
  const auto x = norm_relu(graph, "stem", graph.conv("conv1", picture, conv(64, 7, 2)));
  return graph.max_pool("pool1", x, {.kernel = 3, .stride = 2, .padding = 1});
}

Value classified(Graph& graph, const Value& x, std::int64_t classes) {
  return graph.dense("fc", graph.flatten("flatten", graph.global_average_pool("avgpool", x)), classes);
}

using Blocks = std::array<int, 4>;

Value resnet(const Blocks& blocks, bool bottleneck, Graph& graph, const Value& picture,
             std::int64_t classes) {
  auto x = stem(graph, picture);
  std::int64_t filters = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage, filters *= 2) {
    for (int i = 0; i < blocks[stage]; ++i) {
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      const auto specs = bottleneck
                             ? std::vector{conv(filters, 1, stride), conv(filters, 3), conv(4 * filters, 1)}
                             : std::vector{conv(filters, 3, stride), conv(filters, 3)};
      x = pre_activated(graph, fmt::format("layer{}.{}", stage + 1, i), x, specs);
    }
  }
  return classified(graph, norm_relu(graph, "last", x), classes);
}

/// Two 1x1 convolutions with batch norms, added to the input.
Value small_block(Graph& graph, const std::string& block, const Value& x, std::int64_t filters,
                  std::int64_t stride) {
  const auto unit = [&](const std::string& name, const Value& from, std::int64_t step) {
    return graph.batch_norm(name + ".bn", graph.conv(name, from, conv(filters, 1, step)));
  };
  const auto inner = graph.relu(block + ".relu1", unit(block + ".conv1", x, stride));
  const auto straight = stride == 1 ? x : unit(block + ".shortcut", x, stride);
  return graph.relu(block + ".relu2", graph.add(block + ".add", unit(block + ".conv2", inner, 1), straight));
}

Value resnet_small(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = small_block(graph, "block1", stem(graph, picture), 64, 2);
  x = small_block(graph, "block2", x, 64, 1);
  x = small_block(graph, "block3", x, 128, 2);
  return classified(graph, small_block(graph, "block4", x, 128, 1), classes);
}

Recipe recipe(std::string name, std::string title, decltype(Recipe::layers) layers) {
  return {.name = "profet-" + std::move(name),
          .title = std::move(title) + " of PROFET's measurements",
          .classes = 1000,
          .side = 224,
          .layers = std::move(layers)};
}

Recipe deep(int layers, const Blocks& blocks, bool bottleneck) {
  return recipe(fmt::format("resnet{}", layers), fmt::format("ResNet-{} with pre-activation", layers),
                [blocks, bottleneck](Graph& graph, const Value& picture, std::int64_t classes) {
                  return resnet(blocks, bottleneck, graph, picture, classes);
                });
}

}  // namespace

std::vector<Recipe> profet_resnets() {
  return {deep(18, {2, 2, 2, 2}, false), deep(34, {3, 4, 6, 3}, false), deep(50, {3, 4, 6, 3}, true),
          recipe("resnetsmall", "Small ResNet of 1x1 convolutions", resnet_small)};
}

}  // namespace neph::net
