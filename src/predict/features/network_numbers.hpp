// What a network asks of a machine, as numbers that the methods compute with.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "net/net.hpp"

namespace neph::predict {

using net::NetworkWork;

/// Of a network by its name, however it is written ("ResNet-50", "resnet50"), or by its ONNX file.
/// `variants`: a family whose networks go first ("profet": profet-resnet50 for ResNet50); empty: none. `side`
/// 0: the network's own. Errors: not_found with the nearest name; invalid_argument (it cannot be built with
/// pictures of that side), those of work_per_picture, and those of reading a file.
Result<NetworkWork> network_work(std::string_view name, std::string_view variants, std::int64_t side);

/// Logarithms of what it has, and shares of its multiply-accumulates.
inline constexpr std::array network_features{
    "macs", "bytes moved", "parameters", "depth", "layers", "share of depthwise macs", "share of dense macs"};

/// A convolution or dense layer is a product of matrices (Chetlur et al., cuDNN: Efficient Primitives for
/// Deep Learning, 2014): positions of all pictures by channels, summed over so many products. How fast a
/// machine does one depends on these sizes.
constexpr Eigen::Index sizes_of_mean_layer = 3;

/// Of one network with pictures of one side, in a batch; zeros: of none.
struct NetworkNumbers {
  Eigen::VectorXd features;  ///< network_features
  /// Logarithms of the mean layer's channels, positions and summands. Each layer counts by the time that a
  /// roofline gives it.
  Eigen::VectorXd mean_layer;
  /// What a training step or an inference asks of a machine, in several measures. Their sums with
  /// coefficients of the machine, none below 0, are times.
  Eigen::VectorXd work;

  NetworkNumbers();
  NetworkNumbers(const NetworkWork& network, double batch);
};

/// Divides each row's work by how fast its machine does that of each term by its data sheet: rows by
/// logarithms of compute and bandwidth.
void at_speed(const Eigen::MatrixXd& log_speeds, Eigen::MatrixXd& work);

}  // namespace neph::predict
