#include "predict/features/network_numbers.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Multiply-accumulates that a machine does while it moves a byte: ridge points of a roofline
/// (Williams, Waterman, Patterson, CACM 52(4), 2009). The machine's own lies between two of them.
const Eigen::Array3d ridge_points{2.0, 8.0, 32.0};

/// Matrix units compute tiles of so many output channels and summands, full or not (NVIDIA, Matrix
/// Multiplication Background User's Guide, "Tile Quantization").
constexpr double tile_channels = 64, tile_summands = 32;

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

/// How much more a tile does than it is asked for.
double filled_up(double count, double tile) { return std::ceil(count / tile) * tile / count; }

/// Powers of a machine's compute and bandwidth that say how fast it does a term of work.
struct Speed {
  double compute = 0, memory = 0;
};

/// In the order of NetworkNumbers::work: multiply-accumulates, bytes, what every layer, picture and batch
/// costs, and a roofline at each ridge point.
constexpr std::array<Speed, 14> speeds_of_terms{{{1, 0},
                                                 {1, 0},
                                                 {1, 0},
                                                 {1, 0},
                                                 {0, 1},
                                                 {0, 1},
                                                 {0, 1},
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 {0.5, 0.5},
                                                 {0.5, 0.5},
                                                 {0.5, 0.5}}};

/// Of matrices.
bool is_product(net::Kind kind) {
  return kind == net::Kind::dense || kind == net::Kind::product || kind == net::Kind::recurrent;
}

double bytes_of(const net::LayerWork& layer, double batch) {
  return layer.moved_bytes * batch + layer.weight_bytes;
}

VectorXd mean_layer(const NetworkWork& work, double batch) {
  VectorXd sums = VectorXd::Zero(sizes_of_mean_layer);
  double all = 0;
  for (const auto& layer : work.layers) {
    const double weight = std::max(layer.macs * batch, ridge_points[1] * bytes_of(layer, batch));
    const Eigen::Array3d sizes(layer.channels, layer.positions * batch, layer.summands);
    sums += weight * sizes.log().matrix();
    all += weight;
  }
  return sums / std::max(1e-300, all);
}

}  // namespace

Result<NetworkWork> network_work(std::string_view name, std::string_view variants, std::int64_t side) {
  NEPH_TRY(const auto network, network_called(name, variants, side));
  auto work = net::work_per_picture(network);
  if (work) return work;
  work.error().add_hint(
      fmt::format("neph net {} shows what is missing. --side COLUMN gives the side of its pictures; without "
                  "--network the other columns predict alone",
                  name));
  return fail_in(name, work.error());
}

NetworkNumbers::NetworkNumbers()
    : features(VectorXd::Zero(std::ssize(network_features))),
      mean_layer(VectorXd::Zero(sizes_of_mean_layer)),
      work(VectorXd::Zero(std::ssize(speeds_of_terms))) {}

NetworkNumbers::NetworkNumbers(const NetworkWork& network, double batch)
    : mean_layer(predict::mean_layer(network, batch)) {
  double convolution = 0, depthwise = 0, dense = 0, padded = 0, moved = 0, weights = 0, dense_weights = 0;
  Eigen::Array3d roofs = Eigen::Array3d::Zero();
  for (const auto& layer : network.layers) {
    const double macs = layer.macs * batch;
    const bool is_dense = is_product(layer.kind);
    (layer.kind == net::Kind::depthwise ? depthwise : is_dense ? dense : convolution) += macs;
    if (layer.kind == net::Kind::convolution)
      padded += macs * filled_up(layer.channels, tile_channels) * filled_up(layer.summands, tile_summands);
    moved += layer.moved_bytes * batch;
    (is_dense ? dense_weights : weights) += layer.weight_bytes;
    roofs += (ridge_points * bytes_of(layer, batch)).max(macs);
  }
  const auto layers = static_cast<double>(network.layers.size());
  work.resize(std::ssize(speeds_of_terms));
  work << convolution, depthwise, dense, padded, moved, weights, dense_weights, layers,
      network.input_bytes * batch, batch, 1, roofs;
  const double macs = std::max(1.0, convolution + depthwise + dense);
  Eigen::ArrayXd quantities(5);
  quantities << macs, moved, network.parameters, network.depth, layers;
  features.resize(std::ssize(network_features));
  // What a network has nothing of counts as 1, whose logarithm is 0.
  features << quantities.max(1).log(), depthwise / macs, dense / macs;
}

void at_speed(const MatrixXd& log_speeds, MatrixXd& work) {
  for (Index k = 0; k < work.cols(); ++k) {
    const auto [compute, memory] = speeds_of_terms.at(static_cast<std::size_t>(k));
    work.col(k).array() *= (-compute * log_speeds.col(0) - memory * log_speeds.col(1)).array().exp();
  }
}

}  // namespace neph::predict
