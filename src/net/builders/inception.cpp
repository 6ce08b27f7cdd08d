// Inception-v3: Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, "Rethinking the Inception Architecture for Computer
// Vision", CVPR 2016, without its auxiliary classifier, which only training uses; modules and names as
// TensorFlow's and torchvision's.
#include "net/builders/family.hpp"
#include "net/builders/inception_parts.hpp"

namespace neph::net {
namespace {

/// Figure 5.
Value module_a(Graph& graph, const std::string& name, const Value& x, std::int64_t pooled) {
  InceptionModule module(graph, name);
  module.branch(x, {unit(64, 1)});
  module.branch(x, {unit(48, 1), unit(64, 5)});
  module.branch(x, {unit(64, 1), unit(96, 3), unit(96, 3)});
  module.branch(module.averaged(x), {unit(pooled, 1)});
  return module.joined();
}

Value reduction_a(Graph& graph, const std::string& name, const Value& x) {
  InceptionModule module(graph, name);
  module.branch(x, {narrowing(384, 2)});
  module.branch(x, {unit(64, 1), unit(96, 3), narrowing(96, 2)});
  module.add(module.pooled(x));
  return module.joined();
}

/// Figure 6, with n = 7.
Value module_b(Graph& graph, const std::string& name, const Value& x, std::int64_t inner) {
  const auto row = [](std::int64_t filters) { return unit(filters, {1, 7}); };
  const auto column = [](std::int64_t filters) { return unit(filters, {7, 1}); };
  InceptionModule module(graph, name);
  module.branch(x, {unit(192, 1)});
  module.branch(x, {unit(inner, 1), row(inner), column(192)});
  module.branch(x, {unit(inner, 1), column(inner), row(inner), column(inner), row(192)});
  module.branch(module.averaged(x), {unit(192, 1)});
  return module.joined();
}

Value reduction_b(Graph& graph, const std::string& name, const Value& x) {
  InceptionModule module(graph, name);
  module.branch(x, {unit(192, 1), narrowing(320, 2)});
  module.branch(x, {unit(192, 1), unit(192, {1, 7}), unit(192, {7, 1}), narrowing(192, 2)});
  module.add(module.pooled(x));
  return module.joined();
}

/// Figure 7: the last convolutions of two branches lie side by side.
Value module_c(Graph& graph, const std::string& name, const Value& x) {
  InceptionModule module(graph, name);
  module.branch(x, {unit(320, 1)});
  const auto middle = module.chain(x, {unit(384, 1)});
  module.branch(middle, {unit(384, {1, 3})});
  module.branch(middle, {unit(384, {3, 1})});
  const auto deep = module.chain(x, {unit(448, 1), unit(384, 3)});
  module.branch(deep, {unit(384, {1, 3})});
  module.branch(deep, {unit(384, {3, 1})});
  module.branch(module.averaged(x), {unit(192, 1)});
  return module.joined();
}

Value inceptionv3(Graph& graph, const Value& picture, std::int64_t classes) {
  auto x = inception_stem(graph, picture);
  x = module_a(graph, "mixed5b", x, 32);
  x = module_a(graph, "mixed5c", x, 64);
  x = module_a(graph, "mixed5d", x, 64);
  x = reduction_a(graph, "mixed6a", x);
  x = module_b(graph, "mixed6b", x, 128);
  x = module_b(graph, "mixed6c", x, 160);
  x = module_b(graph, "mixed6d", x, 160);
  x = module_b(graph, "mixed6e", x, 192);
  x = reduction_b(graph, "mixed7a", x);
  x = module_c(graph, "mixed7b", x);
  x = module_c(graph, "mixed7c", x);
  return graph.dense("fc", graph.flatten("flatten", graph.global_average_pool("avgpool", x)), classes);
}

}  // namespace

std::vector<Recipe> inceptions() {
  return {{.name = "inceptionv3",
           .title = "Inception-v3 (Szegedy et al. 2016), without the auxiliary classifier",
           .classes = 1000,
           .side = 299,
           .layers = inceptionv3}};
}

}  // namespace neph::net
