// Inception-ResNet-v2: Szegedy, Ioffe, Vanhoucke, Alemi, "Inception-v4, Inception-ResNet and the Impact of
// Residual Connections on Learning", AAAI 2017, with Inception-v3's stem, as TensorFlow and Keras have it.
// The factor that scales a residual is taken to be part of the weights of the convolution before it.
#include "net/builders/family.hpp"
#include "net/builders/inception_parts.hpp"

namespace neph::net {
namespace {

using Branches = std::vector<std::vector<ConvSpec>>;

/// Branches side by side, brought back to the block's channels and added to its input.
Value residual(Graph& graph, const std::string& name, const Value& x, const Branches& branches) {
  InceptionModule module(graph, name);
  for (const auto& branch : branches) module.branch(x, branch);
  const auto up =
      graph.conv(name + ".up", module.joined(), {.filters = graph.channels(x), .kernel = 1, .bias = true});
  return graph.add(name + ".add", up, x);
}

Value blocks(Graph& graph, const std::string& name, int count, Value x, const Branches& branches) {
  for (int i = 1; i <= count; ++i) {
    const auto block = fmt::format("{}_{}", name, i);
    x = graph.relu(block + ".relu", residual(graph, block, x, branches));
  }
  return x;
}

Value first_module(Graph& graph, const Value& x) {
  InceptionModule module(graph, "mixed5b");
  module.branch(x, {unit(96, 1)});
  module.branch(x, {unit(48, 1), unit(64, 5)});
  module.branch(x, {unit(64, 1), unit(96, 3), unit(96, 3)});
  module.branch(module.averaged(x), {unit(64, 1)});
  return module.joined();
}

Value reduction(Graph& graph, const std::string& name, const Value& x, const Branches& branches) {
  InceptionModule module(graph, name);
  for (const auto& branch : branches) module.branch(x, branch);
  module.add(module.pooled(x));
  return module.joined();
}

Value inception_resnet_v2(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = first_module(graph, inception_stem(graph, picture));
  x = blocks(graph, "block35", 10, x,
             {{unit(32, 1)}, {unit(32, 1), unit(32, 3)}, {unit(32, 1), unit(48, 3), unit(64, 3)}});
  x = reduction(graph, "mixed6a", x, {{narrowing(384, 2)}, {unit(256, 1), unit(256, 3), narrowing(384, 2)}});
  const Branches block8{{unit(192, 1)}, {unit(192, 1), unit(224, {1, 3}), unit(256, {3, 1})}};
  x = blocks(graph, "block17", 20, x, {{unit(192, 1)}, {unit(128, 1), unit(160, {1, 7}), unit(192, {7, 1})}});
  x = reduction(graph, "mixed7a", x,
                {{unit(256, 1), narrowing(384, 2)},
                 {unit(256, 1), narrowing(288, 2)},
                 {unit(256, 1), unit(288, 3), narrowing(320, 2)}});
  x = residual(graph, "block8_10", blocks(graph, "block8", 9, x, block8), block8);
  x = InceptionModule(graph, "conv7b").chain(x, {unit(1536, 1)});
  return graph.dense("fc", graph.flatten("flatten", graph.global_average_pool("avgpool", x)), classes);
}

}  // namespace

std::vector<Recipe> inception_resnets() {
  return {{.name = "inceptionresnetv2",
           .title = "Inception-ResNet-v2 (Szegedy et al. 2017), with Inception-v3's stem",
           .classes = 1000,
           .side = 299,
           .layers = inception_resnet_v2}};
}

}  // namespace neph::net
