#include "net/net.hpp"

namespace neph::net {

double bytes_moved(const Network& network, std::int64_t batch) {
  const auto activations =
      static_cast<double>(network.totals.input_bytes) + static_cast<double>(network.totals.output_bytes);
  const auto pictures =
      static_cast<double>(batch) / static_cast<double>(network.batch > 0 ? network.batch : 1);
  return static_cast<double>(network.totals.weight_bytes) + pictures * activations;
}

}  // namespace neph::net
