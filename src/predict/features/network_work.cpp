#include "predict/features/network_work.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "net/net.hpp"

namespace neph::predict {
namespace {

/// Letters and digits alone, in lower case: what people agree on in a network's name.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

/// A file that can be read with its pictures' side left open is whole: what fails is the side.
Result<net::Network> read_with(std::int64_t side, const std::filesystem::path& file) {
  auto network = net::read_onnx(file, {.side = side});
  if (!network && side > 0 && net::read_onnx(file)) network.error().code = ErrorCode::invalid_argument;
  return network;
}

Result<net::Network> network_called(std::string_view name, std::string_view variants, std::int64_t side) {
  if (name.ends_with(".onnx")) return read_with(side, name);
  for (const auto& wanted : {std::string(variants) + std::string(name), std::string(name)})
    for (const auto& known : net::known_names())
      if (plain(known) == plain(wanted)) return net::build(known, {.side = side});
  return net::build(name, {.side = side});  // its error names the nearest one
}

LayerWork::Kind kind_of(net::Kind kind) {
  switch (kind) {
    case net::Kind::convolution:
      return LayerWork::Kind::convolution;
    case net::Kind::depthwise:
      return LayerWork::Kind::depthwise;
    case net::Kind::dense:
    case net::Kind::product:
    case net::Kind::recurrent:
      return LayerWork::Kind::dense;
    default:
      return LayerWork::Kind::other;
  }
}

/// Matrix units compute tiles of so many output channels and summands, full or not (NVIDIA, Matrix
/// Multiplication Background User's Guide, "Tile Quantization").
constexpr double tile_channels = 64, tile_summands = 32;

double filled_up(double count, double tile) { return std::ceil(count / tile) * tile; }

/// What of a network's work its file leaves open; empty where it tells all.
std::string open_figures(const net::Totals& totals) {
  std::string open;
  const auto add = [&open](std::string_view name) { open += (open.empty() ? "" : ", ") + std::string(name); };
  if (!totals.macs) add("macs");
  if (!totals.activations || !totals.input_bytes || !totals.output_bytes) add("activations");
  for (const auto& name : totals.at_least) add(name);
  return open;
}

/// Predictions take a network's work for all of it: what is unknown is refused, and does not count as 0.
Status check_is_known(const net::Network& network, std::string_view name) {
  if (const auto open = open_figures(network.totals); !open.empty())
    return fail(
        ErrorCode::unsupported,
        "{}: not all of its work is known ({}); neph net {} shows what is missing. --side COLUMN gives "
        "the side of its pictures; without --network the other columns predict alone",
        name, open, name);
  if (network.inputs.empty() || !network.inputs.front().shape)
    return fail(ErrorCode::unsupported, "{}: the file does not tell the shape of its input", name);
  return {};
}

/// With the sizes of its output, where that has its channels in the second dimension.
LayerWork work_of(const net::Layer& layer, double pictures) {
  const auto macs = static_cast<double>(*layer.macs), outputs = static_cast<double>(*layer.activations);
  LayerWork work{
      .kind = kind_of(layer.kind),
      .macs = macs / pictures,
      .padded_macs = macs / pictures,
      .moved_bytes =
          (static_cast<double>(*layer.input_bytes) + static_cast<double>(*layer.output_bytes)) / pictures,
      .weight_bytes = static_cast<double>(layer.weight_bytes)};
  if (layer.outputs.empty() || !layer.outputs.front() || layer.outputs.front()->size() < 2 || !(outputs > 0))
    return work;
  work.channels = std::max(1.0, static_cast<double>(layer.outputs.front()->at(1)));
  work.positions = std::max(1.0, outputs / pictures / work.channels);
  if (!(macs > 0)) return work;
  work.summands = macs / outputs;
  work.padded_macs *= filled_up(work.channels, tile_channels) / work.channels *
                      filled_up(work.summands, tile_summands) / work.summands;
  return work;
}

}  // namespace

Result<NetworkWork> network_work(std::string_view name, std::string_view variants, std::int64_t side) {
  NEPH_TRY(const auto network, network_called(name, variants, side));
  NEPH_CHECK(check_is_known(network, name));
  NetworkWork work;
  const auto pictures = static_cast<double>(network.batch);
  for (const auto& layer : network.layers) {
    const bool moves_nothing = layer.kind == net::Kind::movement && layer.op != "Concat";
    if (moves_nothing || layer.kind == net::Kind::control || layer.runs == 0) continue;
    const auto own = work_of(layer, pictures);
    work.macs += own.macs;
    if (own.kind == LayerWork::Kind::depthwise) work.depthwise_macs += own.macs;
    if (own.kind == LayerWork::Kind::dense) work.dense_macs += own.macs;
    work.moved_bytes += own.moved_bytes;
    work.layers.push_back(own);
  }
  work.parameters = static_cast<double>(network.totals.parameters);
  work.depth = static_cast<double>(network.totals.depth);
  double elements = 1;
  for (const auto dimension : *network.inputs.front().shape)
    elements *= static_cast<double>(std::max<std::int64_t>(1, dimension));
  work.input_bytes = 4 * elements / pictures;
  return work;
}

}  // namespace neph::predict
