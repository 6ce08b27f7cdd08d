// What a SavedModel's or a frozen graph's bytes contain, read without TensorFlow. Safe on any bytes: nothing
// recurses, and every length is checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/tensorflow/c_api.hpp"

namespace neph::engine::tensorflow_plugin {

/// Empty: strings, complex and quantized numbers, resources.
std::optional<Element> element_of(DataType type);
/// 0: TensorFlow has none.
DataType type_of(Element element);

/// Inputs or outputs, in the order of their names.
struct Ends {
  std::vector<Port> ports;
  std::vector<std::string> tensors;  ///< that each port stands for, as TensorFlow names it: "operation:0"
};

struct Signature {
  std::vector<std::string> tags;  ///< of the graph that it belongs to: "serve"
  Ends inputs, outputs;
};

/// The signature serving_default of saved_model.pb, or the only one. Errors: corrupt, unsupported (no
/// signature, or several without that one; elements that a Port has not; tensors that are sparse or ragged).
Result<Signature> read_saved_model(std::string_view bytes);

/// Names of operations.
struct FrozenGraph {
  std::vector<std::string> placeholders;
  std::vector<std::string> unread;  ///< no other operation reads them
};

/// Errors: corrupt, unsupported (no placeholder).
Result<FrozenGraph> read_frozen_graph(std::string_view bytes);

/// The operation and the number of its output that "operation:1" names. Errors: corrupt.
Result<std::pair<std::string, int>> split_tensor_name(std::string_view name);

}  // namespace neph::engine::tensorflow_plugin
