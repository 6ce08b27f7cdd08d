// A network put together tensor by tensor and node by node, in an order in which it can run: the one way to a
// Network, for builders and for files. Figures follow from the operators' rules (operator.hpp).
//
// A body (of an If, a Loop, a function) is an Assembly of its own that sees the tensors of the one around it
// by name. It changes nothing there until its layers are moved over, so that a body can be tried and dropped.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "net/figures.hpp"
#include "net/operator.hpp"

namespace neph::net {

/// A tensor and where it comes from.
struct Known {
  Tensor tensor;
  std::string maker;                  ///< layer or input of the network; empty: stored
  std::vector<const Known*> made_of;  ///< of a constant that was computed: those whose numbers it has
  std::string_view name = {};
};

class Assembly {
 public:
  Assembly(std::string name, std::int64_t opset);
  /// A body of a node of `outer`, which stays where it is; `prefix` stands before its layers' names.
  Assembly(Assembly& outer, std::string prefix);

  /// An input of the network. A name may be given once. Errors: corrupt.
  Status add_input(const std::string& name, MaybeShape shape, int type);
  /// An input of a body: `tensor`, which is `from` as far as it does not change from trip to trip.
  Status add_given(const std::string& name, Tensor tensor, const Known* from);
  /// A tensor that the file holds.
  Status add_stored(const std::string& name, Tensor tensor);
  /// What the file says of a tensor that a later node makes; used where the operator's rule leaves it open.
  void state_shape(const std::string& name, MaybeShape shape, int type);
  /// A node whose inputs are all there already. Errors: corrupt (an input that nothing makes, an output made
  /// twice; shapes that contradict each other, but in a body: see contradiction()).
  Status add_node(const NodeOutline& node);
  /// An output of a body's node, and the outputs of bodies that it comes from.
  struct Made {
    Tensor tensor;
    std::vector<const Known*> from;
  };
  /// A node whose figures are those of its bodies, which have been moved over.
  Status add_control(const NodeOutline& node, std::vector<Made> results);
  /// A node with bodies that are not read, with whatever weights they hold.
  Status add_unread(const NodeOutline& node);
  /// The network with its totals; `outputs` are names of tensors. Errors: corrupt (nothing makes an output).
  Result<Network> finish(const std::vector<std::string>& outputs) &&;

  /// What is known of a tensor, here or around; nothing if there is none of that name.
  const Known* find(const std::string& name) const;
  /// Outputs of a body by name. Errors: corrupt (nothing makes it).
  Result<std::vector<const Known*>> find_all(const std::vector<std::string>& names) const;

  /// Layers in a row: of one body that was moved over.
  struct Part {
    std::size_t first = 0;
    std::size_t last = 0;  ///< behind the last one
  };
  /// Ends a body: its layers and tensors move to the assembly around it.
  Part move_over() &&;
  /// The part's layers run so often; nothing: the file does not tell, and none counts. It is a body of the
  /// next node. Errors: corrupt (figures too large).
  Status repeat(const Part& part, std::optional<std::int64_t> runs);
  /// One of two parts runs, the file does not tell which. They are the bodies of the next node, one right
  /// behind the other.
  void leave_open(const Part& yes, const Part& no);

  /// The first node of a body whose shapes contradict each other. Whether it ever runs, the body's node
  /// knows.
  const std::optional<Error>& contradiction() const { return contradiction_; }
  /// Keeps the error of a node for the body's node; outside of bodies it is returned.
  Status contradict(const Error& error);

 private:
  using Tensors = std::unordered_map<std::string, Known>;

  Status add_known(const std::string& name, Known known);
  Result<Effect> effect_of(const NodeOutline& node, const Operator* op);
  void follow_numbers(const Call& call, Effect& effect);
  Status complete(const NodeOutline& node, Effect& effect) const;
  Status list_weight(const Known& stored, bool trained_place, Layer& layer);
  Status list_behind(const Known& constant, bool trained_place, Layer& layer);
  Status list_weights(const NodeOutline& node, const Operator* op, bool passes_on, Layer& layer);
  Status list_inputs(const NodeOutline& node, Layer& layer) const;
  Status list_outputs(const std::vector<Tensor>& outputs, const NodeOutline& node, Layer& layer) const;
  std::vector<const Known*> passed_on(const NodeOutline& node, const Operator& op) const;
  bool is_counted(const Known* known) const;
  std::span<Layer> layers_of(const Part& part);

  Network network_;
  Tensors known_;
  std::vector<Tensors> of_bodies_;  ///< kept, as constants here may be made of some of them
  std::unordered_map<std::string, Tensor> stated_;
  Assembly* outer_ = nullptr;
  std::string prefix_;
  std::unordered_set<const Known*> counted_;  ///< constants that a layer has already listed
  Openness open_;
  std::optional<Error> contradiction_;
  std::size_t followed_ = 0;  ///< numbers of small constants so far, in the outermost assembly
};

}  // namespace neph::net
