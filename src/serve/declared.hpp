// What a repository's configuration says of a model's inputs and outputs, beside what the model says itself.
// Only for files of this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "engine/engine.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

struct Signature;

/// An input or output as Triton's configuration has it.
struct DeclaredPort {
  std::string name;
  wire::DataType type = wire::DataType::f32;
  std::vector<std::int64_t> dims;                    ///< as clients send it, without the batch; -1: open
  std::optional<std::vector<std::int64_t>> reshape;  ///< as the model has it, if otherwise
  std::vector<std::string> labels;                   ///< of classes, by index
  bool optional = false;                             ///< the model has a value of its own for it
};

struct Declared {
  std::string file;  ///< that says so, for messages; empty: nothing is said
  /// Rows of a request at the most; above 0 the model's shapes begin with a batch that `dims` leave out.
  std::int64_t max_batch_size = 0;
  std::vector<DeclaredPort> inputs, outputs;

  bool has_batch() const { return max_batch_size > 0; }
};

/// Adds what `shapes` ("NAME:1x128+OTHER:1x64", core/shapes.hpp) fixes of inputs that the model, or what is
/// declared, leaves open; without its first size where that stays open. Errors: those of parse_shapes() and
/// named_shapes(), invalid_argument (a size that contradicts).
Status add_shapes(const std::string& shapes, const std::vector<engine::Port>& inputs, Declared& declared);

/// The model's ports with what the configuration fixes of their open dimensions.
std::vector<engine::Port> narrowed(std::vector<engine::Port> ports, const std::vector<DeclaredPort>& declared,
                                   bool has_batch);

/// Gives fields the shapes that clients see, the labels, and hides outputs that are not declared where any
/// is. Errors: invalid_argument: a name, type or shape that contradicts the model, with both.
Status declare(Signature& signature, const Declared& declared);

/// The sizes that `from` leaves open, put where `to` leaves them open, in their order.
wire::Shape reshaped(const wire::Shape& sizes, const std::vector<std::int64_t>& from,
                     const std::vector<std::int64_t>& to);

}  // namespace neph::serve
