// MobileNetV2: Sandler, Howard, Zhu, Zhmoginov, Chen, "MobileNetV2: Inverted Residuals and Linear
// Bottlenecks", CVPR 2018, Table 2.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

Value conv_norm(Graph& graph, const std::string& name, const Value& x, const ConvSpec& spec) {
  return graph.batch_norm(name + ".bn", graph.conv(name, x, spec));
}

Value conv_norm_relu6(Graph& graph, const std::string& name, const Value& x, const ConvSpec& spec) {
  return graph.relu6(name + ".relu6", conv_norm(graph, name, x, spec));
}

/// 1x1 to more channels, 3x3 for each channel, 1x1 to fewer, without an activation behind it.
Value inverted_residual(Graph& graph, const std::string& block, const Value& x, std::int64_t expansion,
                        std::int64_t filters, std::int64_t stride) {
  const auto wide = graph.channels(x) * expansion;
  auto inner = expansion == 1 ? x : conv_norm_relu6(graph, block + ".expand", x, {.filters = wide});
  inner = conv_norm_relu6(graph, block + ".depthwise", inner,
                          {.filters = wide, .kernel = 3, .stride = stride, .padding = 1, .groups = wide});
  inner = conv_norm(graph, block + ".project", inner, {.filters = filters});
  return stride == 1 && graph.channels(x) == filters ? graph.add(block + ".add", inner, x) : inner;
}

Value mobilenetv2(Graph& graph, const Value& picture, std::int64_t classes) {
  struct Stage {
    std::int64_t expansion, filters, blocks, stride;
  };
  constexpr std::array<Stage, 7> stages{{{1, 16, 1, 1},
                                         {6, 24, 2, 2},
                                         {6, 32, 3, 2},
                                         {6, 64, 4, 2},
                                         {6, 96, 3, 1},
                                         {6, 160, 3, 2},
                                         {6, 320, 1, 1}}};
  auto x = conv_norm_relu6(graph, "conv1", picture, {.filters = 32, .kernel = 3, .stride = 2, .padding = 1});
  int number = 0;
  for (const auto& stage : stages)
    for (std::int64_t i = 0; i < stage.blocks; ++i)
      x = inverted_residual(graph, fmt::format("block{}", ++number), x, stage.expansion, stage.filters,
                            i == 0 ? stage.stride : 1);
  x = conv_norm_relu6(graph, "conv_last", x, {.filters = 1280});
  return graph.dense("fc", graph.flatten("flatten", graph.global_average_pool("avgpool", x)), classes);
}

}  // namespace

std::vector<Recipe> mobilenets() {
  return {{.name = "mobilenetv2",
           .title = "MobileNetV2 (Sandler et al. 2018), width 1.0",
           .classes = 1000,
           .side = 224,
           .layers = mobilenetv2}};
}

}  // namespace neph::net
