#include "net/layer_work.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "net/net.hpp"

namespace neph::net {
namespace {

Status check_is_known(const Network& network) {
  const auto& totals = network.totals;
  std::vector<std::string_view> open;
  if (!totals.macs) open.emplace_back("macs");
  if (!totals.activations || !totals.input_bytes || !totals.output_bytes) open.emplace_back("activations");
  open.insert(open.end(), totals.at_least.begin(), totals.at_least.end());
  if (!open.empty())
    return fail(ErrorCode::unsupported, "not all of its work is known ({})", fmt::join(open, ", "));
  if (network.inputs.empty() || !network.inputs.front().shape)
    return fail(ErrorCode::unsupported, "the file does not tell the shape of its input");
  return {};
}

LayerWork work_of(const Layer& layer, double pictures) {
  const auto macs = static_cast<double>(*layer.macs), outputs = static_cast<double>(*layer.activations);
  LayerWork work{
      .kind = layer.kind,
      .macs = macs / pictures,
      .moved_bytes =
          (static_cast<double>(*layer.input_bytes) + static_cast<double>(*layer.output_bytes)) / pictures,
      .weight_bytes = static_cast<double>(layer.weight_bytes)};
  if (layer.outputs.empty() || !layer.outputs.front() || layer.outputs.front()->size() < 2 || !(outputs > 0))
    return work;
  work.channels = std::max(1.0, static_cast<double>(layer.outputs.front()->at(1)));
  work.positions = std::max(1.0, outputs / pictures / work.channels);
  if (macs > 0) work.summands = macs / outputs;
  return work;
}

}  // namespace

Result<NetworkWork> work_per_picture(const Network& network) {
  NEPH_CHECK(check_is_known(network));
  const auto pictures = static_cast<double>(network.batch);
  NetworkWork work{.layers = {},
                   .parameters = static_cast<double>(network.totals.parameters),
                   .input_bytes = sizeof(float) / pictures,
                   .depth = static_cast<double>(network.totals.depth)};
  for (const auto& layer : network.layers) {
    const bool moves_nothing = layer.kind == Kind::movement && layer.op != "Concat";
    if (moves_nothing || layer.kind == Kind::control || layer.runs == 0) continue;
    work.layers.push_back(work_of(layer, pictures));
  }
  for (const auto dimension : *network.inputs.front().shape)
    work.input_bytes *= static_cast<double>(std::max<std::int64_t>(1, dimension));
  return work;
}

}  // namespace neph::net
