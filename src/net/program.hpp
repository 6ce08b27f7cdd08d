// A network as it computes: nodes with their attributes, and the tensors that the file stores. What a Network
// (net.hpp) is for figures, a Program is for engines of ours that run or train the graph themselves.
//
// What it does not do: run, infer shapes, simplify. Bodies of If, Loop and functions are not read.
// Threads: pure functions but for the file they name. Ownership: plain values.
// Cost: the weights are held once, as floats or 64-bit integers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.hpp"

namespace neph::net {

/// A tensor that the file stores; one of the two has its elements, in row-major order.
struct StoredTensor {
  std::vector<std::int64_t> shape;  ///< empty: a single number
  std::vector<float> floats;        ///< of floating-point tensors of any width
  std::vector<std::int64_t> integers;
};

using NodeAttribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                                   std::vector<float>, StoredTensor>;

struct Node {
  std::string name;
  std::string op;                    ///< ONNX's operator; with its domain before it if it is not ONNX's own
  std::vector<std::string> inputs;   ///< tensors; empty: an optional one that is left out
  std::vector<std::string> outputs;  ///< the same
  std::map<std::string, NodeAttribute, std::less<>> attributes;  ///< as the file has them, no defaults added

  /// Of the attribute `key`, or `otherwise` where the node has none of that type.
  template <class T>
  T attribute(std::string_view key, T otherwise) const {
    const auto found = attributes.find(key);
    if (found == attributes.end()) return otherwise;
    const T* value = std::get_if<T>(&found->second);
    return value ? *value : otherwise;
  }
};

/// An input or output of the graph.
struct ProgramPort {
  std::string name;
  std::vector<std::int64_t> shape;  ///< -1: left open
  bool integers = false;            ///< else floating point
};

struct Program {
  std::string name;
  std::int64_t opset = 0;
  std::vector<Node> nodes;  ///< in an order in which they can run
  std::map<std::string, StoredTensor, std::less<>> tensors;
  std::vector<ProgramPort> inputs;  ///< those that the file does not store
  std::vector<ProgramPort> outputs;
};

/// Errors: those of read_onnx; unsupported (strings, complex numbers, quantised types, sparse tensors).
Result<Program> read_program(const std::filesystem::path& path);

/// Writes the model of `source` to `target` with the floats of `weights` (by the tensors' names) in place of
/// those that it stores: what a training made of it. Errors: those of read_onnx and write_file; not_found (a
/// name that it does not store), invalid_argument (another number of elements).
Status write_trained(const std::filesystem::path& source,
                     const std::map<std::string, std::vector<float>, std::less<>>& weights,
                     const std::filesystem::path& target);

}  // namespace neph::net
