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
#include <set>
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
                                   std::vector<float>, std::vector<std::string>, StoredTensor>;

struct Node {
  std::string name;
  std::string op;                    ///< ONNX's operator; with its domain before it if it is not ONNX's own
  std::vector<std::string> inputs;   ///< tensors; empty: an optional one that is left out
  std::vector<std::string> outputs;  ///< the same
  /// As the file has them, no defaults added; without bodies (of If, Loop, Scan).
  std::map<std::string, NodeAttribute, std::less<>> attributes;

  /// Of the attribute `which`, or `otherwise` where the node has none of that type.
  template <class T>
  T attribute(std::string_view which, T otherwise) const {
    const auto found = attributes.find(which);
    if (found == attributes.end()) return otherwise;
    const T* value = std::get_if<T>(&found->second);
    return value ? *value : otherwise;
  }
};

/// An input or output of the graph.
struct ProgramPort {
  std::string name;
  std::vector<std::int64_t> shape;  ///< -1: left open; empty: a single number, or not told
  bool integers = false;            ///< else floating point
  /// "f32", "f64", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "boolean"; empty:
  /// another one, or not told.
  std::string element{};
};

struct Program {
  std::string name;
  std::int64_t opset = 0;
  std::vector<Node> nodes;  ///< in an order in which they can run; a Constant is none of them
  std::map<std::string, StoredTensor, std::less<>> tensors;  ///< initializers, and what Constants hold
  /// Those of the tensors that Constants hold: exporters write numbers of the computation so, not weights.
  std::set<std::string, std::less<>> constants;
  std::vector<ProgramPort> inputs;  ///< those that the file does not store
  std::vector<ProgramPort> outputs;
};

/// The program of an ONNX file, with external data files beside it. Errors: those of read_onnx; corrupt
/// (fewer or more elements than a shape needs); unsupported (numbers of other kinds: strings, complex,
/// quantised to 8 bits of a float or to 4 bits of anything, sparse).
Result<Program> read_program(const std::filesystem::path& path);

/// The same from memory; `source` is what messages call it. Errors: also unsupported (external data).
Result<Program> read_program_bytes(std::string_view bytes, std::string_view source);

}  // namespace neph::net
