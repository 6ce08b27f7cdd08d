// Nodes whose work is in the bodies that they choose or repeat. How bodies are counted: net.hpp, Layer::runs.
#pragma once

#include <functional>

#include "net/assembly.hpp"

namespace neph::net {

/// Of a body's input: what is known in every trip, and the tensor that it is where it does not change.
struct Given {
  Tensor tensor;
  const Known* from = nullptr;
};

/// A body that has been read, and has not moved over yet.
struct Body {
  Assembly assembly;
  std::vector<const Known*> outputs;
  std::optional<Error> contradiction;  ///< of its shapes; an error only if it runs
};

/// Reads the body of that name with these inputs. Errors: corrupt.
using ReadBody = std::function<Result<Body>(const std::string& attribute, const std::vector<Given>& inputs)>;

/// Errors: corrupt (the body that must run contradicts itself, or does not fit the node).
Status add_if(Assembly& assembly, const NodeOutline& node, const ReadBody& read);
Status add_loop(Assembly& assembly, const NodeOutline& node, const ReadBody& read);
Status add_scan(Assembly& assembly, const NodeOutline& node, const ReadBody& read);
/// As it was in operator set 8: of each example of a batch, behind the lengths of its sequences.
Status add_batched_scan(Assembly& assembly, const NodeOutline& node, const ReadBody& read);
/// A function that the file defines.
Status add_function(Assembly& assembly, const NodeOutline& node, const ReadBody& read);

}  // namespace neph::net
