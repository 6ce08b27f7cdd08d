// A network put together tensor by tensor and node by node, in an order in which it can run: the one way to a
// Network, for builders and for files. Figures follow from the operators' rules (operator.hpp).
#pragma once

#include <string>
#include <unordered_map>

#include "net/operator.hpp"

namespace neph::net {

class Assembly {
 public:
  Assembly(std::string name, std::int64_t opset);

  /// An input of the network. A name may be given once. Errors: corrupt.
  Status add_input(const std::string& name, MaybeShape shape, int type);
  /// A tensor that the file holds.
  Status add_stored(const std::string& name, Tensor tensor);
  /// What the file says of a tensor that a later node makes; used where the operator's rule leaves it open.
  void state_shape(const std::string& name, MaybeShape shape, int type);
  /// A node whose inputs are all there already. Errors: corrupt (an input that nothing makes, an output made
  /// twice, shapes that contradict each other).
  Status add_node(const Node& node);
  /// The network with its totals; `outputs` are names of tensors. Errors: corrupt (nothing makes an output).
  Result<Network> finish(const std::vector<std::string>& outputs) &&;

  /// What is known of a tensor; nothing if there is none of that name.
  const Tensor* find(const std::string& name) const;

 private:
  struct Known {
    Tensor tensor;
    std::string maker;     ///< layer or input of the network; empty: stored
    bool counted = false;  ///< a stored tensor that a layer has already listed
  };

  Status add_known(const std::string& name, Known known);
  Status list_weights(const Node& node, const Operator* op, Layer& layer);
  Status list_inputs(const Node& node, Layer& layer) const;
  Status list_outputs(const Node& node, Effect effect, Layer& layer);
  Status sum_up();

  Network network_;
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::string, Tensor> stated_;
};

}  // namespace neph::net
