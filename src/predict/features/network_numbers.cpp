#include "predict/features/network_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Multiply-accumulates that a machine does while it moves a byte: ridge points of a roofline
/// (Williams, Waterman, Patterson, CACM 52(4), 2009). The machine's own lies between two of them.
constexpr std::array ridge_points{2.0, 8.0, 32.0};

/// What of a machine a term's time depends on.
enum class Bound { compute, memory, both, neither };

struct Term {
  std::string name;
  Bound bound = Bound::neither;
};

const std::vector<Term>& terms() {
  static const auto all = [] {
    std::vector<Term> some{{"ordinary macs", Bound::compute},
                           {"depthwise macs", Bound::compute},
                           {"dense macs", Bound::compute},
                           {"padded macs", Bound::compute},
                           {"bytes moved", Bound::memory},
                           {"convolution weight bytes", Bound::memory},
                           {"dense weight bytes", Bound::memory},
                           {"layers"},
                           {"input bytes"},
                           {"batch"},
                           {"one"}};
    for (const double ridge : ridge_points)
      some.push_back({fmt::format("roofline at {} macs a byte", ridge), Bound::both});
    return some;
  }();
  return all;
}

/// Of `batch` pictures, in the order of terms().
std::vector<double> values_of_terms(const NetworkWork& work, double batch) {
  double convolution = 0, depthwise = 0, dense = 0, padded = 0, moved = 0, weights = 0, dense_weights = 0;
  std::array<double, ridge_points.size()> roofs{};
  for (const auto& layer : work.layers) {
    const double macs = layer.macs * batch, bytes = layer.moved_bytes * batch + layer.weight_bytes;
    const bool is_dense = layer.kind == LayerWork::Kind::dense;
    (layer.kind == LayerWork::Kind::depthwise ? depthwise : is_dense ? dense : convolution) += macs;
    if (layer.kind == LayerWork::Kind::convolution) padded += layer.padded_macs * batch;
    moved += layer.moved_bytes * batch;
    (is_dense ? dense_weights : weights) += layer.weight_bytes;
    for (std::size_t i = 0; i < roofs.size(); ++i) roofs[i] += std::max(macs, ridge_points[i] * bytes);
  }
  std::vector<double> all{convolution,
                          depthwise,
                          dense,
                          padded,
                          moved,
                          weights,
                          dense_weights,
                          static_cast<double>(work.layers.size()),
                          work.input_bytes * batch,
                          batch,
                          1};
  all.insert(all.end(), roofs.begin(), roofs.end());
  return all;
}

std::array<double, sizes_of_mean_layer> mean_layer(const NetworkWork& work, double batch) {
  std::array<double, sizes_of_mean_layer> sums{};
  double all = 0;
  for (const auto& layer : work.layers) {
    const double bytes = layer.moved_bytes * batch + layer.weight_bytes;
    const double weight = std::max(layer.macs * batch, ridge_points[1] * bytes);
    const std::array sizes{layer.channels, layer.positions * batch, layer.summands};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * std::log(sizes[i]);
    all += weight;
  }
  for (auto& sum : sums) sum /= std::max(1e-300, all);
  return sums;
}

}  // namespace

std::vector<std::string> names_of_work_terms() {
  std::vector<std::string> names;
  for (const auto& term : terms()) names.push_back(term.name);
  return names;
}

/// What a network has nothing of counts as 1, whose logarithm is 0.
NetworkNumbers::NetworkNumbers(const NetworkWork& network, double batch)
    : shares{network.depthwise_macs / std::max(1.0, network.macs),
             network.dense_macs / std::max(1.0, network.macs)},
      mean_layer(predict::mean_layer(network, batch)),
      work(values_of_terms(network, batch)) {
  const std::array quantities{network.macs * batch, network.moved_bytes * batch, network.parameters,
                              network.depth, static_cast<double>(network.layers.size())};
  std::ranges::transform(quantities, log_quantities.begin(),
                         [](double quantity) { return std::log(std::max(1.0, quantity)); });
}

MatrixXd speeds_of(const std::vector<std::string>& machines, const MachineTable& known) {
  MatrixXd speeds = MatrixXd::Zero(static_cast<Index>(machines.size()), static_cast<Index>(terms().size()));
  for (Index m = 0; m < speeds.rows(); ++m) {
    const auto device = known.device_of(machines[static_cast<std::size_t>(m)]);
    if (!device) continue;
    for (Index k = 0; k < speeds.cols(); ++k) {
      const auto bound = terms()[static_cast<std::size_t>(k)].bound;
      const double compute = bound == Bound::compute || bound == Bound::both ? device->fp32_tflops : 1;
      const double memory = bound == Bound::memory || bound == Bound::both ? device->bandwidth_gb_s : 1;
      speeds(m, k) = bound == Bound::both ? std::sqrt(compute * memory) : compute * memory;
    }
  }
  return speeds;
}

}  // namespace neph::predict
