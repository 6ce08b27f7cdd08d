#include "profile/as_run.hpp"

#include <unordered_map>

namespace neph::profile {

std::vector<LayerAsRun> layers_as_run(const std::vector<engine::LayerTime>& ran, const net::Network& as_run) {
  std::unordered_map<std::string_view, const net::Layer*> by_name;
  for (const auto& layer : as_run.layers) by_name.try_emplace(layer.name, &layer);
  std::vector<LayerAsRun> all;
  for (const auto& layer : ran) {
    auto& known = all.emplace_back();
    const auto found = by_name.find(layer.name);
    if (found == by_name.end()) continue;
    known = {.kind = found->second->kind, .tensors = found->second->tensors};
    // ONNX Runtime's, from and to blocks of channels, are no operators of ONNX.
    known.only_moves =
        known.kind == net::Kind::movement || layer.kind == "ReorderInput" || layer.kind == "ReorderOutput";
    if (known.only_moves) known.kind = net::Kind::movement;
  }
  return all;
}

}  // namespace neph::profile
