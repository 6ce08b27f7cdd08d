#include "engine/torch/builder.hpp"
namespace neph::engine::torch_plugin {
Status make_gru(Builder&, const net::Node& node, std::unique_ptr<Layer>&) {
  return not_trained(node, "todo");
}
}  // namespace neph::engine::torch_plugin
