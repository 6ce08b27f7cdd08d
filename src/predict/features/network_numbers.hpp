// What a network asks of a machine, as numbers that the methods compute with.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "predict/features/machines.hpp"
#include "predict/features/network_work.hpp"

namespace neph::predict {

/// Positive, in this order.
constexpr std::array network_quantities{"macs", "bytes moved", "parameters", "depth", "layers"};
constexpr std::array network_shares{"share of depthwise macs", "share of dense macs"};

/// A convolution or dense layer is a product of matrices (Chetlur et al., cuDNN: Efficient Primitives for
/// Deep Learning, 2014): positions of all pictures by channels, summed over so many products. How fast a
/// machine does one depends on these sizes.
constexpr std::size_t sizes_of_mean_layer = 3;

/// Names of the work terms: what a training step or an inference asks of a machine, in several measures.
/// Their sums with coefficients of the machine, none below 0, are times.
std::vector<std::string> names_of_work_terms();

/// Of one network with pictures of one side, in a batch.
struct NetworkNumbers {
  std::array<double, network_quantities.size()> log_quantities{};
  std::array<double, network_shares.size()> shares{};
  /// Logarithms of the mean layer's channels, positions and summands. Each layer counts by the time that a
  /// roofline gives it.
  std::array<double, sizes_of_mean_layer> mean_layer{};
  std::vector<double> work;  ///< in the order of names_of_work_terms()

  NetworkNumbers() : work(names_of_work_terms().size()) {}
  NetworkNumbers(const NetworkWork& network, double batch);
};

/// How fast each machine does the work of each term by its data sheet, up to a factor that all terms share:
/// machines by terms; a row of zeros where nothing is known.
Eigen::MatrixXd speeds_of(const std::vector<std::string>& machines, const MachineTable& known);

}  // namespace neph::predict
