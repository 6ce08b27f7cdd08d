#include "workload/infer/vocabulary.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "net/net.hpp"

namespace neph::workload {
namespace {

/// Hands integers on as they are.
bool hands_on(std::string_view op) {
  constexpr std::array same{std::string_view("Cast"),    std::string_view("Identity"),
                            std::string_view("Reshape"), std::string_view("Squeeze"),
                            std::string_view("Flatten"), std::string_view("Unsqueeze"),
                            std::string_view("Slice"),   std::string_view("Transpose")};
  return std::ranges::find(same, op) != same.end();
}

/// The dimension that a Gather takes from; nothing: its file says one that there is not.
std::optional<std::size_t> axis_of(const net::Layer& gather, std::size_t rank) {
  const auto found = gather.attributes.find("axis");
  const auto* said = found == gather.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  const auto axis = said == nullptr ? 0 : *said < 0 ? *said + static_cast<std::int64_t>(rank) : *said;
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

/// The table of a Gather whose data are stored and whose indices are computed; 0: it is another Gather.
std::int64_t entries_of(const net::Layer& layer) {
  if (layer.op != "Gather" || layer.inputs.size() != 1) return 0;
  for (const auto& weight : layer.weights)
    if (const auto axis = axis_of(layer, weight.shape.size()); weight.trained && axis)
      return weight.shape[*axis];
  return 0;
}

}  // namespace

std::map<std::string, std::int64_t> vocabularies(const std::filesystem::path& file) {
  std::map<std::string, std::int64_t> found;
  if (file.extension() != ".onnx") return found;
  const auto network = net::read_onnx(file);
  if (!network) return found;  // the engine has read it, which is what counts
  for (const auto& input : network->inputs) {
    std::set<std::string, std::less<>> same{input.name};
    for (const auto& layer : network->layers) {  // in an order in which they can run
      if (layer.inputs.empty() || !same.contains(layer.inputs.front())) continue;
      if (hands_on(layer.op)) same.insert(layer.name);
      if (const auto entries = entries_of(layer); entries > 0) {
        auto& bound = found.try_emplace(input.name, entries).first->second;
        bound = std::min(bound, entries);
      }
    }
  }
  return found;
}

}  // namespace neph::workload
